package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.sink.RowRemovals;
import io.indexview.connect.common.source.StopLatch;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.control.UnexpectedRow;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import io.indexview.views.layout.LayoutException;
import io.indexview.views.layout.UnexpectedRemoval;
import java.util.List;
import java.util.function.LongSupplier;
import org.apache.kafka.connect.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes records that lie among the rows of a generation, and tombstones that are older than they
 * are kept; see {@link UnexpectedRemoval}.
 */
final class UnexpectedRecords implements RowRemovals.Removal {
  private static final Logger LOGGER = LoggerFactory.getLogger(UnexpectedRecords.class);

  private final KvStore store;
  private final UnexpectedRemoval removal;
  private final KvLayout layout;
  private final LongSupplier tombstonesFrom;

  /**
   * @param tombstonesFrom revision from which on tombstones stay
   * @throws LayoutException if the generation is of another target
   */
  UnexpectedRecords(KvStore store, UnexpectedRemoval removal, LongSupplier tombstonesFrom) {
    this.store = store;
    this.removal = removal;
    this.layout = KvLayout.of(removal.generation());
    this.tombstonesFrom = tombstonesFrom;
  }

  @Override
  public void run(StopLatch stop, Runnable removed) {
    try {
      RowRemovals.removeUnexpected(removal, stop, removed, this::remove);
    } catch (KvStoreException.Unavailable e) {
      throw new RetriableException("the store is not available: " + e.getMessage(), e);
    }
  }

  private boolean remove(UnexpectedRow row) {
    KvKey key;
    try {
      key = KvKey.fromString(record(row.id()));
    } catch (IllegalArgumentException e) {
      LOGGER.warn(
          "What is no row of the view is not removed, as its id is no key: {}", row.id(), e);
      return false;
    }
    try {
      return isAmongRows(key) && store.get(key).map(record -> remove(record, row)).orElse(false);
    } catch (KvStoreException.Refused e) {
      LOGGER.warn("What is no row of the view is not removed, as the store refuses it: {}", key, e);
      return false;
    } catch (LayoutException e) {
      LOGGER.warn(
          "What is no row of the view is not removed, as it is a row that cannot be changed: {}",
          key,
          e);
      return false;
    }
  }

  /** The key of the record: that of a row in a list has its primary key behind a space. */
  private static String record(String id) {
    int space = id.indexOf(' ');
    return space < 0 ? id : id.substring(0, space);
  }

  private boolean remove(KvRecord record, UnexpectedRow row) {
    if (isNoRow(record)) {
      return row.holds(record.value()) && store.deleteIfVersion(record.key(), record.version());
    }
    // Whatever was found: what is older than it is kept may go at any time.
    return layout.holdsRevisions()
        && TombstoneRemoval.clean(store, layout, record, tombstonesFrom.getAsLong());
  }

  private boolean isAmongRows(KvKey key) {
    List<String> parent = layout.parent();
    return key.major().size() >= parent.size()
        && key.major().subList(0, parent.size()).equals(parent);
  }

  private boolean isNoRow(KvRecord record) {
    try {
      layout.rows(new KvPath(record.key().major(), record.key().minor()), record.value());
      return false;
    } catch (LayoutException e) {
      LOGGER.debug("{} is no row", record.key(), e);
      return true;
    }
  }
}
