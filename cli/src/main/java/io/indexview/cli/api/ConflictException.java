package io.indexview.cli.api;

/** Something else was written meanwhile. */
public final class ConflictException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ConflictException(String message) {
    super(message);
  }
}
