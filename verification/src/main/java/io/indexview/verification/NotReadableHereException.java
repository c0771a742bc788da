package io.indexview.verification;

import io.indexview.client.admin.NotVerifiableException;

/** The rows of a view cannot be read by this process; the message says what to set. */
public class NotReadableHereException extends NotVerifiableException {
  private static final long serialVersionUID = 1L;

  public NotReadableHereException(String message) {
    super(message);
  }
}
