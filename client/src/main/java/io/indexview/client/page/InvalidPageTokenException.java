package io.indexview.client.page;

/** A page token that cannot be used: not ours, changed on its way, or of another reading. */
public final class InvalidPageTokenException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  public InvalidPageTokenException(String message) {
    super("page token: " + message);
  }
}
