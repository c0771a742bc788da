package io.indexview.streams.replay;

/** The topic does not tell every event any more; the message says why, and what helps. */
final class UnreplayableException extends Exception {
  UnreplayableException(String message, Throwable cause) {
    super(message, cause);
  }
}
