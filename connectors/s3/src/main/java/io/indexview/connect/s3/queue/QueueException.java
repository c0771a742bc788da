package io.indexview.connect.s3.queue;

/** What the queue refused or could not do; the subclass says what helps. */
public abstract sealed class QueueException extends RuntimeException {
  private QueueException(String message, Throwable cause) {
    super(message, cause);
  }

  /** Throttled, not reachable, or no answer in time: the same again later may work. */
  public static final class Unavailable extends QueueException {
    public Unavailable(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** Nothing will work until somebody changes the queue, permissions or configuration. */
  public static final class Permanent extends QueueException {
    public Permanent(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
