package io.indexview.streams.derive;

import io.indexview.schemas.order.Entry;

/**
 * What all rows of one accepted change carry.
 *
 * @param timestampMs record time of the change, ms since the epoch
 */
public record RowStamp(long revision, long timestampMs) {
  static RowStamp of(Entry entry) {
    return new RowStamp(entry.revision(), entry.timestampMs());
  }
}
