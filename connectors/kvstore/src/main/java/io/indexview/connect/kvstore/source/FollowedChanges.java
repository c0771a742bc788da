package io.indexview.connect.kvstore.source;

import io.indexview.connect.kvstore.config.CaptureFragment.CaptureMode;
import io.indexview.connect.kvstore.source.ChangeFeed.Polled;
import io.indexview.connect.kvstore.source.KvStoreSourceOffset.FollowedTo;
import io.indexview.connect.kvstore.source.SourceSettings.CaptureSettings;
import io.indexview.connect.kvstore.source.index.BegunScan;
import io.indexview.kvstore.KvChangePosition;
import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.SourceRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether and from where a record set's changes are followed in its store, and what that spares in
 * scans. For one thread.
 */
final class FollowedChanges implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(FollowedChanges.class);

  /**
   * Proofs come every second or so. A store whose shard gets another master gives none for some
   * seconds, and names then what changed meanwhile; to read everything for that is not worth it.
   */
  static final Duration MIN_PAUSE = Duration.ofSeconds(15);

  private final SourceSettings settings;
  private final CaptureSettings capture;
  private final SnapshotReadMapper mapper;
  private final Opener opener;
  private final ChangeReads reads;
  private final MaterializedTopic topic;
  private final String keys;
  private final String values;
  private final Time time;
  private final Queue<SourceRecord> pending = new ArrayDeque<>();
  private final Set<SourceRecord> sent =
      Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
  private ChangeFeed feed;
  private boolean begun;
  private int indexNumber;
  private String unsupported = "";
  private boolean gapFound;

  /** Time of the failure by the wall clock, like that of proofs; ms since the epoch. */
  private long failedAt;

  /**
   * Time at which changes were followed again, as of {@link System#nanoTime}; null: nobody knows
   * what was named before.
   */
  private Long resumedAt;

  /** Begins to follow changes. */
  @FunctionalInterface
  interface Opener {
    /**
     * @param from empty: from now on
     */
    ChangeFeed open(Optional<KvChangePosition> from);
  }

  FollowedChanges(
      SourceSettings settings,
      Opener opener,
      ChangeReads reads,
      SnapshotReadMapper mapper,
      MaterializedTopic topic,
      Time time) {
    this.settings = settings;
    this.capture = settings.capture();
    this.keys = settings.keys();
    this.values = settings.values();
    this.mapper = mapper;
    this.opener = opener;
    this.reads = reads;
    this.topic = topic;
    this.time = time;
  }

  /**
   * Takes what came, and begins to follow if that was not begun. The topic is followed by then.
   *
   * @param stored what Connect has stored
   * @throws ConnectException if the store cannot tell changes, and scans are no choice
   */
  void follow(KvStoreSourceOffset stored) {
    if (capture.mode() == CaptureMode.SCAN) {
      return;
    }
    if (!begun) {
      begun = true;
      indexNumber = topic.indexNumber();
      begin(stored);
    }
    if (indexNumber != topic.indexNumber()) {
      indexNumber = topic.indexNumber();
      reads.forget();
    }
    if (feed != null) {
      if (reads.take(feed) && !gapFound) {
        gapFound = true;
        // The first scan is due in any case.
        if (topic.scannedBefore()) {
          LOGGER.info(
              "Changes may be missing, a scan finds them: recordSet={}",
              settings.recordSet().name());
        }
      }
      if (feed.isUnsupported()) {
        endUnsupported();
      }
    }
    reads.advance();
  }

  private void begin(KvStoreSourceOffset stored) {
    FollowedTo known = stored.followedTo();
    boolean goesOn =
        known != null
            && known.scope().equals(keys)
            && topic.scannedBefore()
            && topic.id().equals(stored.topicId());
    // What could not be read otherwise may be readable now, which only a scan finds.
    boolean scanned = goesOn && values.equals(known.values());
    String from = goesOn ? known.position() : scanBegunFrom();
    Optional<KvChangePosition> position = Optional.ofNullable(from).map(KvChangePosition::parse);
    reads.goesOnFrom(position.orElse(null), scanned);
    resumedAt = scanned ? time.nanoTime() : null;
    feed = opener.open(position);
  }

  /** Where a scan was begun that goes on now; null: there is none. */
  private String scanBegunFrom() {
    return topic
        .begun()
        .filter(scan -> !scan.adHoc() && scan.scope().equals(settings.scope()))
        .map(BegunScan::changesFrom)
        .orElse(null);
  }

  private void endUnsupported() {
    String reason = feed.problem();
    feed.close();
    feed = null;
    if (capture.mode() == CaptureMode.SUBSCRIPTION) {
      throw new ConnectException(
          "capture.mode=subscription: the changes of the store cannot be followed: %s Or use capture.mode=auto, which scans then"
              .formatted(reason));
    }
    if (!reason.equals(unsupported)) {
      LOGGER.warn("Changes are not followed, scans find them: scope={} cause={}", keys, reason);
    }
    unsupported = reason;
  }

  /**
   * The index materializes an event.
   *
   * @param applied whether it counts
   */
  void materialized(byte[] key, Entry before, ChangeEvent event, boolean applied) {
    if (capture.mode() != CaptureMode.SCAN && (feed != null || !begun)) {
      reads.materialized(settings.recordSet(), key, before, event, applied);
    }
  }

  /** Reads what changes name; what differs is sent, see {@link #drain}. */
  void read(KvStoreSourceOffset stored) {
    int budget = settings.scan().batchSize() - pending.size();
    if (budget > 0) {
      Map<String, Object> unchanged = stored.toMap();
      KeyComparison comparison =
          new KeyComparison(
              settings.recordSet(),
              settings.scan().incarnation(),
              false,
              stored.lastScan() == null);
      pending.addAll(
          reads.read(
              budget, comparison, difference -> mapper.map(difference, unchanged, time.millis())));
    }
  }

  /** Adds what is to be sent to a batch, up to its size. */
  void drain(List<SourceRecord> batch) {
    while (batch.size() < settings.scan().batchSize() && !pending.isEmpty()) {
      SourceRecord record = pending.remove();
      sent.add(record);
      batch.add(record);
    }
  }

  /**
   * A scan passed a key over; a task that dies before it has read it scans.
   *
   * @return whether it is read again
   */
  boolean passedOver(String key) {
    if (feed == null) {
      return false;
    }
    reads.doubt(key);
    if (!topic.rereadOwed()) {
      topic.oweReread(true);
    }
    return true;
  }

  /** A scan sends an event. */
  void sent(SourceRecord event) {
    if (feed != null) {
      reads.sent(event);
    }
  }

  /** The source could not go on; what it waited for may not be the changes. */
  void failed() {
    failedAt = time.millis();
  }

  /** Whether everything is known to have been named since the source failed last. */
  boolean hasProvenSinceFailure() {
    // The clock may have been set back since: no proof would be later.
    failedAt = Math.min(failedAt, time.millis());
    return feed != null && reads.provenAt() > failedAt;
  }

  /** Kafka has a record; whether it came from here. For any thread. */
  boolean acknowledged(SourceRecord record) {
    return sent.remove(record);
  }

  /** A scan is due; a store that could not tell changes is asked again. */
  void tryAgain() {
    if (capture.mode() != CaptureMode.SCAN && begun && feed == null) {
      reads.goesOnFrom(null, false);
      feed = opener.open(Optional.empty());
    }
  }

  /** Whether a scan that begins now may miss to see the changes followed, which it soon could. */
  boolean isOpening() {
    return feed != null && feed.isOpening();
  }

  boolean isFollowing() {
    return feed != null;
  }

  /** A scan begins; see {@link ChangeReads#scanBegins}. */
  void scanBegins(boolean resumed) {
    reads.scanBegins(resumed);
    gapFound = false;
  }

  /** Where the changes are while a scan begins, as text; null: they are not followed. */
  String scanBeginsFrom() {
    return feed == null || reads.taken() == null ? null : reads.taken().toText();
  }

  /** Whether a gap was found that only a scan closes, which did not begin since. */
  boolean wantsScan() {
    return gapFound;
  }

  /**
   * Whether the changes make up for a scan that would be due.
   *
   * @param pause that scans would have made
   * @param lastScan end of the last complete scan, ms since the epoch
   */
  boolean standsForScan(Duration pause, long lastScan) {
    if (feed == null || !reads.isCovered()) {
      return false;
    }
    Duration rest = pause.compareTo(MIN_PAUSE) > 0 ? pause : MIN_PAUSE;
    // Who is behind with what is named would only be farther behind with a scan.
    return isNamedSince(rest) && isSince(capture.scanInterval(), lastScan);
  }

  private boolean isNamedSince(Duration age) {
    return isSince(age, reads.namedUntil())
        || resumedAt != null && time.nanoTime() - resumedAt < TimeUnit.NANOSECONDS.convert(age);
  }

  /**
   * Whether less than this age has passed since a time. A time in the future is from before the
   * clock was set back, and does not count.
   */
  private boolean isSince(Duration age, long pastMs) {
    long passed = time.millis() - pastMs;
    return passed >= 0 && passed < age.toMillis();
  }

  /** What to keep of it once everything that was sent is in Kafka; null: nothing. */
  FollowedTo followedTo() {
    return feed == null
        ? null
        : reads.position().map(to -> new FollowedTo(keys, values, to.toText())).orElse(null);
  }

  /** What source-states says of it; empty: changes are not to be followed. */
  Optional<SourceState.ChangeFeed> state() {
    if (capture.mode() == CaptureMode.SCAN) {
      return Optional.empty();
    }
    boolean isProven = reads.provenAt() != Polled.NOT_PROVEN;
    String problem = feed == null ? unsupported : feed.problem();
    return Optional.of(
        new SourceState.ChangeFeed(
            isProven ? OptionalLong.of(reads.provenAt()) : OptionalLong.empty(),
            reads.provenEnds(),
            problem.isEmpty() ? Optional.empty() : Optional.of(problem)));
  }

  ChangeReads reads() {
    return reads;
  }

  @Override
  public void close() {
    if (feed != null) {
      feed.close();
    }
    reads.close();
  }
}
