package io.indexview.streams.health;

import io.indexview.streams.health.AppMetrics.ViewCounters;
import io.indexview.streams.health.AppMetrics.ViewKey;

/** What one task does with a generation; closed when it no longer does so. */
public final class ViewMeter implements AutoCloseable {
  private final ViewCounters counters;
  private final AppMetrics metrics;
  private final ViewKey key;

  ViewMeter(ViewCounters counters, AppMetrics metrics, ViewKey key) {
    this.counters = counters;
    this.metrics = metrics;
    this.key = key;
  }

  /** Counts rows that were emitted. */
  public void count(long upserts, long deletes) {
    counters.count(upserts, deletes);
  }

  /** Replaces what was shown before; not to be called after {@link #close}. */
  public void show(ViewFigures figures) {
    counters.show(this, figures);
  }

  @Override
  public void close() {
    metrics.leave(key, this);
  }

  /**
   * Where one task, or all of a process together, are with a generation.
   *
   * @param recordsDone primary records that it was built from
   * @param recordsEstimated primary records there are, about
   * @param rows that stand
   * @param keyBytes of their keys
   * @param failedRecords that have no rows because they cannot be derived
   */
  public record ViewFigures(
      long recordsDone, long recordsEstimated, long rows, long keyBytes, long failedRecords) {
    public static final ViewFigures NONE = new ViewFigures(0, 0, 0, 0, 0);

    ViewFigures plus(ViewFigures other) {
      return new ViewFigures(
          recordsDone + other.recordsDone,
          recordsEstimated + other.recordsEstimated,
          rows + other.rows,
          keyBytes + other.keyBytes,
          failedRecords + other.failedRecords);
    }
  }
}
