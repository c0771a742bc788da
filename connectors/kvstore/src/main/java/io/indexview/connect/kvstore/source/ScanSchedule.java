package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.source.Requests;
import io.indexview.connect.common.source.ScanAnswers;
import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
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
  private final Timer rest;

  /** Rest that is shortened by a gap in the changes. */
  private final Timer shortRest;

  private final Time time;
  private Duration pause;

  /** Begin of the scan, as of {@link System#nanoTime}. */
  private long begunAt;

  private Optional<Duration> lastLength = Optional.empty();

  ScanSchedule(SourceSettings settings, FollowedChanges changes, Requests requests, Time time) {
    this.pauses = settings.scan().pauses();
    this.changes = changes;
    this.answers = new ScanAnswers(() -> requests.newestScan(settings.recordSet().topic()));
    this.time = time;
    this.rest = new Timer(time);
    this.shortRest = new Timer(time);
    this.pause = pauses.maxInterval();
  }

  /** The next scan is not to wait. */
  void dueNow() {
    rest.reset(Duration.ZERO);
  }

  /**
   * Whether a scan is due.
   *
   * @param offset tells of the last complete scan
   * @param awaited whether it has to publish every record
   */
  boolean isDue(KvStoreSourceOffset offset, boolean awaited) {
    // What kept a scan from being complete would keep the next one, too.
    if (offset.lastScan() != null
        && offset.problem() == null
        && answers.isAsked(unlessToCome(offset.lastScan().startedAtMs()))) {
      return true;
    }
    if (changes.wantsScan()) {
      return rest.isExpired() || shortRest.isExpired();
    }
    return rest.isExpired()
        && (awaited
            || offset.lastScan() == null
            || offset.problem() != null
            || !changes.standsForScan(pause, offset.lastScan().endedAtMs()));
  }

  /** A time of before the clock was set back says nothing: a request since then is earlier. */
  private long unlessToCome(long timeMs) {
    return timeMs > time.millis() ? 0 : timeMs;
  }

  /** What was published is read first; its time counts as that of the scan. */
  void catchesUp() {
    begunAt = time.nanoTime();
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
  void ended(boolean foundNothing) {
    Duration length = Duration.ofNanos(time.nanoTime() - begunAt);
    rest(foundNothing ? pauses.afterNothing(length, lastLength) : pauses.afterNews());
    lastLength = Optional.of(length);
  }

  /** A scan was not complete. */
  void cutShort() {
    rest(pauses.afterNews());
  }

  private void rest(Duration length) {
    pause = length;
    rest.reset(length);
    shortRest.reset(pauses.interval());
  }

  /** How long it is to the next scan at least; none: it is due, or only changes put it off. */
  Optional<Duration> toNext() {
    return rest.isExpired() ? Optional.empty() : Optional.of(rest.remaining());
  }
}
