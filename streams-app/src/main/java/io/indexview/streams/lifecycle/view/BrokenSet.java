package io.indexview.streams.lifecycle.view;

import java.util.Objects;

/**
 * What is remembered of a record set that lost events.
 *
 * @param sinceMs when that was found, ms since the epoch
 * @param reason empty: every record was published again since
 * @param wholeAtMs when the sources last began to publish every record again, ms since the epoch
 */
public record BrokenSet(long sinceMs, String reason, long wholeAtMs) {
  public static final BrokenSet NONE = new BrokenSet(0, "", 0);

  public BrokenSet {
    Objects.requireNonNull(reason, "reason");
  }

  public boolean isBroken() {
    return !reason.isEmpty();
  }

  /** The same if what was lost has come again since. */
  public BrokenSet broken(long foundMs, String why) {
    return foundMs <= wholeAtMs ? this : new BrokenSet(foundMs, why, wholeAtMs);
  }

  public BrokenSet whole(long atMs) {
    return new BrokenSet(sinceMs, atMs >= sinceMs ? "" : reason, Math.max(atMs, wholeAtMs));
  }
}
