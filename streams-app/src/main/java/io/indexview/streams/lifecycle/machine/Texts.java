package io.indexview.streams.lifecycle.machine;

import io.indexview.schemas.control.TaskProgress;
import io.indexview.streams.lifecycle.work.RejectedRow;
import io.indexview.streams.lifecycle.work.WorkResult.RowRejected;

/** Bounds texts that come from outside, since they are kept and published many times. */
final class Texts {
  private static final int MAX_LENGTH = 500;

  private Texts() {}

  static String bounded(String text) {
    return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH) + "…";
  }

  static TaskProgress bounded(TaskProgress report) {
    return new TaskProgress(
        report.recordSet(),
        report.partition(),
        report.view(),
        report.generation(),
        report.phase(),
        report.done(),
        report.estimated(),
        report.rows(),
        report.keyBytes(),
        report.failedRecords(),
        bounded(report.reason()),
        report.reportedAtMs());
  }

  static RowRejected bounded(RowRejected letter) {
    RejectedRow row = letter.row();
    return new RowRejected(
        letter.view(),
        letter.generation(),
        letter.letterPartition(),
        letter.letterOffset(),
        new RejectedRow(row.row(), row.partition(), row.offset(), bounded(row.reason())));
  }
}
