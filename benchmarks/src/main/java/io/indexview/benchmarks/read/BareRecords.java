package io.indexview.benchmarks.read;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import java.util.List;
import java.util.function.Supplier;

/** Gets of the primary records behind a page, one after the other. */
record BareRecords(KvStore store) {
  /** None of them. */
  static final BareRecords NONE = new BareRecords(null);

  void fetch(Supplier<List<String>> primaryKeys) {
    if (store != null) {
      for (String key : primaryKeys.get()) {
        if (store.get(KvKey.fromString(key)).isEmpty()) {
          throw new IllegalStateException(key + " is gone");
        }
      }
    }
  }
}
