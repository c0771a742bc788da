package io.indexview.connect.kvstore.sink;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One go at a batch. What has not begun when the store turns out not to be available is left: the
 * batch comes again, and a store that hangs would hold every request for its whole timeout.
 * Thread-safe.
 */
final class Attempt {
  /** Values of records that wait for their requests; lists are as large as a value may be. */
  private static final long MAX_BYTES_AHEAD = 16L << 20;

  private final KvStore store;
  private final Duration maxDuration;
  private final Time time;
  private final long begun;
  private final Instant end;
  private final AtomicReference<KvStoreException.Unavailable> failure = new AtomicReference<>();
  private final Map<KvKey, Optional<KvRecord>> read = new ConcurrentHashMap<>();
  private final AtomicLong bytesAhead = new AtomicLong();

  Attempt(KvStore store, Time time, Duration maxDuration) {
    this.store = store;
    this.maxDuration = maxDuration;
    this.time = time;
    this.begun = time.nanoTime();
    this.end = time.instant().plus(maxDuration);
  }

  KvStore store() {
    return store;
  }

  Instant now() {
    return time.instant();
  }

  /**
   * Reads a record for a request that has not begun yet, unless there are enough of them. How large
   * it is only the read tells: one that is too much then, as several threads may have, is let go.
   */
  void readAhead(KvKey key) {
    if (bytesAhead.get() < MAX_BYTES_AHEAD) {
      Optional<KvRecord> found = store.get(key);
      int bytes = found.map(record -> record.value().length).orElse(0);
      if (bytesAhead.addAndGet(bytes) <= MAX_BYTES_AHEAD) {
        read.put(key, found);
      }
    }
  }

  /**
   * What the store holds under a key; when asked first, what it held when the record was read
   * ahead.
   */
  Optional<KvRecord> found(KvKey key) {
    Optional<KvRecord> ahead = read.remove(key);
    return ahead == null ? store.get(key) : ahead;
  }

  /** Lets no further request begin, as one has failed. */
  void end(KvStoreException.Unavailable cause) {
    failure.compareAndSet(null, cause);
  }

  /**
   * Throws what has ended it: other requests may have left something out then, though they did not
   * fail.
   */
  void requireAll() {
    KvStoreException.Unavailable cause = failure.get();
    if (cause != null) {
      throw cause;
    }
  }

  /**
   * True if another request has ended it.
   *
   * @throws KvStoreException.Unavailable if this request is the first to be late
   */
  boolean isOver() {
    if (failure.get() != null) {
      return true;
    }
    // One clock may be set back; the other stands while the machine does.
    if (time.nanoTime() - begun >= maxDuration.toNanos() || !time.instant().isBefore(end)) {
      throw new KvStoreException.Unavailable(
          "a batch is not written after %d s; if the store is well, set a lower consumer.override.max.poll.records"
              .formatted(maxDuration.toSeconds()));
    }
    return false;
  }
}
