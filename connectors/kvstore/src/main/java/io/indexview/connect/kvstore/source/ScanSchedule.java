package io.indexview.connect.kvstore.source;

import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/**
 * When the next scan is due: after a pause, which changes that are followed make longer, and a gap
 * in them shorter. For one thread.
 */
final class ScanSchedule {
  private final ScanPauses pauses;
  private final FollowedChanges changes;
  private final Clock clock;
  private Duration pause;
  private long restsSince;
  private long nextAt;
  private Optional<Duration> lastLength = Optional.empty();

  ScanSchedule(ScanPauses pauses, FollowedChanges changes, Clock clock) {
    this.pauses = pauses;
    this.changes = changes;
    this.clock = clock;
    this.pause = pauses.maxInterval();
  }

  /** The next scan is not to wait. */
  void dueNow() {
    nextAt = clock.millis();
  }

  /**
   * Whether a scan is due.
   *
   * @param offset tells of the last complete scan
   * @param awaited whether it has to publish every record
   */
  boolean isDue(KvStoreSourceOffset offset, boolean awaited) {
    long now = clock.millis();
    if (changes.wantsScan()) {
      return now >= Math.min(nextAt, restsSince + pauses.interval().toMillis());
    }
    return now >= nextAt
        && (awaited
            || offset.lastScan() == null
            || offset.problem() != null
            || !changes.standsForScan(pause, offset.lastScan().endedAt()));
  }

  /**
   * A scan is complete.
   *
   * @param foundNothing no difference
   */
  void ended(Duration length, boolean foundNothing) {
    rest(foundNothing ? pauses.afterNothing(length, lastLength) : pauses.afterNews());
    lastLength = Optional.of(length);
  }

  /** A scan was not complete. */
  void cutShort() {
    rest(pauses.afterNews());
  }

  private void rest(Duration time) {
    pause = time;
    restsSince = clock.millis();
    nextAt = restsSince + time.toMillis();
  }

  /** How long it is to the next scan at least; none: it is due, or only changes put it off. */
  Optional<Duration> toNext() {
    long time = nextAt - clock.millis();
    return time > 0 ? Optional.of(Duration.ofMillis(time)) : Optional.empty();
  }
}
