package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.source.StopLatch;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.LayoutException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes old tombstones of one generation. The store cannot tell which records are tombstones, so
 * all are read, no more than so many a second.
 */
final class TombstoneRemoval {
  private static final Logger LOGGER = LoggerFactory.getLogger(TombstoneRemoval.class);
  private static final int PAUSES_PER_SECOND = 10;
  private static final Duration PAUSE = Duration.ofSeconds(1).dividedBy(PAUSES_PER_SECOND);

  private final KvStore store;
  private final KvLayout layout;
  private final int batch;

  /**
   * @param rate records that are read in a second at most
   */
  TombstoneRemoval(KvStore store, KvLayout layout, int rate) {
    this.store = store;
    this.layout = layout;
    this.batch = Math.max(1, rate / PAUSES_PER_SECOND);
  }

  /**
   * Reads all records once. A tombstone that is changed meanwhile stays.
   *
   * @param before revision, in ms since the epoch, from which on tombstones stay
   * @return how many records were changed or removed
   */
  long run(long before, StopLatch stop) throws InterruptedException {
    long read = 0;
    long changed = 0;
    long unexpected = 0;
    KvScan scan = KvScan.under(new KvKey(layout.parent(), List.of())).withBatchSize(batch);
    try (KvIterator<KvRecord> records = store.storeIterator(scan)) {
      while (!stop.stopped() && records.hasNext()) {
        KvRecord record = records.next();
        try {
          changed += clean(store, layout, record, before) ? 1 : 0;
        } catch (LayoutException e) {
          LOGGER.debug("{} is left: {}", record.key(), e.getMessage());
          unexpected++;
        }
        read++;
        if (read % batch == 0) {
          stop.await(PAUSE);
        }
      }
    }
    LOGGER.info(
        "Looked for old tombstones: view={} read={} changed={} noRows={}",
        layout.view(),
        read,
        changed,
        unexpected);
    return changed;
  }

  /**
   * Removes the old tombstones of a record, unless it was changed since it was read.
   *
   * @param before revision from which on tombstones stay
   * @return whether it had some, and they are gone
   * @throws LayoutException if the record is no row of the generation
   */
  static boolean clean(KvStore store, KvLayout layout, KvRecord record, long before) {
    Optional<byte[]> left = layout.withoutTombstones(record.value(), before);
    if (left.isEmpty()) {
      return store.deleteIfVersion(record.key(), record.version());
    }
    return !Arrays.equals(left.get(), record.value())
        && store.putIfVersion(record.key(), left.get(), record.version()).isPresent();
  }
}
