package io.indexview.streams.topology;

import io.indexview.schemas.order.Entry;
import java.time.Duration;

/** How long deletion markers are kept. */
record MarkerRetention(Duration time) {

  /**
   * Whether an entry is a marker that nobody needs any more.
   *
   * @param streamTimeMs record time of the task; a single record from the future does not age the
   *     markers, since the wall clock bounds it
   */
  boolean isOver(Entry entry, long streamTimeMs, long wallClockMs) {
    return entry.deleted()
        && entry.timestampMs() < Math.min(streamTimeMs, wallClockMs) - time.toMillis();
  }
}
