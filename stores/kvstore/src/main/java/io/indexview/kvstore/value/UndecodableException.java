package io.indexview.kvstore.value;

/** A value is not what its record set says. The message says what is wrong, and shows no value. */
public final class UndecodableException extends Exception {
  private static final long serialVersionUID = 1L;

  UndecodableException(String message) {
    super(message);
  }

  UndecodableException(String message, Throwable cause) {
    super(message, cause);
  }
}
