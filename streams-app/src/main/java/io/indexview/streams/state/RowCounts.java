package io.indexview.streams.state;

import io.indexview.schemas.control.ReasonText;
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

  /**
   * When the rows of one record become others; the same object if that changes nothing.
   *
   * @param moreFailed 1: the record cannot be derived any more; -1: it can again
   * @param failure why it cannot be derived now; null: it can
   */
  public RowCounts plus(long moreRows, long moreKeyBytes, int moreFailed, String failure) {
    if (moreRows == 0 && moreKeyBytes == 0 && moreFailed == 0) {
      return this;
    }
    long failed = failedRecords + moreFailed;
    String why =
        failed == 0 ? "" : failure == null ? reason : ReasonText.bounded(failure, MAX_REASON);
    return new RowCounts(rows + moreRows, keyBytes + moreKeyBytes, failed, why);
  }
}
