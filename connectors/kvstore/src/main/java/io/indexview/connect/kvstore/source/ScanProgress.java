package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.errors.Occurrences;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.control.SourceState.Scan;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How far the scans of one record set are, for the log and for metrics. Written by the task's
 * thread, read by any.
 */
final class ScanProgress {
  private static final Logger LOGGER = LoggerFactory.getLogger(ScanProgress.class);
  private static final long FIRST_LINE_MS = Duration.ofSeconds(10).toMillis();
  private static final long MAX_SILENCE_MS = Duration.ofMinutes(5).toMillis();
  private static final Duration UNDECODABLE_EVERY = Duration.ofMinutes(1);
  private static final double UNKNOWN = Double.NaN;
  private static final double MS_PER_SECOND = 1_000;

  private final String recordSet;
  private final Clock clock;
  private volatile Now now = new Now(Counts.NONE, 0, 0, 0, false);
  private volatile Last last;
  private final AtomicLong scans = new AtomicLong();
  private final AtomicLong events = new AtomicLong();
  private volatile long followedUntil = Long.MIN_VALUE;
  private volatile long changedKeys;
  private final AtomicLong undecodable = new AtomicLong();
  private final Occurrences undecodableLines = new Occurrences(UNDECODABLE_EVERY);
  private final AtomicLong outages = new AtomicLong();
  private Class<?> failure;
  private long failedAt;
  private long lineAt;
  private long silence;

  /**
   * What a scan saw.
   *
   * @param records of the record set
   * @param tableRows passed over
   * @param largeObjects passed over
   */
  record Counts(long records, long tableRows, long largeObjects) {
    static final Counts NONE = new Counts(0, 0, 0);
  }

  /** The scan under way, or the last one of this task. */
  private record Now(
      Counts counts, long seenBefore, long startedAt, long scannedAt, boolean underWay) {}

  private record Last(long records, long startedAt, long endedAt) {}

  /**
   * @param stored the last complete scan of this or an earlier task; null before the first
   */
  ScanProgress(String recordSet, Scan stored, Clock clock) {
    this.recordSet = recordSet;
    this.clock = clock;
    this.last =
        stored == null
            ? null
            : new Last(stored.records(), stored.startedAtMs(), stored.endedAtMs());
  }

  String recordSet() {
    return recordSet;
  }

  /**
   * A scan begins.
   *
   * @param seenBefore records that a task before saw already
   */
  void began(long seenBefore) {
    long startedAt = clock.millis();
    silence = FIRST_LINE_MS;
    lineAt = startedAt + silence;
    now = new Now(new Counts(seenBefore, 0, 0), seenBefore, startedAt, startedAt, true);
  }

  /** The scan under way has come so far. */
  void saw(Counts counts) {
    long scannedAt = clock.millis();
    now = new Now(counts, now.seenBefore(), now.startedAt(), scannedAt, true);
    if (scannedAt >= lineAt) {
      silence = Math.min(2 * silence, MAX_SILENCE_MS);
      lineAt = scannedAt + silence;
      LOGGER.info(
          "Scan under way: recordSet={} records={} ofAbout={} recordsPerSecond={}",
          recordSet,
          counts.records(),
          last == null ? "unknown" : last.records(),
          Math.round(recordsPerSecond()));
    }
  }

  /** The scan under way is over, complete or given up. */
  void ended() {
    now = new Now(now.counts(), now.seenBefore(), now.startedAt(), now.scannedAt(), false);
  }

  /**
   * The source cannot go on, and tries again until it can. An outage has one line, or one more for
   * each other kind of failure in it.
   */
  void failed(RuntimeException cause) {
    if (failure == null) {
      outages.incrementAndGet();
      failedAt = clock.millis();
    }
    if (!cause.getClass().equals(failure)) {
      failure = cause.getClass();
      LOGGER.warn(
          "The source cannot go on, and tries again until it can: recordSet={} cause={}",
          recordSet,
          cause.getMessage());
      LOGGER.debug("The failure in full", cause);
    }
  }

  /** The source has done what it failed to do, if it failed. */
  void goesOn() {
    if (failure != null) {
      failure = null;
      LOGGER.info("Goes on: recordSet={} afterMs={}", recordSet, clock.millis() - failedAt);
    }
  }

  /** The scan is over, but Kafka will never have all of its events. */
  void incomplete(String problem) {
    LOGGER.warn("A scan is not complete: {}", problem);
  }

  /** The scan is complete, and Kafka has its events. */
  void completed(Scan scan, long published) {
    goesOn();
    Last before = last;
    last = new Last(scan.records(), scan.startedAtMs(), scan.endedAtMs());
    scans.incrementAndGet();
    events.addAndGet(published);
    Counts counts = now.counts();
    if (published > 0 || before == null) {
      LOGGER.info(
          "Scan complete: recordSet={} number={} records={} events={} adHoc={} ms={}"
              + " recordsPerSecond={} skippedTableRows={} skippedLargeObjects={} undecodable={}",
          recordSet,
          scan.number(),
          scan.records(),
          published,
          scan.adHoc(),
          scan.endedAtMs() - scan.startedAtMs(),
          Math.round(recordsPerSecond()),
          counts.tableRows(),
          counts.largeObjects(),
          undecodable.get());
    }
  }

  /**
   * Changes were followed so far.
   *
   * @param untilMs every change that was made before is on the topic, ms since the epoch
   * @param keys that were read so far, as changes named them
   */
  void followed(long untilMs, long keys) {
    followedUntil = untilMs;
    changedKeys = keys;
  }

  /**
   * A record went to the dead-letter topic. There may be as many as there are records, so that the
   * log has not each of them.
   *
   * @param reason what is wrong with it, and what helps
   */
  void undecodable(SourceVersion version, String reason) {
    undecodable.incrementAndGet();
    long telling = undecodableLines.occurred(clock.millis());
    if (telling > 0) {
      LOGGER.warn(
          "Records cannot be used and go to the dead-letter topic:"
              + " recordSet={} records={} soFar={} last: version={} reason={}",
          recordSet,
          telling,
          undecodable.get(),
          version,
          reason);
    }
  }

  /**
   * Rate of the scan under way, or of the last one; NaN before the first, and while none is
   * measured.
   */
  double recordsPerSecond() {
    Now seen = now;
    long ms = seen.scannedAt() - seen.startedAt();
    return ms <= 0 ? UNKNOWN : (seen.counts().records() - seen.seenBefore()) * MS_PER_SECOND / ms;
  }

  /** Share of the records that the scan under way has seen, by the last one's count; else NaN. */
  double position() {
    Now seen = now;
    Last before = last;
    if (!seen.underWay() || before == null) {
      return UNKNOWN;
    }
    return Math.min(1, seen.counts().records() / (double) Math.max(1, before.records()));
  }

  /** Time since the end of the last complete scan, in ms; NaN before the first. */
  double lastScanAge() {
    Last before = last;
    return before == null ? UNKNOWN : Math.max(0, clock.millis() - before.endedAt());
  }

  /**
   * Time since when every change is known to be on the topic, by a scan or by the changes that were
   * followed since, in ms; NaN while none is.
   */
  double provenAge() {
    Last before = last;
    return before == null
        ? UNKNOWN
        : Math.max(0, clock.millis() - Math.max(before.startedAt(), followedUntil));
  }

  /** Keys that this task read as changes named them. */
  long changedKeys() {
    return changedKeys;
  }

  /** What the scan under way, or the last one, saw. */
  Counts counts() {
    return now.counts();
  }

  /** Complete ones of this task. */
  long scans() {
    return scans.get();
  }

  /** Differences that complete scans of this task published. */
  long events() {
    return events.get();
  }

  /** How often this task could not go on. */
  long outages() {
    return outages.get();
  }

  /** Records that went to the dead-letter topic, in this task. */
  long undecodableRecords() {
    return undecodable.get();
  }
}
