package io.indexview.client.write;

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
 * What {@link Writer#multiDelete} removed.
 *
 * @param removed those of a major path one after the other, in key order
 * @param atomic whether that is all there was, and went in one transaction
 * @param more whether records are left that begin with the partial key
 */
public record MultiDelete(List<Written> removed, boolean atomic, boolean more) {
  public MultiDelete {
    removed = List.copyOf(removed);
  }

  /**
   * The store failed when {@link Writer#multiDelete} had removed some records. The others stand,
   * but for those of one major path, which may be gone as well.
   */
  public static final class MultiDeleteException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient MultiDelete done;

    /**
     * @param open the major path that the store was asked to remove when it failed
     */
    MultiDeleteException(
        KvPartialKey partial, MultiDelete done, KvKey open, KvStoreException cause) {
      super(
          ("%d records that begin with %s are removed, then the store failed: %s Of the records of %s"
                  + " it is not known; all others stand.")
              .formatted(done.removed().size(), partial, cause.getMessage(), open),
          cause);
      this.done = done;
    }

    /** What was removed. */
    public MultiDelete done() {
      return done;
    }
  }

  /**
   * One call of {@link Writer#multiDelete}. The store is scanned once, for keys alone; a major path
   * is removed as soon as the scan comes to it.
   */
  static final class Call {
    private final Writer writer;
    private final KvStore store;
    private final KvKeySet keys;
    private final KvPartialKey partial;
    private final int limit;
    private final List<Written> removed = new ArrayList<>();
    private int paths;
    private boolean more;

    Call(Writer writer, KvStore store, KvKeySet keys, KvPartialKey partial, int limit) {
      this.writer = writer;
      this.store = store;
      this.keys = keys;
      this.partial = partial;
      this.limit = limit;
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
          if (!removed.isEmpty() && (over || removed.size() >= limit)) {
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
        found = partial.keys(store, keys, path, limit + 1);
      } catch (KvStoreException e) {
        throw failed(path, e);
      }
      int room = limit - removed.size();
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
}
