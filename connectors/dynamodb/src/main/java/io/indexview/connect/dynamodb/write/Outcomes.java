package io.indexview.connect.dynamodb.write;

import io.indexview.dynamodb.ItemStoreException;
import java.util.concurrent.CompletionException;

/** Failures of the store as outcomes. */
final class Outcomes {
  private Outcomes() {}

  static RowOutcome of(Throwable thrown) {
    Throwable cause =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    if (cause instanceof ItemStoreException.Unavailable unavailable) {
      return new RowOutcome.Again(unavailable);
    }
    if (cause instanceof ItemStoreException.Rejected rejected) {
      return new RowOutcome.Rejected(rejected.getMessage(), rejected);
    }
    if (cause instanceof ItemStoreException.NoTable missing) {
      return new RowOutcome.NoTable(missing);
    }
    return new RowOutcome.Failed(
        cause instanceof ItemStoreException.Permanent permanent
            ? permanent
            : new ItemStoreException.Permanent("writing failed: " + cause.getMessage(), cause));
  }
}
