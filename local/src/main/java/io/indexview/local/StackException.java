package io.indexview.local;

/** The stack, or one part of it, could not start, run or stop. The message says what to do. */
public class StackException extends RuntimeException {
  public StackException(String message) {
    super(message);
  }

  public StackException(String message, Throwable cause) {
    super(message, cause);
  }
}
