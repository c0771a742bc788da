package io.indexview.connect.kvstore.source.index;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sleepycat.je.DatabaseEntry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;

/**
 * What an index knows beside its rows.
 *
 * @param topicId Kafka's id of the topic that was folded
 * @param positions offset to fold next, per partition
 * @param resnapshot the topic did not tell everything: the next sweep publishes every record again
 * @param lookedBefore a sweep over this index was completed
 * @param begun the sweep that is not complete yet; null: none was begun
 */
public record IndexState(
    String topicId,
    Map<Integer, Long> positions,
    boolean resnapshot,
    boolean lookedBefore,
    BegunSweep begun) {
  static final DatabaseEntry KEY = key("state");

  private static final ObjectMapper JSON = new ObjectMapper();

  public IndexState {
    Objects.requireNonNull(topicId, "topicId");
    positions = Map.copyOf(positions);
  }

  /** Of an index without any row. */
  public static IndexState fresh(String topicId, Map<Integer, Long> positions, boolean resnapshot) {
    return new IndexState(topicId, positions, resnapshot, false, null);
  }

  public IndexState withPositions(Map<Integer, Long> next) {
    return new IndexState(topicId, next, resnapshot, lookedBefore, begun);
  }

  /** The next sweep publishes every record again, from the first on. */
  public IndexState withResnapshot() {
    return new IndexState(topicId, positions, true, lookedBefore, null);
  }

  public IndexState withBegun(BegunSweep next) {
    return new IndexState(topicId, positions, resnapshot, lookedBefore, next);
  }

  /** After a completed sweep. */
  public IndexState looked(boolean forced) {
    return new IndexState(topicId, positions, resnapshot && !forced, true, null);
  }

  byte[] encode() {
    try {
      return JSON.writeValueAsBytes(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("index state cannot be written", e);
    }
  }

  static IndexState decode(byte[] bytes) {
    try {
      return JSON.readValue(bytes, IndexState.class);
    } catch (IOException e) {
      throw new IllegalStateException(
          "index state is damaged; delete the index directory and it is built again", e);
    }
  }

  private static DatabaseEntry key(String name) {
    return new DatabaseEntry(name.getBytes(StandardCharsets.UTF_8));
  }
}
