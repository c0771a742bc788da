package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.index.ChangeTopicReader;
import io.indexview.connect.common.index.IndexedTopic;
import io.indexview.connect.common.index.MaterializedIndex;
import io.indexview.connect.common.index.Materializer;
import io.indexview.connect.kvstore.source.StoreScan.ScanPlan;
import io.indexview.connect.kvstore.source.index.BegunScan;
import io.indexview.connect.kvstore.source.index.ScanPosition;
import io.indexview.connect.kvstore.source.index.ScannedIndexState;
import io.indexview.connect.kvstore.source.index.ScannedIndexState.AwaitedSnapshot;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.change.ChangeEventReader;
import io.indexview.schemas.control.SourceState.SnapshotNeeded;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.time.Time;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The primary-change topic of a record set and the index that it is materialized in, and what the
 * index knows of the scans over it. Opens both when first used, so that what is unavailable can be
 * tried again. For one thread.
 */
final class MaterializedTopic implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(MaterializedTopic.class);
  private static final String LOST =
      "the source lost its index, and its change topic does not hold every event any more, so"
          + " changes may be missing; the source publishes every record again. Keep index.dir on a"
          + " disk that outlives the worker, and the topic longer than the source is ever away; if"
          + " the store was restored from a backup, raise kvstore.incarnation";
  private static final String GAP =
      "the change topic was created anew, or events were deleted that the source had not read, so"
          + " changes may be missing; the source publishes every record again. Keep the topic"
          + " longer than the source is ever away";

  private static final String WENT_BACK =
      "the store holds older versions than were published (%s): it was restored from a backup, or"
          + " lost writes that were not replicated; the source publishes every record again. Raise"
          + " kvstore.incarnation of the sources and of the writers";

  private static final Duration IDLE_WAIT = Duration.ofMillis(5);

  private final Supplier<ChangeTopicReader> openReader;
  private final Time time;
  private final OrderGuard guard;
  private final IndexedTopic<ScannedIndexState> indexed;
  private ChangeTopicReader log;
  private int indexNumber;

  MaterializedTopic(
      Supplier<MaterializedIndex<ScannedIndexState>> openIndex,
      Supplier<ChangeTopicReader> openReader,
      ChangeEventReader reader,
      OrderGuard guard,
      Time time) {
    this.openReader = openReader;
    this.time = time;
    this.guard = guard;
    this.indexed =
        new IndexedTopic<>(
            openIndex,
            this::log,
            new Materializer(reader, guard, Entry::withoutValue, time),
            (bounds, trimmed, again) -> {
              indexNumber++;
              return ScannedIndexState.fresh(
                  bounds.topicId(),
                  bounds.begins(),
                  trimmed || again ? new AwaitedSnapshot(time.millis(), again ? GAP : null) : null);
            },
            time);
  }

  private ChangeTopicReader log() {
    if (log == null) {
      log = openReader.get();
    }
    return log;
  }

  /**
   * Materializes what came, in a bounded time.
   *
   * @param wait a little if nothing came
   * @param owesReread asked after the listener has heard of the events, see {@link #rereadOwed}
   * @return whether events came
   */
  boolean materialize(boolean wait, Materializer.Listener listener, BooleanSupplier owesReread) {
    return indexed.materialize(
        wait ? IDLE_WAIT : Duration.ZERO,
        listener,
        state ->
            !state.rereadOwed() && owesReread.getAsBoolean() ? state.withRereadOwed(true) : state);
  }

  /** What is known of a key; empty: nothing. */
  Optional<Entry> entry(String key) {
    return indexed.index().entry(key.getBytes(StandardCharsets.UTF_8));
  }

  /** Per partition the offset of the event to materialize next. */
  Map<Integer, Long> positions() {
    return indexed.state().positions();
  }

  /** Whether a task before was to read keys again that no change names. */
  boolean rereadOwed() {
    return indexed.state().rereadOwed();
  }

  /** Whether a scan over the index was complete; not so of one that was lost since. */
  boolean scannedBefore() {
    return indexed.state().scannedBefore();
  }

  void oweReread(boolean owed) {
    change(state -> state.withRereadOwed(owed));
  }

  /** The log is read anew from where the index is, the next time. */
  void disconnect() {
    indexed.disconnect();
  }

  /**
   * Prepares a scan.
   *
   * @param stored what Connect knows; without a scan although there was one, the user reset it
   * @return the end of the topic, to be reached before the scan begins
   */
  Map<Integer, Long> reconcile(KvStoreSourceOffset stored) {
    Map<Integer, Long> ends = indexed.follow().ends();
    ScannedIndexState state = indexed.state();
    boolean isIndexLost = stored.lastScan() != null && !state.scannedBefore();
    boolean isReported = state.snapshot() != null && state.snapshot().reason() != null;
    if (isIndexLost && !isReported && !state.topicId().equals(stored.topicId())) {
      needSnapshot(GAP);
    } else if (isIndexLost && !isReported && state.snapshot() != null) {
      needSnapshot(LOST);
    } else if (!isReported && stored.owedSnapshot().isPresent()) {
      // A task on another worker noticed it, with an index of its own.
      SnapshotNeeded owed = stored.owedSnapshot().get();
      LOGGER.warn("What was published may be wrong: {}", owed.reason());
      change(known -> known.withSnapshot(new AwaitedSnapshot(owed.sinceMs(), owed.reason())));
    } else if (stored.lastScan() == null && state.scannedBefore() && state.snapshot() == null) {
      LOGGER.info("The connector's offsets were reset: every record is published again");
      change(known -> known.withSnapshot(new AwaitedSnapshot(time.millis(), null)));
    }
    return ends;
  }

  boolean hasReached(Map<Integer, Long> ends) {
    return indexed.hasReached(ends);
  }

  /** Rises when the index is begun anew. */
  int indexNumber() {
    return indexNumber;
  }

  /** How long a tombstone refuses older events. */
  Duration retention() {
    return guard.retention();
  }

  /** Kafka's id of the topic. */
  String id() {
    return indexed.state().topicId();
  }

  Map<Integer, Long> ends() {
    return log().bounds().ends();
  }

  /** The ad-hoc snapshot that comes next; null: none. */
  AwaitedSnapshot awaitedSnapshot() {
    return indexed.state().snapshot();
  }

  /** What was published may be wrong until an ad-hoc snapshot is complete; null: it is not so. */
  SnapshotNeeded snapshotNeeded() {
    AwaitedSnapshot awaited = indexed.state().snapshot();
    return awaited == null || awaited.reason() == null
        ? null
        : new SnapshotNeeded(awaited.sinceMs(), awaited.reason());
  }

  /**
   * The store showed an older version than is known: it gives versions again, for other content,
   * and equal ones say nothing.
   *
   * @param first which, for people
   */
  void wentBack(String first) {
    if (snapshotNeeded() == null) {
      String reason = WENT_BACK.formatted(first);
      LOGGER.warn("What was published may be wrong: {}", reason);
      needSnapshot(reason);
    }
  }

  /** Notes that an ad-hoc snapshot is needed from now on. */
  void needSnapshot(String reason) {
    change(known -> known.withSnapshot(new AwaitedSnapshot(time.millis(), reason)));
  }

  /** The scan that was begun and is not complete; gone with the index. */
  Optional<BegunScan> begun() {
    return Optional.ofNullable(indexed.state().begun());
  }

  void save(BegunScan begun) {
    change(state -> state.withBegun(begun));
  }

  /** Returns a scan over the index; see {@link StoreScan}. */
  StoreScan newScan(
      ScanPlan plan,
      KvStore store,
      ReadRateLimiter rateLimiter,
      ScanPosition from,
      Predicate<String> passedOver) {
    return new StoreScan(plan, store, indexed.index(), guard, rateLimiter, from, passedOver);
  }

  /** A scan was completed, and source-states says so. */
  void scanned(boolean adHoc) {
    change(state -> state.scanned(adHoc));
  }

  private void change(UnaryOperator<ScannedIndexState> action) {
    indexed.index().change(batch -> batch.state(action.apply(indexed.state())));
  }

  @Override
  public void close() {
    try {
      if (log != null) {
        log.close();
      }
    } finally {
      indexed.close();
    }
  }
}
