package io.indexview.connect.dynamodb.write;

import io.indexview.dynamodb.ItemStoreException;
import java.util.concurrent.CompletionException;

/** What became of a write that was sent. */
sealed interface RowOutcome {

  /** Of a request that failed. */
  static RowOutcome of(Throwable thrown) {
    Throwable cause =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    if (cause instanceof ItemStoreException.Unavailable unavailable) {
      return new Again(unavailable);
    }
    if (cause instanceof ItemStoreException.Rejected rejected) {
      return new Rejected(rejected.getMessage(), rejected);
    }
    if (cause instanceof ItemStoreException.NoTable missing) {
      return new NoTable(missing);
    }
    return new Failed(
        cause instanceof ItemStoreException.Permanent permanent
            ? permanent
            : new ItemStoreException.Permanent("writing failed: " + cause.getMessage(), cause));
  }

  /** The row is as the write wants it, or newer. */
  record Applied(boolean lost) implements RowOutcome {}

  /** The same again later may work. */
  record Again(ItemStoreException.Unavailable cause) implements RowOutcome {}

  /** One of several writes of a request is at fault; each has to be sent alone. */
  record AgainAlone() implements RowOutcome {}

  /** The store will never take it. */
  record Rejected(String reason, Throwable cause) implements RowOutcome {}

  /** There is no table of that name now: what that means of the row is for others to say. */
  record NoTable(ItemStoreException.NoTable cause) implements RowOutcome {}

  /** Nothing will work. */
  record Failed(ItemStoreException cause) implements RowOutcome {}
}
