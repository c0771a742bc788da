package io.indexview.connect.s3.index;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;

/**
 * What an index knows beside its rows.
 *
 * @param topicId Kafka's id of the topic that was folded
 * @param positions offset to fold next, per partition
 * @param gapSince ms since the epoch: the topic did not begin at offset 0 when the index was begun
 *     then, so it holds no word of what was published before; 0: nothing is missing
 */
record IndexedTopic(String topicId, Map<Integer, Long> positions, long gapSince) {
  private static final ObjectMapper JSON = new ObjectMapper();

  IndexedTopic {
    Objects.requireNonNull(topicId, "topicId");
    positions = Map.copyOf(positions);
  }

  IndexedTopic withPositions(Map<Integer, Long> next) {
    return new IndexedTopic(topicId, next, gapSince);
  }

  byte[] encode() {
    try {
      return JSON.writeValueAsBytes(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("index state cannot be written", e);
    }
  }

  static IndexedTopic decode(byte[] bytes) {
    try {
      return JSON.readValue(bytes, IndexedTopic.class);
    } catch (IOException e) {
      throw new IllegalStateException(
          "index state is damaged; delete the index directory and it is built again", e);
    }
  }
}
