package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.sink.RequestLanes;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** Writes rows of different keys: those of one major path in one request, several at once. */
final class RowWriter implements AutoCloseable {
  /** Keeps a request far below what the store takes, and a refused one quick to take apart. */
  private static final int MAX_OPERATIONS = 500;

  /**
   * With the requests then in flight well below {@code max.poll.interval.ms} (5 minutes unless
   * set): a task that is taken for dead has a successor, over whose newer rows it must not write.
   */
  static final Duration MAX_DURATION = Duration.ofMinutes(2);

  private final Supplier<KvStore> store;
  private final RequestLanes lanes;
  private final Clock clock;

  /**
   * @param store opens it when first asked
   */
  RowWriter(Supplier<KvStore> store, int concurrency, Clock clock) {
    this.store = store;
    this.clock = clock;
    this.lanes = new RequestLanes("kvstore-sink", concurrency);
  }

  /** A row that the store does not take, and why. */
  record Refusal(RowWrite write, KvStoreException.Refused cause) {}

  /**
   * Applies all writes but those that the store refuses, which it returns. When it returns nothing
   * is in flight.
   *
   * @param writes no two of one key
   * @throws KvStoreException.Unavailable if some were not applied and may be later, or not in
   *     {@link #MAX_DURATION}; all may be written again
   */
  List<Refusal> write(Collection<RowWrite> writes) {
    Attempt attempt = new Attempt();
    List<Callable<List<Refusal>>> requests = new ArrayList<>();
    for (List<RowWrite> request : requests(writes)) {
      requests.add(() -> attempt.apply(request));
    }
    List<Refusal> refusals = new ArrayList<>();
    lanes.run(requests).forEach(refusals::addAll);
    return refusals;
  }

  private static List<List<RowWrite>> requests(Collection<RowWrite> writes) {
    Map<List<String>, List<RowWrite>> open = new LinkedHashMap<>();
    List<List<RowWrite>> requests = new ArrayList<>();
    for (RowWrite write : writes) {
      List<RowWrite> request =
          open.computeIfAbsent(write.key().major(), major -> new ArrayList<>());
      request.add(write);
      if (request.size() == MAX_OPERATIONS) {
        requests.add(open.remove(write.key().major()));
      }
    }
    requests.addAll(open.values());
    return requests;
  }

  @Override
  public void close() {
    lanes.close();
  }

  /**
   * One go at a batch. What has not begun when the store turns out not to be available is left: the
   * batch comes again, and a store that hangs would hold every request for its whole timeout.
   */
  private final class Attempt {
    private final Instant end = clock.instant().plus(MAX_DURATION);
    private final KvStore opened = store.get();
    private final AtomicBoolean over = new AtomicBoolean();

    private List<Refusal> apply(List<RowWrite> request) {
      try {
        return request.size() > 1 ? applyTogether(request) : applySingly(request);
      } catch (KvStoreException.Unavailable e) {
        over.set(true);
        throw e;
      }
    }

    private List<Refusal> applyTogether(List<RowWrite> request) {
      if (isOver()) {
        return List.of();
      }
      try {
        opened.execute(request.stream().map(RowWrite::operation).toList());
        return List.of();
      } catch (KvStoreException.Refused e) {
        return applySingly(request);
      }
    }

    private List<Refusal> applySingly(List<RowWrite> request) {
      List<Refusal> refusals = new ArrayList<>();
      for (RowWrite write : request) {
        if (isOver()) {
          return refusals;
        }
        try {
          apply(write);
        } catch (KvStoreException.Refused e) {
          refusals.add(new Refusal(write, e));
        }
      }
      return refusals;
    }

    private void apply(RowWrite write) {
      if (write.value() == null) {
        opened.delete(write.key());
      } else {
        opened.put(write.key(), write.value());
      }
    }

    /** True if another request found out; throws if this one is the first to be late. */
    private boolean isOver() {
      if (over.get()) {
        return true;
      }
      if (!clock.instant().isBefore(end)) {
        throw new KvStoreException.Unavailable(
            "a batch is not written after %d s; if the store is well, set a lower consumer.override.max.poll.records"
                .formatted(MAX_DURATION.toSeconds()));
      }
      return false;
    }
  }
}
