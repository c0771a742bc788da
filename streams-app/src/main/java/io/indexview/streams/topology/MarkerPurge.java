package io.indexview.streams.topology;

import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.EntryCodec;
import io.indexview.schemas.order.OrderGuard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Drops deletion markers that nobody needs any more. Walks the store in slices, each with an
 * iterator of its own, so that no call holds the task up; after a whole walk it rests. Not safe for
 * use by several threads.
 */
final class MarkerPurge {
  private static final Duration SHORTEST_REST = Duration.ofMinutes(1);
  private static final Duration LONGEST_REST = Duration.ofHours(1);

  private final KeyValueStore<Bytes, byte[]> store;
  private final MarkerRetention retention;
  private final int slice;
  private final long restMs;
  private Bytes cursor;
  private long restUntilMs = Long.MIN_VALUE;

  /**
   * @param slice how many entries one call looks at
   */
  MarkerPurge(KeyValueStore<Bytes, byte[]> store, Duration retention, int slice) {
    this.store = store;
    this.retention = new MarkerRetention(new OrderGuard(retention));
    this.slice = slice;
    this.restMs =
        Math.max(
            SHORTEST_REST.toMillis(),
            Math.min(LONGEST_REST.toMillis(), retention.dividedBy(24).toMillis()));
  }

  /**
   * Looks at the next slice.
   *
   * @param streamTimeMs record time of the task
   * @return how many markers were dropped
   */
  int run(long streamTimeMs, long wallClockMs) {
    if (wallClockMs < restUntilMs) {
      return 0;
    }
    List<Bytes> expired = new ArrayList<>();
    try (KeyValueIterator<Bytes, byte[]> entries = store.range(cursor, null)) {
      int seen = 0;
      while (entries.hasNext() && seen < slice) {
        KeyValue<Bytes, byte[]> next = entries.next();
        seen++;
        Entry entry = EntryCodec.decode(next.value);
        if (retention.isOver(entry, streamTimeMs, wallClockMs)) {
          expired.add(next.key);
        }
      }
      advance(entries, wallClockMs);
    }
    expired.forEach(store::delete);
    return expired.size();
  }

  private void advance(KeyValueIterator<Bytes, byte[]> entries, long wallClockMs) {
    if (entries.hasNext()) {
      cursor = entries.peekNextKey();
    } else {
      cursor = null;
      restUntilMs = wallClockMs + restMs;
    }
  }
}
