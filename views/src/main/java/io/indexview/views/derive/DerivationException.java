package io.indexview.views.derive;

/** A record from which no rows can be derived; the message says why and what helps. */
public final class DerivationException extends Exception {
  public DerivationException(String message) {
    super(message);
  }

  public DerivationException(String message, Throwable cause) {
    super(message, cause);
  }
}
