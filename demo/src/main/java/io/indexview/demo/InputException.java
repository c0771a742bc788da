package io.indexview.demo;

/** What the user gave cannot be used; the message names the place and the remedy. */
final class InputException extends RuntimeException {
  InputException(String message, Throwable cause) {
    super(message, cause);
  }
}
