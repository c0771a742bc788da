package io.indexview.demo;

import io.indexview.demo.SnapshotLoader.Changes;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import java.util.ArrayList;
import java.util.List;

/** Moves the values of some records to other keys and deletes some records. */
final class Shuffle {
  private static final int MOVED_EVERY = 10;
  private static final int DELETED_EVERY = 25;

  private final KvStore store;
  private final KvKey prefix;

  Shuffle(KvStore store, KeyTemplate template) {
    this.store = store;
    this.prefix = new KvKey(template.prefix(), List.of());
  }

  Changes run() {
    long total = 0;
    List<KvKey> deleted = new ArrayList<>();
    List<KvRecord> moved = new ArrayList<>();
    try (KvIterator<KvRecord> records = store.storeIterator(KvScan.under(prefix))) {
      while (records.hasNext()) {
        KvRecord record = records.next();
        if (total % DELETED_EVERY == 1) {
          deleted.add(record.key());
        } else if (total % MOVED_EVERY == 0) {
          moved.add(record);
        }
        total++;
      }
    }
    for (int i = 0; i < moved.size(); i++) {
      store.put(moved.get(i).key(), moved.get((i + 1) % moved.size()).value());
    }
    deleted.forEach(store::delete);
    long touched = moved.size() + (long) deleted.size();
    return new Changes(0, moved.size(), deleted.size(), total - touched);
  }
}
