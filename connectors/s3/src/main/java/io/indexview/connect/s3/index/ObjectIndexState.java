package io.indexview.connect.s3.index;

import io.indexview.connect.common.index.IndexState;
import java.util.Map;
import java.util.Objects;

/**
 * What the index of objects knows beside its rows.
 *
 * @param topicId Kafka's id of the topic that was materialized
 * @param positions offset to materialize next, per partition
 * @param gapSince ms since the epoch: the topic did not begin at offset 0 when the index was begun
 *     then, so it holds no word of what was published before; 0: nothing is missing
 */
record ObjectIndexState(String topicId, Map<Integer, Long> positions, long gapSince)
    implements IndexState<ObjectIndexState> {
  ObjectIndexState {
    Objects.requireNonNull(topicId, "topicId");
    positions = Map.copyOf(positions);
  }

  @Override
  public ObjectIndexState withPositions(Map<Integer, Long> next) {
    return new ObjectIndexState(topicId, next, gapSince);
  }
}
