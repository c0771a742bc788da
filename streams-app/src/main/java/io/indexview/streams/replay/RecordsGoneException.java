package io.indexview.streams.replay;

/** Records of the topic were deleted before they were read. */
public final class RecordsGoneException extends Exception {
  public RecordsGoneException(String message, Throwable cause) {
    super(message, cause);
  }
}
