package io.indexview.client.admin;

/** A view has no generation that it could be rolled back to. */
public final class NoStandbyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public NoStandbyException(String view) {
    super(
        ("View \"%s\" has no generation to roll back to: the old one is removed some time after a"
                + " switch, and is not kept with swap: in-place; apply the old definition to build"
                + " it again")
            .formatted(view));
  }
}
