package io.indexview.streams.topology;

import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;

/** Tells which tombstones need not be stored any more. */
record MarkerRetention(OrderGuard guard) {

  /**
   * Whether an entry is a tombstone that nobody needs any more.
   *
   * @param streamTimeMs record time of the task; a single record from the future does not age the
   *     tombstones, since the wall clock bounds it
   */
  boolean isOver(Entry entry, long streamTimeMs, long wallClockMs) {
    return guard.isRemovable(entry, Math.min(streamTimeMs, wallClockMs));
  }
}
