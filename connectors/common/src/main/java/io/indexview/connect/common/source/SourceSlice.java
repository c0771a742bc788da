package io.indexview.connect.common.source;

import io.indexview.schemas.control.SourceState;
import java.util.Objects;

/**
 * The part of a source that one task looks at.
 *
 * @param topic the primary-change topic
 * @param slice name of the part
 * @param slices how many parts the source has
 */
public record SourceSlice(String source, String topic, String slice, int slices) {
  public SourceSlice {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(slice, "slice");
  }

  /** Key of its records on source-states. */
  public String key() {
    return SourceState.key(source, topic, slice);
  }
}
