package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.sink.ParallelRequests;
import io.indexview.connect.common.sink.RowRemovals;
import io.indexview.connect.common.source.StopLatch;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import io.indexview.views.layout.LayoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.apache.kafka.connect.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes all rows of a generation: scans for them until a scan finds none. What else is there
 * under its keys stays.
 */
final class GenerationRemoval implements RowRemovals.Removal {
  private static final Logger LOGGER = LoggerFactory.getLogger(GenerationRemoval.class);

  /** Rows of one major path that one transaction of the store removes. */
  private static final int MAX_TOGETHER = 1_000;

  private static final int REQUESTS_PER_ROUND = 100;

  private final KvStore store;
  private final ViewGeneration generation;
  private final KvLayout layout;
  private final KvKey parent;
  private final int concurrency;
  private final Predicate<ViewGeneration> keeps;

  /**
   * @param concurrency requests at once
   * @param keeps whether the rows are not the view's, and nothing is removed; asked on the
   *     removal's thread
   * @throws io.indexview.views.layout.LayoutException if the generation is of another target
   */
  GenerationRemoval(
      KvStore store, ViewGeneration generation, int concurrency, Predicate<ViewGeneration> keeps) {
    this.store = store;
    this.generation = generation;
    this.layout = KvLayout.of(generation);
    this.parent = new KvKey(layout.parent(), List.of());
    this.concurrency = concurrency;
    this.keeps = keeps;
  }

  @Override
  public void run(StopLatch stop, Runnable someRemoved) {
    try {
      if (!keeps.test(generation)) {
        removeRows(stop, someRemoved);
      }
    } catch (KvStoreException.Unavailable e) {
      throw new RetriableException("the store is not available: " + e.getMessage(), e);
    }
  }

  private void removeRows(StopLatch stop, Runnable someRemoved) {
    LOGGER.info(
        "Removing view {} generation {}: {}", generation.view(), generation.number(), parent);
    long removed = 0;
    long unexpected = 0;
    try (ParallelRequests parallelRequests = new ParallelRequests("kvstore-removal", concurrency)) {
      long found = -1;
      while (found != 0 && !stop.stopped()) {
        StoreScan scan = new StoreScan(parallelRequests, stop, someRemoved);
        found = scan.run();
        removed += found;
        unexpected = scan.unexpected;
      }
    }
    LOGGER.info("Removed {} rows under {}", removed, parent);
    if (unexpected > 0) {
      LOGGER.warn("Left {} records under {} that are no rows of the view", unexpected, parent);
    }
  }

  private boolean isRow(KvRecord record) {
    try {
      layout.requireRows(new KvPath(record.key().major(), record.key().minor()), record.value());
      return true;
    } catch (LayoutException e) {
      LOGGER.debug("{} is left: {}", record.key(), e.getMessage());
      return false;
    }
  }

  /** One scan. The rows of a major path mostly come together; it does no harm if they do not. */
  private final class StoreScan {
    private final ParallelRequests parallelRequests;
    private final StopLatch stop;
    private final Runnable someRemoved;
    private final List<Callable<Void>> requests = new ArrayList<>();
    private final List<KvOperation> together = new ArrayList<>();
    private long bytesTogether;
    private long unexpected;

    private StoreScan(ParallelRequests parallelRequests, StopLatch stop, Runnable someRemoved) {
      this.parallelRequests = parallelRequests;
      this.stop = stop;
      this.someRemoved = someRemoved;
    }

    /** How many rows it has found. */
    private long run() {
      long found = 0;
      List<String> major = List.of();
      try (KvIterator<KvRecord> records = store.storeIterator(KvScan.under(parent))) {
        while (records.hasNext() && !stop.stopped()) {
          KvRecord record = records.next();
          if (!isRow(record)) {
            unexpected++;
            continue;
          }
          if (isFull() || !major.equals(record.key().major())) {
            removeTogether();
          }
          major = record.key().major();
          together.add(new KvOperation.Delete(record.key()));
          bytesTogether += KvRowWrite.bytes(record.key(), null);
          found++;
        }
      }
      removeTogether();
      send();
      return found;
    }

    private boolean isFull() {
      return together.size() == MAX_TOGETHER || bytesTogether >= KvRowWriter.MAX_BYTES;
    }

    /** Key by key: whatever else is in the major path, or comes there meanwhile, is not ours. */
    private void removeTogether() {
      if (together.isEmpty()) {
        return;
      }
      List<KvOperation> operations = List.copyOf(together);
      together.clear();
      bytesTogether = 0;
      requests.add(
          () -> {
            store.execute(operations);
            return null;
          });
      if (requests.size() == REQUESTS_PER_ROUND) {
        send();
      }
    }

    private void send() {
      if (!requests.isEmpty()) {
        parallelRequests.run(requests);
        requests.clear();
        someRemoved.run();
      }
    }
  }
}
