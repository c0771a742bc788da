package io.indexview.streams.controller.rules;

import io.indexview.schemas.control.EventsLost;

/**
 * What is remembered of a record set that lost events, or is hindered.
 *
 * @param sinceMs when that was found, ms since the epoch
 * @param reason empty: every record was published again since
 * @param wholeAtMs when the sources last began to publish every record again, ms since the epoch
 * @param hindrance what may make records wrong for as long as it stands; empty: nothing
 * @param stateLostAtMs when it was last found that the app forgot records, ms since the epoch
 */
public record RecordSetLoss(
    long sinceMs, String reason, long wholeAtMs, String hindrance, long stateLostAtMs) {
  public static final RecordSetLoss NONE = new RecordSetLoss(0, "", 0, "", 0);

  /** Whether the app forgot records that did not come again. */
  public boolean isForgotten() {
    return stateLostAtMs > wholeAtMs;
  }

  /** After a loss that is reported, maybe once more. */
  public RecordSetLoss after(EventsLost loss) {
    RecordSetLoss broken = broken(loss.foundAtMs(), loss.reason());
    return loss.ofState()
        ? new RecordSetLoss(
            broken.sinceMs,
            broken.reason,
            wholeAtMs,
            hindrance,
            Math.max(stateLostAtMs, loss.foundAtMs()))
        : broken;
  }

  /** The same if what was lost has come again since, or a later loss is known. */
  public RecordSetLoss broken(long foundMs, String why) {
    return foundMs <= Math.max(sinceMs, wholeAtMs)
        ? this
        : new RecordSetLoss(foundMs, why, wholeAtMs, hindrance, stateLostAtMs);
  }

  public RecordSetLoss whole(long atMs) {
    return new RecordSetLoss(
        sinceMs,
        atMs >= sinceMs ? "" : reason,
        Math.max(atMs, wholeAtMs),
        hindrance,
        stateLostAtMs);
  }

  public RecordSetLoss hindered(String by) {
    return new RecordSetLoss(sinceMs, reason, wholeAtMs, Reasons.bounded(by), stateLostAtMs);
  }
}
