package io.indexview.connect.s3.object;

/** What the object store refused or could not do; the subclass says what helps. */
public abstract sealed class ObjectStoreException extends RuntimeException {
  private ObjectStoreException(String message, Throwable cause) {
    super(message, cause);
  }

  /** Throttled, not reachable, or no answer in time: the same again later may work. */
  public static final class Unavailable extends ObjectStoreException {
    public Unavailable(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** Nothing will work until somebody changes the bucket, permissions or configuration. */
  public static final class Permanent extends ObjectStoreException {
    public Permanent(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
