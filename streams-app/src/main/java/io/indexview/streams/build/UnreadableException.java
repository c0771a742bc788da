package io.indexview.streams.build;

/** A published generation that this release cannot derive with; the message says why. */
final class UnreadableException extends Exception {
  UnreadableException(String message, Throwable cause) {
    super(message, cause);
  }
}
