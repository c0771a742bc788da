package io.indexview.streams.resnapshot;

import io.indexview.schemas.control.CompleteLook;
import io.indexview.schemas.control.KeyScope;
import java.util.List;
import org.apache.kafka.common.TopicPartition;

/**
 * That all sources of a topic published every record again, as it concerns one partition.
 *
 * @param startedAtMs when the first of them began, ms since the epoch
 * @param begin where the partition ended before any of them began
 * @param end where it ended after all of them were done
 * @param scopes the keys that they published all records of
 */
record Resnapshot(long startedAtMs, long begin, long end, List<KeyScope> scopes) {
  static Resnapshot of(CompleteLook look, TopicPartition partition) {
    return new Resnapshot(
        look.startedAtMs(),
        look.begins().getOrDefault(partition, 0L),
        look.ends().getOrDefault(partition, 0L),
        look.scopes());
  }
}
