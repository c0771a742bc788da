package io.indexview.streams.health;

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
