package io.indexview.client.admin;

/** The rows of a view cannot be verified now, or not here; the message says why. */
public class NotVerifiableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public NotVerifiableException(String message) {
    super(message);
  }

  public NotVerifiableException(String message, Throwable cause) {
    super(message, cause);
  }
}
