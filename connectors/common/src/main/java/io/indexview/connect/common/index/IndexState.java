package io.indexview.connect.common.index;

import java.util.Map;

/**
 * What an index knows beside its rows. Kept as JSON, so a record of what Jackson reads and writes.
 *
 * @param <S> the implementing type
 */
public interface IndexState<S extends IndexState<S>> {
  /** Kafka's id of the topic that was materialized. */
  String topicId();

  /** Offset to materialize next, per partition. */
  Map<Integer, Long> positions();

  /** The same, further on. */
  S withPositions(Map<Integer, Long> next);
}
