package io.indexview.kvstore.value;

/** A record cannot be written in the format of its record set. The message says why. */
public final class UnencodableException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  UnencodableException(String message, Throwable cause) {
    super(message, cause);
  }
}
