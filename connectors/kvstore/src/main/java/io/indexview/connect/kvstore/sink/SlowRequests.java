package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.sink.CommittableOffsets;
import io.indexview.connect.common.sink.ParallelRequests;
import io.indexview.connect.kvstore.sink.KvRowWriter.Refusal;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * Requests that are in flight when the others of their batch are answered: a store may take a
 * second for one of a thousand. Later batches do not wait for them; newer changes of their rows do.
 * For one thread.
 */
final class SlowRequests {
  /** Keys and values of the rows of requests that are left; and of newer changes of them. */
  static final long MAX_BYTES = 16L << 20;

  /** Newer changes of rows of requests that are left. */
  static final int MAX_NEWER = 1_000;

  private final int max;
  private final long slowNanos;
  private final List<Request> left = new ArrayList<>();
  private final Map<KvKey, Request> byKey = new HashMap<>();
  private long bytes;

  /**
   * @param max requests that are left in flight at once
   * @param slow how long the store has a request before it is left
   */
  SlowRequests(int max, Duration slow) {
    this.max = max;
    this.slowNanos = slow.toNanos();
  }

  /** A request, and if it is left, the records whose rows it writes. */
  static final class Request implements Callable<List<Refusal>> {
    private static final long NEVER = Long.MIN_VALUE;

    private final List<KvRowWrite> writes;
    private final Callable<List<Refusal>> call;
    private final Attempt attempt;
    private final boolean mayBeLeft;
    private final List<SinkRecord> records = new ArrayList<>();
    private volatile long began = NEVER;
    private Future<List<Refusal>> result;

    /**
     * @param mayBeLeft whether its batch need not wait for it when it is slow
     */
    Request(
        List<KvRowWrite> writes, Callable<List<Refusal>> call, Attempt attempt, boolean mayBeLeft) {
      this.writes = writes;
      this.call = call;
      this.attempt = attempt;
      this.mayBeLeft = mayBeLeft;
    }

    @Override
    public List<Refusal> call() throws Exception {
      began = System.nanoTime();
      return call.call();
    }

    /** Records of {@link #add}, in their order; none of a partition that was revoked. */
    List<SinkRecord> records() {
      return records;
    }

    /**
     * What the store refuses, of these records.
     *
     * @throws KvStoreException.Unavailable if some of the rows may not be written
     */
    List<Refusal> refusals() {
      List<Refusal> refusals = ParallelRequests.results(List.of(result)).get(0);
      attempt.requireAll();
      return refusals.stream().filter(refusal -> has(refusal.write().record())).toList();
    }

    private boolean has(SinkRecord record) {
      return records.stream().anyMatch(each -> each == record);
    }

    private void forget(Collection<TopicPartition> partitions) {
      records.removeIf(record -> isOf(partitions, record));
    }

    private boolean writesRowsOf(Collection<TopicPartition> partitions) {
      return writes.stream().anyMatch(write -> isOf(partitions, write.record()));
    }

    private static boolean isOf(Collection<TopicPartition> partitions, SinkRecord record) {
      return partitions.contains(CommittableOffsets.partition(record));
    }

    boolean isAnswered() {
      return result != null && result.isDone();
    }

    /** Waits until it is answered or slow, and returns whether it is answered. */
    private boolean isAnswered(long slowNanos) throws InterruptedException {
      while (true) {
        long since = began;
        long nanos =
            since == NEVER ? Math.max(1, slowNanos) : since + slowNanos - System.nanoTime();
        if (nanos <= 0) {
          return result.isDone();
        }
        if (isAnsweredWithin(nanos)) {
          return true;
        }
      }
    }

    private boolean isAnsweredWithin(long nanos) throws InterruptedException {
      try {
        result.get(nanos, TimeUnit.NANOSECONDS);
        return true;
      } catch (ExecutionException e) {
        // Who asks for the result gets the failure.
        return true;
      } catch (TimeoutException e) {
        return false;
      }
    }
  }

  /**
   * Runs the requests of a batch, and returns when all are answered but some that are slow.
   *
   * @param requests for no row that one that is left changes ({@link #isOf})
   * @return what the store refuses of those that are answered
   * @throws KvStoreException.Unavailable if one fails; slow ones are in flight then, too
   */
  List<Refusal> run(ParallelRequests parallelRequests, Attempt attempt, List<Request> requests) {
    List<? extends Future<List<Refusal>>> results = parallelRequests.start(requests);
    List<Future<List<Refusal>>> answered = new ArrayList<>();
    try {
      for (int i = 0; i < requests.size(); i++) {
        Request request = requests.get(i);
        request.result = results.get(i);
        if (!request.mayBeLeft || request.isAnswered(slowNanos) || !fits(request)) {
          answered.add(request.result);
        } else {
          leave(request);
        }
      }
    } catch (InterruptedException e) {
      results.forEach(result -> result.cancel(true));
      requests.forEach(this::forget);
      throw interrupted(e);
    }
    List<Refusal> refusals = new ArrayList<>();
    ParallelRequests.results(answered).forEach(refusals::addAll);
    // One that was left may have failed, and others have left something out for it.
    attempt.requireAll();
    return refusals;
  }

  private boolean fits(Request request) {
    return left.size() < max && bytes + bytes(request.writes) <= MAX_BYTES;
  }

  /** Whether so many newer changes of rows can be kept until the requests are answered. */
  static boolean fits(Collection<KvRowWrite> newer) {
    return newer.size() <= MAX_NEWER && bytes(newer) <= MAX_BYTES;
  }

  private static long bytes(Collection<KvRowWrite> writes) {
    return writes.stream().mapToLong(KvRowWrite::bytes).sum();
  }

  private void leave(Request request) {
    left.add(request);
    request.writes.forEach(write -> byKey.put(write.key(), request));
    bytes += bytes(request.writes);
  }

  private void forget(Request request) {
    if (left.remove(request)) {
      request.writes.forEach(write -> byKey.remove(write.key(), request));
      bytes -= bytes(request.writes);
    }
  }

  private static ConnectException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new ConnectException("interrupted while writing; what was not applied comes again", e);
  }

  boolean isEmpty() {
    return left.isEmpty();
  }

  /** Whether one that is left changes the row. */
  boolean isOf(KvRowWrite write) {
    return !left.isEmpty() && byKey.containsKey(write.key());
  }

  /** Whether the row is one of a request that is left, which has the record from now on. */
  boolean add(KvRowWrite write) {
    Request request = byKey.get(write.key());
    if (request == null) {
      return false;
    }
    request.records.add(write.record());
    return true;
  }

  /** Waits for all. */
  void await() {
    await(left);
  }

  private static void await(List<Request> requests) {
    try {
      for (Request request : requests) {
        while (!request.isAnsweredWithin(Long.MAX_VALUE)) {
          // A request has a timeout of its own.
        }
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** Takes out what is answered. */
  List<Request> takeAnswered() {
    List<Request> answered = left.stream().filter(Request::isAnswered).toList();
    answered.forEach(this::forget);
    return answered;
  }

  /** Drops partitions that other tasks have now. Waits for requests that write rows of theirs. */
  void revoke(Collection<TopicPartition> partitions) {
    await(left.stream().filter(request -> request.writesRowsOf(partitions)).toList());
    left.forEach(request -> request.forget(partitions));
  }
}
