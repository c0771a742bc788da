package io.indexview.connect.kvstore.source.index;

import io.indexview.connect.common.index.IndexedTopic.IndexState;
import io.indexview.connect.common.index.MaterializedIndex;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/**
 * What the index of a record set knows beside its rows.
 *
 * @param topicId Kafka's id of the topic that was materialized
 * @param positions offset to materialize next, per partition
 * @param snapshot the ad-hoc snapshot that comes next; null: none
 * @param scannedBefore a scan over this index was completed
 * @param begun the scan that is not complete yet; null: none was begun
 * @param rereadOwed keys are to be read again that no change of the store names: a task that is
 *     restarted does not know them, and scans
 */
public record ScannedIndexState(
    String topicId,
    Map<Integer, Long> positions,
    AwaitedSnapshot snapshot,
    boolean scannedBefore,
    BegunScan begun,
    boolean rereadOwed)
    implements IndexState<ScannedIndexState> {
  public ScannedIndexState {
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

  /**
   * Opens the index of a record set, or creates an empty one; see {@link MaterializedIndex#open}.
   */
  public static MaterializedIndex<ScannedIndexState> openIndex(Path directory) {
    return MaterializedIndex.open(directory, ScannedIndexState.class);
  }

  /** State of an index without any row. */
  public static ScannedIndexState fresh(
      String topicId, Map<Integer, Long> positions, AwaitedSnapshot snapshot) {
    return new ScannedIndexState(topicId, positions, snapshot, false, null, false);
  }

  @Override
  public ScannedIndexState withPositions(Map<Integer, Long> next) {
    return new ScannedIndexState(topicId, next, snapshot, scannedBefore, begun, rereadOwed);
  }

  /** The next scan publishes every record again, from the first on. */
  public ScannedIndexState withSnapshot(AwaitedSnapshot next) {
    return new ScannedIndexState(topicId, positions, next, scannedBefore, null, rereadOwed);
  }

  public ScannedIndexState withBegun(BegunScan next) {
    return new ScannedIndexState(topicId, positions, snapshot, scannedBefore, next, rereadOwed);
  }

  /** Returns the state after a completed scan. */
  public ScannedIndexState scanned(boolean adHoc) {
    return new ScannedIndexState(
        topicId, positions, adHoc ? null : snapshot, true, null, rereadOwed);
  }

  public ScannedIndexState withRereadOwed(boolean owed) {
    return new ScannedIndexState(topicId, positions, snapshot, scannedBefore, begun, owed);
  }
}
