package io.indexview.streams.topology;

import java.util.Optional;
import java.util.Set;
import org.apache.kafka.streams.processor.StreamPartitioner;

/** Sends every row of a primary record to the partition number of the record itself. */
final class OwnPartition implements StreamPartitioner<OutgoingRow, byte[]> {

  @Override
  public Optional<Set<Integer>> partitions(
      String topic, OutgoingRow row, byte[] value, int numPartitions) {
    if (row.partition() >= numPartitions) {
      throw new IllegalStateException(
          "topic %s has %d partitions, its source topic has partition %d: both must have the same number"
              .formatted(topic, numPartitions, row.partition()));
    }
    return Optional.of(Set.of(row.partition()));
  }
}
