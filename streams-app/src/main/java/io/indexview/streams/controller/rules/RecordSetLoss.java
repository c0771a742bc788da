package io.indexview.streams.controller.rules;

/**
 * What is remembered of a record set that lost events, or is hindered.
 *
 * @param sinceMs when that was found, ms since the epoch
 * @param reason empty: every record was published again since
 * @param wholeAtMs when the sources last began to publish every record again, ms since the epoch
 * @param hindrance what may make records wrong for as long as it stands; empty: nothing
 */
public record RecordSetLoss(long sinceMs, String reason, long wholeAtMs, String hindrance) {
  public static final RecordSetLoss NONE = new RecordSetLoss(0, "", 0, "");

  /** The same if what was lost has come again since, or a later loss is known. */
  public RecordSetLoss broken(long foundMs, String why) {
    return foundMs <= Math.max(sinceMs, wholeAtMs)
        ? this
        : new RecordSetLoss(foundMs, why, wholeAtMs, hindrance);
  }

  public RecordSetLoss whole(long atMs) {
    return new RecordSetLoss(
        sinceMs, atMs >= sinceMs ? "" : reason, Math.max(atMs, wholeAtMs), hindrance);
  }

  public RecordSetLoss hindered(String by) {
    return new RecordSetLoss(sinceMs, reason, wholeAtMs, Reasons.bounded(by));
  }
}
