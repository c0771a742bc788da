package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.sink.ParallelRequests;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/**
 * Writes rows of different keys: many that need no fence in bulk, beside that those of one major
 * path in one request, several at once. A row that goes without a fence, alone of its major path,
 * shares its request with others.
 */
final class KvRowWriter implements AutoCloseable {
  /** Keeps a request far below what the store takes, and a refused one quick to take apart. */
  static final int MAX_OPERATIONS = 500;

  /**
   * Most bytes of a request, as long as it can be taken apart: it must not take the store a
   * timeout.
   */
  static final int MAX_BYTES = 1 << 20;

  /**
   * Rows of different major paths that go in one request. A store without a way for that removes
   * them one after the other, and each may take it a timeout.
   */
  static final int MAX_DELETES = 20;

  /** A bulk put costs as much as some single ones to begin with. */
  static final int MIN_IN_BULK = 100;

  /** A larger bulk is slow because it is large. */
  static final int MAX_IN_SLOW_BULK = 1_000;

  /**
   * Longest time for one batch. With the requests then in flight it is well below {@code
   * max.poll.interval.ms} (5 minutes unless set): a task that is taken for dead has a successor,
   * over whose newer rows it must not write.
   */
  static final Duration MAX_DURATION = Duration.ofMinutes(2);

  private final Supplier<KvStore> store;
  private final int concurrency;
  private final int minInBulk;
  private final ParallelRequests parallelRequests;
  private final SlowRequests slowRequests;
  private final RowRequest overwritten = new OverwrittenRows();
  private final FencedRows fenced;
  private final Time time;

  /** The last bulk that may be left, which only one is: it makes many requests. Null: none yet. */
  private SlowRequests.Request left;

  /**
   * @param store opens it when first asked
   * @param fenced for writes that are fenced
   */
  KvRowWriter(
      Supplier<KvStore> store, KvStoreSinkSession.Settings settings, FencedRows fenced, Time time) {
    this.store = store;
    this.fenced = fenced;
    this.time = time;
    this.concurrency = settings.concurrency();
    this.minInBulk = settings.minInBulk();
    // A store that is slow is slow to answer many requests at once.
    this.parallelRequests = new ParallelRequests("kvstore-sink", concurrency, 2 * concurrency);
    this.slowRequests = new SlowRequests(concurrency, settings.slow());
  }

  /** What {@link #write} has left in flight. */
  SlowRequests slowRequests() {
    return slowRequests;
  }

  /**
   * Applies all writes but those that cannot be, which it returns. When it returns nothing is in
   * flight but slow requests.
   *
   * @param writes no two of one row, and none of a row of a slow request
   * @param mayLeave whether slow requests that are not fenced may be in flight afterwards
   * @throws KvStoreException.Unavailable if some were not applied and may be later, or not in
   *     {@link #MAX_DURATION}; all may be written again
   */
  List<Refusal> write(Collection<KvRowWrite> writes, boolean mayLeave) {
    Attempt attempt = new Attempt(store.get(), time, MAX_DURATION);
    List<SlowRequests.Request> running = new ArrayList<>();
    List<KvRowWrite> bulk = writes.stream().filter(KvRowWriter::fitsABulk).toList();
    Collection<KvRowWrite> others = writes;
    if (bulk.size() >= minInBulk) {
      boolean mayBeLeft =
          mayLeave && bulk.size() <= MAX_IN_SLOW_BULK && (left == null || left.isAnswered());
      SlowRequests.Request request =
          new SlowRequests.Request(bulk, () -> putAll(bulk, attempt), attempt, mayBeLeft);
      left = mayBeLeft ? request : left;
      // It takes longer than the others.
      running.add(request);
      others = writes.stream().filter(write -> !fitsABulk(write)).toList();
    }
    List<List<KvRowWrite>> requests = requests(others);
    readAhead(requests, attempt);
    for (List<KvRowWrite> request : requests) {
      boolean mayBeLeft = mayLeave && !request.get(0).isFenced();
      running.add(
          new SlowRequests.Request(request, () -> apply(request, attempt), attempt, mayBeLeft));
    }
    return slowRequests.run(parallelRequests, attempt, running);
  }

  private static boolean fitsABulk(KvRowWrite write) {
    return !write.isFenced() && write.value() != null;
  }

  /**
   * Writes rows in bulk, or in smaller requests if the store refuses a row, as it does not say
   * which.
   */
  private List<Refusal> putAll(List<KvRowWrite> bulk, Attempt attempt) {
    List<Refusal> refusals = new ArrayList<>();
    if (!isPut(bulk, attempt)) {
      List<Callable<List<Refusal>>> smaller = new ArrayList<>();
      requests(bulk).forEach(request -> smaller.add(() -> apply(request, attempt)));
      parallelRequests.run(smaller).forEach(refusals::addAll);
    }
    return refusals;
  }

  private static boolean isPut(List<KvRowWrite> bulk, Attempt attempt) {
    Map<KvKey, byte[]> rows = new LinkedHashMap<>();
    bulk.forEach(write -> rows.put(write.key(), write.value()));
    try {
      attempt.store().putAll(rows);
      return true;
    } catch (KvStoreException.Refused e) {
      return false;
    } catch (KvStoreException.Unavailable e) {
      attempt.end(e);
      throw e;
    }
  }

  private void readAhead(List<List<KvRowWrite>> requests, Attempt attempt) {
    List<KvKey> keys = new ArrayList<>();
    requests.forEach(request -> keys.addAll(fenced.toRead(request)));
    List<Callable<Void>> reads = new ArrayList<>();
    for (int worker = 0; worker < Math.min(concurrency, keys.size()); worker++) {
      int first = worker;
      reads.add(
          () -> {
            for (int i = first; i < keys.size() && !attempt.isOver(); i += concurrency) {
              readAhead(keys.get(i), attempt);
            }
            return null;
          });
    }
    parallelRequests.run(reads);
  }

  private static void readAhead(KvKey key, Attempt attempt) {
    try {
      attempt.readAhead(key);
    } catch (KvStoreException.Unavailable e) {
      attempt.end(e);
      throw e;
    }
  }

  /** Fenced writes so far that were there already, or something newer in their place. */
  long heldOff() {
    return fenced.heldOff();
  }

  private List<Refusal> apply(List<KvRowWrite> request, Attempt attempt) {
    try {
      return (request.get(0).isFenced() ? fenced : overwritten).apply(request, attempt);
    } catch (KvStoreException.Unavailable e) {
      attempt.end(e);
      throw e;
    }
  }

  /** Groups writes into requests, so that no two of these change one record of the store. */
  private List<List<KvRowWrite>> requests(Collection<KvRowWrite> writes) {
    Map<KvKey, List<KvRowWrite>> byRecord = new LinkedHashMap<>();
    writes.forEach(
        write -> byRecord.computeIfAbsent(write.key(), key -> new ArrayList<>()).add(write));
    Map<List<String>, Together> open = new LinkedHashMap<>();
    List<List<KvRowWrite>> requests = new ArrayList<>();
    byRecord.forEach(
        (key, ofRecord) -> {
          Together request = open.computeIfAbsent(key.major(), major -> new Together());
          request.add(ofRecord);
          if (request.isFull()) {
            requests.add(open.remove(key.major()).writes);
          }
        });
    List<KvRowWrite> deletes = new ArrayList<>();
    for (Together request : open.values()) {
      if (request.isOneDelete()) {
        deletes.addAll(request.writes);
      } else {
        requests.add(request.writes);
      }
    }
    requests.addAll(shared(deletes));
    return requests;
  }

  /** Each thread gets some of them. */
  private List<List<KvRowWrite>> shared(List<KvRowWrite> deletes) {
    int together = Math.min(MAX_DELETES, (deletes.size() + concurrency - 1) / concurrency);
    List<List<KvRowWrite>> requests = new ArrayList<>();
    for (int i = 0; i < deletes.size(); i += together) {
      requests.add(deletes.subList(i, Math.min(i + together, deletes.size())));
    }
    return requests;
  }

  /** Writes of one major path. */
  private static final class Together {
    private final List<KvRowWrite> writes = new ArrayList<>();
    private long bytes;

    private void add(List<KvRowWrite> ofRecord) {
      writes.addAll(ofRecord);
      ofRecord.forEach(write -> bytes += write.bytes());
    }

    private boolean isOneDelete() {
      return writes.size() == 1 && !writes.get(0).isFenced() && writes.get(0).value() == null;
    }

    private boolean isFull() {
      return writes.size() >= MAX_OPERATIONS || bytes >= MAX_BYTES;
    }
  }

  @Override
  public void close() {
    fenced.stop();
    parallelRequests.close();
  }

  /** A way to write rows. Thread-safe. */
  @FunctionalInterface
  interface RowRequest {
    /**
     * Applies all writes but those that it returns; when the attempt is over, perhaps fewer.
     *
     * @param writes of one major path, all fenced or none; or deletes of different ones, none
     *     fenced
     * @throws io.indexview.kvstore.KvStoreException.Unavailable if some were not applied and may be
     *     later
     */
    List<Refusal> apply(List<KvRowWrite> writes, Attempt attempt);
  }

  /** Writes rows over whatever is there: together, or one by one if the store refuses that. */
  private static final class OverwrittenRows implements RowRequest {
    @Override
    public List<Refusal> apply(List<KvRowWrite> writes, Attempt attempt) {
      return writes.size() > 1 ? applyTogether(writes, attempt) : applySingly(writes, attempt);
    }

    private static List<Refusal> applyTogether(List<KvRowWrite> writes, Attempt attempt) {
      if (attempt.isOver()) {
        return List.of();
      }
      try {
        if (isOfOneMajorPath(writes)) {
          attempt.store().execute(writes.stream().map(KvRowWrite::operation).toList());
        } else {
          attempt.store().deleteAll(writes.stream().map(KvRowWrite::key).toList());
        }
        return List.of();
      } catch (KvStoreException.Refused e) {
        return applySingly(writes, attempt);
      }
    }

    private static boolean isOfOneMajorPath(List<KvRowWrite> writes) {
      return writes.get(0).key().major().equals(writes.get(1).key().major());
    }

    private static List<Refusal> applySingly(List<KvRowWrite> writes, Attempt attempt) {
      List<Refusal> refusals = new ArrayList<>();
      for (KvRowWrite write : writes) {
        if (attempt.isOver()) {
          return refusals;
        }
        try {
          apply(write, attempt);
        } catch (KvStoreException.Refused e) {
          refusals.add(new Refusal(write, e));
        }
      }
      return refusals;
    }

    private static void apply(KvRowWrite write, Attempt attempt) {
      if (write.value() == null) {
        // Nobody wants to know what was there, which a single delete asks the store for.
        attempt.store().deleteAll(List.of(write.key()));
      } else {
        attempt.store().put(write.key(), write.value());
      }
    }
  }

  /** A row that cannot be written however often it is tried, and why. */
  record Refusal(KvRowWrite write, RuntimeException cause) {}
}
