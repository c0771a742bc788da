package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.sink.RowRemovals;
import io.indexview.connect.common.source.StopSignal;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.control.ForeignRow;
import io.indexview.views.layout.ForeignRemoval;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import io.indexview.views.layout.LayoutException;
import java.util.List;
import org.apache.kafka.connect.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes records that lie among the rows of a generation; see {@link ForeignRemoval}. */
final class ForeignRecords implements RowRemovals.Removal {
  private static final Logger LOGGER = LoggerFactory.getLogger(ForeignRecords.class);

  private final KvStore store;
  private final ForeignRemoval removal;
  private final KvLayout layout;

  /**
   * @throws LayoutException if the generation is of another target
   */
  ForeignRecords(KvStore store, ForeignRemoval removal) {
    this.store = store;
    this.removal = removal;
    this.layout = KvLayout.of(removal.generation());
  }

  @Override
  public void run(StopSignal stop) {
    try {
      RowRemovals.removeForeign(removal, stop, this::remove);
    } catch (KvStoreException.Unavailable e) {
      throw new RetriableException("the store is not available: " + e.getMessage(), e);
    }
  }

  private boolean remove(ForeignRow row) {
    KvKey key;
    try {
      key = KvKey.fromString(row.id());
    } catch (IllegalArgumentException e) {
      LOGGER.warn("Not removed, as it is no key: {}", row.id(), e);
      return false;
    }
    try {
      return isAmongRows(key)
          && store
              .get(key)
              .filter(record -> row.holds(record.value()))
              .filter(this::isNoRow)
              .map(record -> store.deleteIfVersion(key, record.version()))
              .orElse(false);
    } catch (KvStoreException.Refused e) {
      LOGGER.warn("Not removed, as the store refuses it: {}", key, e);
      return false;
    }
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
