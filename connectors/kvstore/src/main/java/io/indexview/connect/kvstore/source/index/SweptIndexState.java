package io.indexview.connect.kvstore.source.index;

import io.indexview.connect.common.index.FoldedIndex;
import io.indexview.connect.common.index.IndexState;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/**
 * What the index of a record set knows beside its rows.
 *
 * @param topicId Kafka's id of the topic that was folded
 * @param positions offset to fold next, per partition
 * @param resnapshot the topic did not tell everything: the next sweep publishes every record again
 * @param lookedBefore a sweep over this index was completed
 * @param begun the sweep that is not complete yet; null: none was begun
 */
public record SweptIndexState(
    String topicId,
    Map<Integer, Long> positions,
    boolean resnapshot,
    boolean lookedBefore,
    BegunSweep begun)
    implements IndexState<SweptIndexState> {
  public SweptIndexState {
    Objects.requireNonNull(topicId, "topicId");
    positions = Map.copyOf(positions);
  }

  /** Opens the index of a record set, or creates an empty one; see {@link FoldedIndex#open}. */
  public static FoldedIndex<SweptIndexState> openIndex(Path directory) {
    return FoldedIndex.open(directory, SweptIndexState.class);
  }

  /** Of an index without any row. */
  public static SweptIndexState fresh(
      String topicId, Map<Integer, Long> positions, boolean resnapshot) {
    return new SweptIndexState(topicId, positions, resnapshot, false, null);
  }

  @Override
  public SweptIndexState withPositions(Map<Integer, Long> next) {
    return new SweptIndexState(topicId, next, resnapshot, lookedBefore, begun);
  }

  /** The next sweep publishes every record again, from the first on. */
  public SweptIndexState withResnapshot() {
    return new SweptIndexState(topicId, positions, true, lookedBefore, null);
  }

  public SweptIndexState withBegun(BegunSweep next) {
    return new SweptIndexState(topicId, positions, resnapshot, lookedBefore, next);
  }

  /** After a completed sweep. */
  public SweptIndexState looked(boolean forced) {
    return new SweptIndexState(topicId, positions, resnapshot && !forced, true, null);
  }
}
