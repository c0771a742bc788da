package io.indexview.streams.topology;

import java.util.Optional;
import java.util.Set;
import org.apache.kafka.streams.processor.RecordContext;
import org.apache.kafka.streams.processor.TopicNameExtractor;

/**
 * The key of a forwarded row and where it goes: to the topic of its generation, and there to the
 * partition number of its primary record.
 *
 * @param key serialized; not copied
 */
record OutgoingRow(String topic, int partition, byte[] key) {

  /** Of the row in a topic with so many partitions. */
  Optional<Set<Integer>> partitionOf(int partitions) {
    if (partition >= partitions) {
      throw new IllegalStateException(
          "topic %s has %d partitions, its source topic has partition %d: both must have the same number"
              .formatted(topic, partitions, partition));
    }
    return Optional.of(Set.of(partition));
  }

  /** A class, since descriptions of the topology show it and must not change from run to run. */
  static final class ToTopic implements TopicNameExtractor<OutgoingRow, byte[]> {
    @Override
    public String extract(OutgoingRow row, byte[] value, RecordContext context) {
      return row.topic();
    }

    @Override
    public String toString() {
      return "RowTopic";
    }
  }
}
