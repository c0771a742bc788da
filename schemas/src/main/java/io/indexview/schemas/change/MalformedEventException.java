package io.indexview.schemas.change;

/**
 * A message of a primary-change topic that can never be read, whatever is retried: it belongs in
 * the dead-letter topic. The message says what is wrong and never holds the value.
 */
public final class MalformedEventException extends Exception {
  private final boolean ofEveryRecord;

  public MalformedEventException(String message) {
    this(message, null);
  }

  public MalformedEventException(String message, Throwable cause) {
    this(message, cause, false);
  }

  private MalformedEventException(String message, Throwable cause, boolean ofEveryRecord) {
    super(message, cause);
    this.ofEveryRecord = ofEveryRecord;
  }

  /** Failure of a message that is about every record, or may be about any, whatever its key. */
  public static MalformedEventException ofEveryRecord(String message, Throwable cause) {
    return new MalformedEventException(message, cause, true);
  }

  /** Whether the message is, or may be, about every record there is, and not that of its key. */
  public boolean isOfEveryRecord() {
    return ofEveryRecord;
  }
}
