package io.indexview.views.layout;

/** A row that has no place in its store, or a stored key that is no row; says why. */
public final class LayoutException extends RuntimeException {
  public LayoutException(String message) {
    super(message);
  }

  public LayoutException(String message, Throwable cause) {
    super(message, cause);
  }
}
