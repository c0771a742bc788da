package io.indexview.connect.kvstore.source.log;

/** The topic cannot be read now. */
public class ChangeLogException extends RuntimeException {
  public ChangeLogException(String message, Throwable cause) {
    super(message, cause);
  }
}
