package io.indexview.client.admin;

/** A view has no generation that it could be rolled back to. */
public final class NoStandbyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public NoStandbyException(String view) {
    super(
        ("View \"%s\" has no generation to roll back to: the one before a switch is removed after"
                + " generation.grace.ms of the app, and is not kept with swap: in-place. To bring it"
                + " back, apply the definition that it had (views apply -f FILE), or rebuild the"
                + " view if that is the present one (views rebuild %s); it is built anew while the"
                + " present generation serves")
            .formatted(view, view));
  }
}
