package io.indexview.streams.derive;

import io.indexview.schemas.order.Entry;

/** Knows which deletion markers nobody needs any more. */
@FunctionalInterface
public interface MarkerExpiry {

  /**
   * Whether an entry is a marker that may be dropped.
   *
   * @param nowMs wall clock, ms since the epoch
   */
  boolean isOver(Entry entry, long nowMs);
}
