package io.indexview.streams.derive;

import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.PurgeProgress;
import io.indexview.schemas.control.RepairProgress;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.streams.generation.FrozenGeneration;

/** Where a task puts what it makes of records, in one transaction with its state. */
public interface TaskOutput {

  /**
   * @param key in the wire format
   * @param value in the wire format; null deletes the row
   * @param timestampMs record time of the change, ms since the epoch
   */
  void row(FrozenGeneration generation, byte[] key, byte[] value, long revision, long timestampMs);

  /**
   * @param about the record that something is wrong with
   */
  void deadLetter(ChangeRecord about, DeadLetterReason problem);

  /** A report for the controller. */
  void report(TaskProgress progress);

  /** A report that the records of the record set may be wrong. */
  void report(EventsLost loss);

  /** A report for those who wait for the end of an ad-hoc snapshot. */
  void report(PurgeProgress progress);

  /** A report for those who wait for a repair. */
  void report(RepairProgress progress);
}
