package io.indexview.kvstore;

/** The store could not do what was asked. The kinds say whether trying again can help. */
public abstract class KvStoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  KvStoreException(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * A timeout, an unreachable shard, a lock conflict: the same call may succeed later. A write that
   * failed so may nevertheless have happened.
   */
  public static final class Unavailable extends KvStoreException {
    private static final long serialVersionUID = 1L;

    public Unavailable(String message, Throwable cause) {
      super(message, cause);
    }

    public Unavailable(String message) {
      super(message, null);
    }
  }

  /** The request itself is at fault, such as a key or value that is too large: no retry helps. */
  public static final class Refused extends KvStoreException {
    private static final long serialVersionUID = 1L;

    public Refused(String message, Throwable cause) {
      super(message, cause);
    }

    public Refused(String message) {
      super(message, null);
    }
  }

  /**
   * The store cannot be used in this set-up, whatever the request: no permission, a directory that
   * cannot be written or is in use, a client that is too old. Someone has to change something.
   */
  public static final class Misconfigured extends KvStoreException {
    private static final long serialVersionUID = 1L;

    public Misconfigured(String message, Throwable cause) {
      super(message, cause);
    }

    public Misconfigured(String message) {
      super(message, null);
    }
  }

  /**
   * The store cannot tell which records change, at least in this set-up: the message says why, and
   * what would have to be there. Everything else works, so scans find the changes.
   */
  public static final class ChangesUnsupported extends KvStoreException {
    private static final long serialVersionUID = 1L;

    public ChangesUnsupported(String message, Throwable cause) {
      super(message, cause);
    }

    public ChangesUnsupported(String message) {
      super(message, null);
    }
  }
}
