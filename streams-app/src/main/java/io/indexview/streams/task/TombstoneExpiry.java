package io.indexview.streams.task;

import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import io.indexview.streams.state.Entries;
import io.indexview.streams.state.StoredScanProgress.Chunk;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Drops tombstones that nobody needs any more: a scan that is slow, so that no call holds the task
 * up, and rests after the last entry. After a start it begins anew. Not safe for use by several
 * threads.
 */
final class TombstoneExpiry {
  private static final int CHUNK = 2_000;

  /**
   * Bytes of values read at once. They may be large: all tasks of a thread wait meanwhile, with its
   * transaction.
   */
  static final int CHUNK_BYTES = 4 * 1024 * 1024;

  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration MIN_REST = Duration.ofMinutes(1);
  private static final Duration MAX_REST = Duration.ofHours(1);

  private final StateScan scan;
  private final LongSupplier streamTimeMs;
  private final OrderGuard guard;
  private final Duration rest;
  private final Timer resting;
  private byte[] cursor;

  /**
   * @param streamTimeMs record time of the task
   */
  TombstoneExpiry(
      Entries entries, OrderGuard guard, Duration retention, LongSupplier streamTimeMs, Time time) {
    this.scan = new StateScan(entries, CHUNK, (key, before, after) -> {});
    this.streamTimeMs = streamTimeMs;
    this.guard = guard;
    long restMs = Math.min(MAX_REST.toMillis(), retention.toMillis() / 24);
    this.rest = Duration.ofMillis(Math.max(MIN_REST.toMillis(), restMs));
    this.resting = new Timer(time);
  }

  /**
   * Whether an entry is a tombstone that nobody needs any more. A single record from the future
   * does not age the others, since the wall clock bounds the time of the records.
   */
  boolean isOver(Entry entry, long nowMs) {
    return guard.isRemovable(entry, Math.min(streamTimeMs.getAsLong(), nowMs));
  }

  /**
   * Scans the next chunk, once a second at most.
   *
   * @return how many tombstones were dropped
   */
  int poll(long nowMs) {
    if (!resting.isExpired()) {
      return 0;
    }
    int[] left = {CHUNK};
    int[] leftBytes = {CHUNK_BYTES};
    Chunk chunk =
        scan.run(
            cursor,
            () -> --left[0] <= 0 || leftBytes[0] <= 0,
            (key, entry) -> {
              leftBytes[0] -= entry.value() == null ? 0 : entry.value().length();
              return isOver(entry, nowMs) ? null : entry;
            });
    cursor = chunk.whole() ? null : chunk.last();
    resting.reset(chunk.whole() ? rest : PAUSE);
    return chunk.changed();
  }
}
