package io.indexview.schemas.order;

import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.SourceVersion;
import java.util.List;

/**
 * What is remembered of one primary key.
 *
 * @param version null: the last change carried none
 * @param left the epochs that the entry left, each with the highest sequence seen in it
 * @param revision see {@link OrderGuard}
 * @param offset Kafka offset of the last event that touched the entry
 * @param timestampMs record time of the last applied event, ms since the epoch; a marker expires by
 *     it
 * @param value null for a delete marker, and in indexes, which keep no values
 */
public record Entry(
    SourceVersion version,
    boolean deleted,
    List<SourceVersion> left,
    long revision,
    long offset,
    long timestampMs,
    FramedValue value) {
  public Entry {
    left = List.copyOf(left);
  }
}
