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
 * @param snapshot the ad-hoc snapshot that comes next; null: none
 * @param lookedBefore a sweep over this index was completed
 * @param begun the sweep that is not complete yet; null: none was begun
 */
public record SweptIndexState(
    String topicId,
    Map<Integer, Long> positions,
    AwaitedSnapshot snapshot,
    boolean lookedBefore,
    BegunSweep begun)
    implements IndexState<SweptIndexState> {
  public SweptIndexState {
    Objects.requireNonNull(topicId, "topicId");
    positions = Map.copyOf(positions);
  }

  /**
   * An ad-hoc snapshot that was not made yet.
   *
   * @param sinceMs ms since the epoch
   * @param reason why what was published may be wrong until then; null: it was asked for
   */
  public record AwaitedSnapshot(long sinceMs, String reason) {}

  /** Opens the index of a record set, or creates an empty one; see {@link FoldedIndex#open}. */
  public static FoldedIndex<SweptIndexState> openIndex(Path directory) {
    return FoldedIndex.open(directory, SweptIndexState.class);
  }

  /** Of an index without any row. */
  public static SweptIndexState fresh(
      String topicId, Map<Integer, Long> positions, AwaitedSnapshot snapshot) {
    return new SweptIndexState(topicId, positions, snapshot, false, null);
  }

  @Override
  public SweptIndexState withPositions(Map<Integer, Long> next) {
    return new SweptIndexState(topicId, next, snapshot, lookedBefore, begun);
  }

  /** The next sweep publishes every record again, from the first on. */
  public SweptIndexState withSnapshot(AwaitedSnapshot next) {
    return new SweptIndexState(topicId, positions, next, lookedBefore, null);
  }

  public SweptIndexState withBegun(BegunSweep next) {
    return new SweptIndexState(topicId, positions, snapshot, lookedBefore, next);
  }

  /** After a completed sweep. */
  public SweptIndexState looked(boolean forced) {
    return new SweptIndexState(topicId, positions, forced ? null : snapshot, true, null);
  }
}
