package io.indexview.streams.error;

/** Work was given up because the app is closing; nothing failed. */
public final class StoppedException extends RuntimeException {
  StoppedException(String message) {
    super(message);
  }

  StoppedException(String message, Throwable cause) {
    super(message, cause);
  }
}
