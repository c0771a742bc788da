package io.indexview.client.write;

import io.indexview.client.write.MultiDelete.MultiDeleteException;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvPartialKey;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One call of {@link Writer#multiDelete}. The store is scanned once, for keys alone; a major path
 * is removed as soon as the scan comes to it.
 */
final class MultiDeletion {
  private final Writer writer;
  private final KvStore store;
  private final KvKeySet keys;
  private final KvPartialKey partial;
  private final int most;
  private final List<Written> removed = new ArrayList<>();
  private int paths;
  private boolean more;

  MultiDeletion(Writer writer, KvStore store, KvKeySet keys, KvPartialKey partial, int most) {
    this.writer = writer;
    this.store = store;
    this.keys = keys;
    this.partial = partial;
    this.most = most;
  }

  MultiDelete run(Duration time) {
    if (partial.start().minor().isEmpty()) {
      scan(time);
    } else {
      removeUnder(partial.start().majorKey());
    }
    return new MultiDelete(removed, paths <= 1 && !more, more);
  }

  private void scan(Duration time) {
    long begun = System.nanoTime();
    KvKey last = null;
    try (KvIterator<KvKey> scan = store.storeKeysIterator(KvScan.under(partial.start()))) {
      while (!more && scan.hasNext()) {
        KvKey key = scan.next();
        if (!keys.contains(key) || key.majorKey().equals(last)) {
          continue;
        }
        last = key.majorKey();
        boolean over = System.nanoTime() - begun >= time.toNanos();
        if (!removed.isEmpty() && (over || removed.size() >= most)) {
          more = true;
        } else {
          removeUnder(last);
        }
      }
    } catch (KvStoreException e) {
      throw failed(partial.start(), e);
    }
  }

  private void removeUnder(KvKey path) {
    List<KvKey> found;
    try {
      found = partial.keys(store, keys, path, most + 1);
    } catch (KvStoreException e) {
      throw failed(path, e);
    }
    int room = most - removed.size();
    more = found.size() > room;
    if (found.isEmpty() || (more && !removed.isEmpty())) {
      return;
    }
    paths++;
    try {
      writer
          .execute(
              found.stream().limit(room).<WriteOperation>map(WriteOperation.Delete::new).toList())
          .forEach(written -> written.ifPresent(removed::add));
    } catch (KvStoreException e) {
      throw failed(path, e);
    }
  }

  /** What was removed must not be lost with the failure. */
  private RuntimeException failed(KvKey open, KvStoreException failure) {
    return removed.isEmpty()
        ? failure
        : new MultiDeleteException(partial, new MultiDelete(removed, false, true), open, failure);
  }
}
