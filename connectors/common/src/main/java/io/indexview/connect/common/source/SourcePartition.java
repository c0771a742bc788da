package io.indexview.connect.common.source;

import io.indexview.schemas.control.SourceState;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The part of a source that one task reads.
 *
 * @param topic the primary-change topic
 * @param sourcePartition name of the part
 * @param sourcePartitions how many parts the source has
 */
public record SourcePartition(
    String source, String topic, String sourcePartition, int sourcePartitions) {
  public SourcePartition {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(sourcePartition, "sourcePartition");
  }

  /** Key of its records on source-states. */
  public String key() {
    return SourceState.key(source, topic, sourcePartition);
  }

  /**
   * The fields as Connect's partition, in the one form in which it finds offsets again: iterated in
   * the order of a {@link HashMap} that grew from empty. Connect finds an offset by the bytes that
   * its partition is written as, field by field, and reads partitions back as such maps. {@link
   * Map#of} is ordered anew in each JVM, and so loses its offset.
   */
  public static <V> Map<String, V> inConnect(Map<String, V> fields) {
    Map<String, V> partition = new HashMap<>();
    new TreeMap<>(fields).forEach(partition::put);
    return partition;
  }
}
