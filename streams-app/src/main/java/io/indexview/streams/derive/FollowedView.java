package io.indexview.streams.derive;

import io.indexview.streams.derive.ReaderGroup.Derived;
import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.streams.health.ViewMeter;
import io.indexview.streams.state.RowCounts;
import io.indexview.views.derive.Delta;
import io.indexview.views.derive.ViewRow;
import java.util.Arrays;
import java.util.List;

/**
 * A generation as one task writes it: which records it follows the changes of, and what stands. A
 * record that it does not follow yet has no rows; a build will come by. Not safe for use by several
 * threads.
 */
public final class FollowedView {
  private final FrozenGeneration frozen;
  private final ViewMeter meter;
  private boolean all;
  private byte[] last;
  private final Runnable onCount;
  private RowCounts counts;

  /**
   * Follows nothing yet.
   *
   * @param counts what stands
   * @param onCount called after every change of the counts, to save them
   */
  public FollowedView(
      FrozenGeneration frozen, ViewMeter meter, RowCounts counts, Runnable onCount) {
    this.frozen = frozen;
    this.meter = meter;
    this.counts = counts;
    this.onCount = onCount;
  }

  public FrozenGeneration frozen() {
    return frozen;
  }

  public RowCounts counts() {
    return counts;
  }

  /** Limits the view to records up to and including this key; null: none. Keys are not copied. */
  public void followUpTo(byte[] key) {
    all = false;
    last = key;
  }

  public void followAll() {
    all = true;
    last = null;
  }

  /** Whether it follows a record; keys are ordered as unsigned bytes, like those of the state. */
  boolean follows(byte[] key) {
    return all || (last != null && Arrays.compareUnsigned(key, last) <= 0);
  }

  /** Counts what became of the rows of a record. */
  void count(Derived<List<ViewRow>> before, Derived<List<ViewRow>> after, Delta emitted) {
    meter.count(emitted.upserts().size(), emitted.deletes().size());
    RowCounts next =
        counts.plus(
            after.value().size() - (long) before.value().size(),
            keyBytes(after.value()) - keyBytes(before.value()),
            (after.isFailed() ? 1 : 0) - (before.isFailed() ? 1 : 0),
            after.isFailed() ? String.valueOf(after.failure().getMessage()) : null);
    if (next != counts) {
      counts = next;
      onCount.run();
    }
  }

  /** Counts rows that were emitted once more, and deletions of rows that did not stand. */
  void countAnew(int upserts, int deletes) {
    meter.count(upserts, deletes);
  }

  /** Bytes of the keys as they are published. */
  private static long keyBytes(List<ViewRow> rows) {
    long bytes = 0;
    for (int i = 0; i < rows.size(); i++) {
      bytes += ViewRow.HEADER_BYTES + rows.get(i).keyBody().length;
    }
    return bytes;
  }
}
