package io.indexview.dynamodb;

/** What the item store refused or could not do; the subclass says what helps. */
public abstract sealed class ItemStoreException extends RuntimeException {
  private ItemStoreException(String message, Throwable cause) {
    super(message, cause);
  }

  /** Throttled, not reachable, or no answer in time: the same again later may work. */
  public static sealed class Unavailable extends ItemStoreException {
    public Unavailable(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** A transaction of another client holds the item now, which is no sign of too many requests. */
  public static final class Contended extends Unavailable {
    public Contended(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** The store will never take this item or request; it may take others. */
  public static final class Rejected extends ItemStoreException {
    public Rejected(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** Nothing will work until somebody changes the tables, permissions or configuration. */
  public static sealed class Permanent extends ItemStoreException {
    public Permanent(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** The table does not exist. */
  public static final class NoTable extends Permanent {
    NoTable(String table, Throwable cause) {
      super("table %s: not there; create it, or let it be created".formatted(table), cause);
    }
  }
}
