package io.indexview.schemas.change;

/**
 * A message of a primary-change topic that can never be read, whatever is retried: it belongs in
 * the dead-letter topic. The message says what is wrong and never holds the value.
 */
public final class MalformedEventException extends Exception {
  public MalformedEventException(String message) {
    super(message);
  }

  public MalformedEventException(String message, Throwable cause) {
    super(message, cause);
  }
}
