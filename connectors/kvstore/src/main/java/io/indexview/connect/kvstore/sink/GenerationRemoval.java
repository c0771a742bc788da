package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.sink.RequestLanes;
import io.indexview.connect.common.sink.RowRemovals;
import io.indexview.connect.common.source.StopSignal;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.KvLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.kafka.connect.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes all rows of a generation: scans its keys until a scan finds none. */
final class GenerationRemoval implements RowRemovals.Removal {
  private static final Logger LOGGER = LoggerFactory.getLogger(GenerationRemoval.class);

  /** More rows of one major path than this are not left to one transaction of the store. */
  private static final int MAX_TOGETHER = 1_000;

  private static final int REQUESTS_PER_ROUND = 100;

  private final KvStore store;
  private final ViewGeneration generation;
  private final KvKey parent;
  private final int concurrency;

  /**
   * @param concurrency requests at once
   * @throws io.indexview.views.layout.LayoutException if the generation is of another target
   */
  GenerationRemoval(KvStore store, ViewGeneration generation, int concurrency) {
    this.store = store;
    this.generation = generation;
    this.parent = new KvKey(KvLayout.of(generation).parent(), List.of());
    this.concurrency = concurrency;
  }

  @Override
  public void run(StopSignal stop) {
    LOGGER.info(
        "Removing view {} generation {}: {}", generation.view(), generation.number(), parent);
    long removed = 0;
    try (RequestLanes lanes = new RequestLanes("kvstore-removal", concurrency)) {
      long found = -1;
      while (found != 0 && !stop.stopped()) {
        found = new Sweep(lanes, stop).run();
        removed += found;
      }
    } catch (KvStoreException.Unavailable e) {
      throw new RetriableException("the store is not available: " + e.getMessage(), e);
    }
    LOGGER.info("Removed {} rows under {}", removed, parent);
  }

  /** One scan. The keys of a major path mostly come together; it does no harm if they do not. */
  private final class Sweep {
    private final RequestLanes lanes;
    private final StopSignal stop;
    private final List<Callable<Void>> requests = new ArrayList<>();
    private final List<KvOperation> together = new ArrayList<>();

    private Sweep(RequestLanes lanes, StopSignal stop) {
      this.lanes = lanes;
      this.stop = stop;
    }

    private long run() {
      long found = 0;
      KvKey major = null;
      try (KvIterator<KvKey> keys = store.storeKeysIterator(KvScan.under(parent))) {
        while (keys.hasNext() && !stop.stopped()) {
          KvKey key = keys.next();
          if (major != null && !major.major().equals(key.major())) {
            removeAll(major);
          }
          major = key.majorKey();
          remove(key);
          found++;
        }
      }
      if (major != null) {
        removeAll(major);
        send();
      }
      return found;
    }

    private void remove(KvKey key) {
      together.add(new KvOperation.Delete(key));
      if (together.size() == MAX_TOGETHER) {
        List<KvOperation> operations = List.copyOf(together);
        together.clear();
        add(() -> store.execute(operations));
      }
    }

    private void removeAll(KvKey major) {
      if (!together.isEmpty()) {
        together.clear();
        add(() -> store.multiDelete(KvSelection.of(major)));
      }
    }

    private void add(Runnable request) {
      requests.add(
          () -> {
            request.run();
            return null;
          });
      if (requests.size() == REQUESTS_PER_ROUND) {
        send();
      }
    }

    private void send() {
      lanes.run(requests);
      requests.clear();
    }
  }
}
