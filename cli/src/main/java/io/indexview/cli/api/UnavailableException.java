package io.indexview.cli.api;

/** No server answers, or none is known; the message says what to do. */
public final class UnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param cause null: there is none
   */
  public UnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
