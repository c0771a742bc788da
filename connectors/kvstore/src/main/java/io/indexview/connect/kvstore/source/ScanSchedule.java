package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.source.Requests;
import io.indexview.connect.common.source.ScanAnswers;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/**
 * When the next scan is due: after a pause, which changes that are followed make longer, and a gap
 * in them shorter; and when somebody asks for one. For one thread.
 */
final class ScanSchedule {
  private final ScanPauses pauses;
  private final FollowedChanges changes;
  private final ScanAnswers answers;
  private final Clock clock;
  private Duration pause;
  private long restsSince;
  private long nextAt;
  private Optional<Duration> lastLength = Optional.empty();

  ScanSchedule(SourceSettings settings, FollowedChanges changes, Requests requests, Clock clock) {
    this.pauses = settings.scan().pauses();
    this.changes = changes;
    this.answers = new ScanAnswers(() -> requests.newestScan(settings.recordSet().topic()));
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
    // What kept a scan from being complete would keep the next one, too.
    if (offset.lastScan() != null
        && offset.problem() == null
        && answers.isAsked(offset.lastScan().startedAt())) {
      return true;
    }
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
   * A scan begins.
   *
   * @param resumed it goes on from where an earlier task came to
   */
  void begins(boolean resumed) {
    changes.scanBegins(resumed);
    if (!resumed) {
      answers.begins();
    }
  }

  /** Kafka has everything that the scan found. */
  void completed() {
    changes.reads().scanned();
    answers.completed();
  }

  /** See {@link ScanAnswers#answered}. */
  long answered() {
    return answers.answered();
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
