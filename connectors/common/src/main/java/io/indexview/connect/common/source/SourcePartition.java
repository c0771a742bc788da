package io.indexview.connect.common.source;

import io.indexview.schemas.control.SourceState;
import java.util.Objects;

/**
 * The part of a source that one task looks at.
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
}
