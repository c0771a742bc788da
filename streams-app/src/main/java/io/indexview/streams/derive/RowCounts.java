package io.indexview.streams.derive;

import java.util.Objects;

/**
 * What stands of a view in one partition.
 *
 * @param keyBytes of the rows' keys as they are published
 * @param failedRecords that have no rows because they cannot be derived
 * @param reason of one of them; empty if there is none
 */
public record RowCounts(long rows, long keyBytes, long failedRecords, String reason) {
  public static final RowCounts NONE = new RowCounts(0, 0, 0, "");

  private static final int MAX_REASON = 500;

  public RowCounts {
    Objects.requireNonNull(reason, "reason");
  }

  /** When the rows of one record become others; the same object if that changes nothing. */
  RowCounts after(DerivedRows before, DerivedRows after) {
    long moreRows = after.rows().size() - (long) before.rows().size();
    long moreBytes = after.keyBytes() - before.keyBytes();
    if (moreRows == 0 && moreBytes == 0 && before.isFailed() == after.isFailed()) {
      return this;
    }
    long failed = failedRecords + (after.isFailed() ? 1 : 0) - (before.isFailed() ? 1 : 0);
    return new RowCounts(rows + moreRows, keyBytes + moreBytes, failed, reason(failed, after));
  }

  private String reason(long failed, DerivedRows after) {
    if (failed == 0) {
      return "";
    }
    return after.isFailed() ? shorten(String.valueOf(after.failure().getMessage())) : reason;
  }

  private static String shorten(String text) {
    return text.length() <= MAX_REASON ? text : text.substring(0, MAX_REASON) + "…";
  }
}
