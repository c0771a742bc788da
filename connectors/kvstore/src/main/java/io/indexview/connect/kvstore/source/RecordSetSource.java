package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.errors.RetryTimer;
import io.indexview.connect.common.index.ChangeTopicReader.ChangeTopicException;
import io.indexview.connect.common.index.MaterializedIndex.IndexInUseException;
import io.indexview.connect.common.source.Acknowledgements;
import io.indexview.connect.common.source.Requests;
import io.indexview.connect.common.source.SourceStates;
import io.indexview.connect.common.source.SourceStates.Report;
import io.indexview.connect.kvstore.source.ScanProgress.Counts;
import io.indexview.connect.kvstore.source.StoreScan.ScanPlan;
import io.indexview.connect.kvstore.source.index.BegunScan;
import io.indexview.connect.kvstore.source.index.ScannedIndexState.AwaitedSnapshot;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.value.ValueDecoder;
import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.control.SourceState.Scan;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.connect.source.SourceRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the changes of one record set: catches up with the topic, scans the store, waits until
 * Kafka has every event, says so on source-states, rests. Whatever is unavailable is tried again,
 * and the scan goes on from its chunk; there are no heartbeats until the store was looked at again.
 * {@link #poll} and {@link #close} are for one thread at a time, {@link #acknowledged} for any.
 */
final class RecordSetSource implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(RecordSetSource.class);

  /** Pause between two polls of what answers soon: Kafka, or a store that is spared. */
  private static final Duration SHORT_IDLE = Duration.ofMillis(20);

  /** The longest time for which the topic is not followed. */
  private static final Duration LONG_IDLE = Duration.ofMillis(250);

  private final SourceSettings settings;
  private final Supplier<KvStore> store;
  private final MaterializedTopic topic;
  private final Requests requests;
  private final Time time;
  private final RetryTimer retry;
  private final SnapshotReadMapper mapper;
  private final ScanProgress progress;
  private final SourceStates states;
  private final Map<String, String> partition;
  private final ReadRateLimiter rateLimiter;
  private final ScanJournal journal;
  private final FollowedChanges changes;
  private final ScanSchedule schedule;
  private final Timer heartbeatPause;
  private final Queue<SourceRecord> pending = new ArrayDeque<>();

  private Phase phase = Phase.RESTING;
  private boolean reached;
  private Map<Integer, Long> target = Map.of();
  private AwaitedSnapshot awaited;
  private StoreScan scan;
  private int indexNumber;
  private boolean waiting;
  private boolean eventsCame;
  private KvStoreSourceOffset offset;
  private volatile Acknowledgements acknowledgements = new Acknowledgements();
  private volatile Map<String, ?> confirmedOffset;

  private enum Phase {
    RESTING,
    CATCHING_UP,
    SCANNING,
    SETTLING,
    CONFIRMING
  }

  /**
   * @param offset what Connect has stored
   * @param store opens it when first asked
   * @param requests stays open
   * @param single reads keys of the store that are asked for
   * @param follower opens the changes of the store
   */
  RecordSetSource(
      SourceSettings settings,
      KvStoreSourceOffset offset,
      Supplier<KvStore> store,
      MaterializedTopic topic,
      ValueDecoder decoder,
      Requests requests,
      ScanProgress progress,
      ParallelReads single,
      FollowedChanges.Opener follower,
      Backoff backoff,
      Time time) {
    this.settings = settings;
    this.offset = offset;
    this.store = store;
    this.topic = topic;
    this.requests = requests;
    this.progress = progress;
    this.retry = new RetryTimer(backoff, time);
    this.time = time;
    this.heartbeatPause = new Timer(time);
    this.journal = new ScanJournal(topic, time);
    this.rateLimiter = settings.scan().rateLimiter();
    KvStoreSourcePartition of = KvStoreSourcePartition.of(settings.sourcePartition());
    this.partition = of.toMap();
    this.mapper =
        new SnapshotReadMapper(
            settings.recordSet(), decoder, of, settings.deadLetterTopic(), progress);
    ChangeReads reads =
        new ChangeReads(topic, rateLimiter, single, settings.capture().delay(), progress, time);
    this.changes = new FollowedChanges(settings, follower, reads, mapper, topic, time);
    this.schedule = new ScanSchedule(settings, changes, requests, time);
    this.states = settings.states(topic.retention());
  }

  /** Does a bounded piece of work; returns the records it led to, possibly none. */
  List<SourceRecord> poll() {
    if (!retry.isDue()) {
      return List.of();
    }
    try {
      eventsCame =
          topic.materialize(
              phase == Phase.CATCHING_UP, this::materialized, changes.reads()::owesReread);
      endIfIndexIsAnother();
      noteAwaited();
      changes.follow(offset);
      step();
      if (mayReadChanges()) {
        changes.read(offset);
      }
    } catch (KvStoreException.Unavailable
        | ChangeTopicException
        | RegistryException
        | IndexInUseException e) {
      failed(e);
      return List.of();
    }
    if (reached && changes.hasProvenSinceFailure()) {
      retry.succeeded();
      progress.goesOn();
    }
    List<SourceRecord> batch = drain();
    if (retry.failures() == 0 && heartbeatPause.isExpired()) {
      batch.add(state());
    }
    return batch;
  }

  private void materialized(byte[] key, Entry before, ChangeEvent event, boolean applied) {
    if (scan != null) {
      scan.materialized(key, before, event);
    }
    changes.materialized(key, before, event, applied);
  }

  /**
   * Whether the index has reached the end of the topic. Not while a snapshot is awaited or made
   * that puts app and index in step: until then they may judge a read differently.
   */
  private boolean mayReadChanges() {
    return changes.isFollowing()
        && reached
        && topic.awaitedSnapshot() == null
        && (scan == null || !scan.plan().adHoc());
  }

  /**
   * An index that was begun anew meanwhile knows nothing of what the scan compared, and has other
   * ends to reach.
   */
  private void endIfIndexIsAnother() {
    if (topic.indexNumber() == indexNumber) {
      return;
    }
    reached = false;
    if (phase != Phase.RESTING && phase != Phase.CONFIRMING) {
      giveUp();
      schedule.dueNow();
    }
  }

  /** A snapshot that is needed is said, and made, at once. */
  private void noteAwaited() {
    AwaitedSnapshot now = topic.awaitedSnapshot();
    if (now != null && !now.equals(awaited)) {
      heartbeatPause.reset(Duration.ZERO);
      if (phase == Phase.RESTING) {
        schedule.dueNow();
      }
    }
    awaited = now;
  }

  private void step() {
    switch (phase) {
      case RESTING -> {
        boolean isBehind = changes.isFollowing() && !reached;
        if ((isTime() || isBehind) && acknowledgements.outstanding() == 0) {
          changes.tryAgain();
          target = topic.reconcile(offset);
          indexNumber = topic.indexNumber();
          if (!topic.id().equals(offset.topicId())) {
            offset = KvStoreSourceOffset.NONE.hindered(offset.problem());
          }
          schedule.catchesUp();
          phase = Phase.CATCHING_UP;
        }
      }
      case CATCHING_UP -> {
        if (topic.hasReached(target)) {
          caughtUp();
        }
      }
      case SCANNING -> scan();
      case SETTLING -> {
        if (scan.plan().adHoc() && topic.hasReached(target)) {
          scan.indexHasCaughtUp();
        }
        if (isSettled()) {
          if (scan.hasToReadAgain()) {
            phase = Phase.SCANNING;
          } else {
            complete();
          }
        }
      }
      case CONFIRMING -> {
        if (offset.lastScan().equals(KvStoreSourceOffset.fromMap(confirmedOffset).lastScan())) {
          confirmed();
        }
      }
    }
  }

  private boolean isTime() {
    // What kept a scan from being complete would keep the next one, too.
    return isAsked() && offset.problem() == null
        || schedule.isDue(offset, topic.awaitedSnapshot() != null);
  }

  private void caughtUp() {
    reached = true;
    if (!isTime()) {
      phase = Phase.RESTING;
    } else if (!changes.isOpening()) {
      begin();
    }
  }

  /** Whether an ad-hoc snapshot is asked for that was not made yet. */
  private boolean isAsked() {
    return requests.newest(settings.recordSet().topic()) > offset.scans().answered();
  }

  private void begin() {
    AwaitedSnapshot snapshot = topic.awaitedSnapshot();
    boolean adHoc = snapshot != null || isAsked();
    long startedAt = Math.max(time.millis(), snapshot == null ? 0 : snapshot.sinceMs());
    long request = requests.newest(settings.recordSet().topic());
    schedule.begins(
        journal.begin(
            BegunScan.start(
                settings.scope(), adHoc, request, startedAt, target, changes.scanBeginsFrom())));
    acknowledgements = new Acknowledgements();
    ScanPlan plan = settings.plan(journal.begun(), offset.lastScan() == null);
    scan = topic.newScan(plan, store.get(), rateLimiter, journal.position(), changes::passedOver);
    phase = Phase.SCANNING;
    progress.began(scan.records());
  }

  /** Whether Kafka has all that was sent; in an ad-hoc snapshot, whether the index has it, too. */
  private boolean isSettled() {
    return pending.isEmpty()
        && acknowledgements.outstanding() == 0
        && (!scan.plan().adHoc() || topic.hasReached(acknowledgements.ends()));
  }

  private void scan() {
    boolean settled = pending.isEmpty() && acknowledgements.outstanding() == 0;
    waiting =
        pending.size() >= settings.scan().batchSize()
            || !journal.note(scan.position(), settled, acknowledgements.dropped() > 0);
    if (waiting) {
      return;
    }
    Map<String, Object> unchanged = offset.toMap();
    boolean over =
        scan.advance(
            settings.scan().batchSize(),
            time.millis(),
            difference -> pending.addAll(mapper.map(difference, unchanged, time.millis())));
    if (scan.hasAnswer()) {
      retry.succeeded();
    }
    progress.saw(new Counts(scan.records(), scan.tableRows(), scan.largeObjects()));
    // A scan that was cut short would forget what it saw, so it is said at once.
    scan.wentBack().ifPresent(topic::wentBack);
    if (over) {
      progress.ended();
      target = topic.ends();
      phase = Phase.SETTLING;
    }
  }

  private void complete() {
    long events = acknowledgements.sent();
    if (acknowledgements.dropped() > 0) {
      String problem =
          "%d of %d events of the last scan of record set %s did not reach Kafka: a transformation of the connector drops them, or errors.tolerance=all passes over them; take it away"
              .formatted(acknowledgements.dropped(), events, settings.recordSet().name());
      LOGGER.warn("A scan is not complete: {}", problem);
      offset = offset.hindered(problem);
      heartbeatPause.reset(Duration.ZERO);
      rest();
      schedule.cutShort();
      return;
    }
    Map<Integer, Long> ends = new HashMap<>(topic.ends());
    acknowledgements.ends().forEach((partition, end) -> ends.merge(partition, end, Math::max));
    Scan completed =
        journal.completed(
            offset.scans().count() + 1, scan.records(), settings.recordSet().scope(), ends);
    offset = offset.completed(topic.id(), completed);
    schedule.completed();
    pending.add(state());
    phase = Phase.CONFIRMING;
    progress.completed(completed, events);
  }

  /** An index that was begun anew since knows nothing of this scan. */
  private void confirmed() {
    if (topic.begun().isPresent()) {
      topic.scanned(offset.lastScan().adHoc());
    }
    boolean foundNothing = acknowledgements.sent() == 0 && !scan.hasLeftOut();
    rest();
    schedule.ended(foundNothing);
    retry.succeeded();
    heartbeatPause.reset(Duration.ZERO);
    if (topic.snapshotNeeded() != null) {
      schedule.dueNow();
    }
  }

  private void rest() {
    endScan();
    phase = Phase.RESTING;
  }

  private void failed(RuntimeException cause) {
    progress.failed(cause);
    eventsCame = false;
    reached = false;
    changes.failed();
    retry.failed();
    topic.disconnect();
    if (scan != null && scan.plan().adHoc()) {
      // It alone has heard which keys the index met.
      scan.interrupt();
    } else if (phase != Phase.CONFIRMING) {
      giveUp();
    }
  }

  private void giveUp() {
    pending.clear();
    rest();
  }

  private void endScan() {
    if (scan != null) {
      progress.ended();
      scan.close();
      scan = null;
    }
  }

  private List<SourceRecord> drain() {
    List<SourceRecord> batch = new ArrayList<>();
    changes.drain(batch);
    int events = 0;
    while (batch.size() < settings.scan().batchSize() && !pending.isEmpty()) {
      SourceRecord record = pending.remove();
      events += isState(record) ? 0 : 1;
      if (isEvent(record)) {
        changes.sent(record);
      }
      batch.add(record);
    }
    acknowledgements.sent(events);
    return batch;
  }

  private boolean isEvent(SourceRecord record) {
    return record.topic().equals(settings.recordSet().topic());
  }

  private SourceRecord state() {
    offset = offset.followed(changes.followedTo()).needing(topic.snapshotNeeded());
    heartbeatPause.reset(settings.heartbeatInterval());
    return states.record(
        partition,
        offset.toMap(),
        new Report(settings.sourcePartition(), offset.scans(), time.millis())
            // The topic may be another one by now than that of the scans.
            .topicId(Optional.ofNullable(offset.lastScan() == null ? topic.id() : offset.topicId()))
            .problem(Optional.ofNullable(offset.problem()))
            .snapshotNeeded(
                Optional.ofNullable(topic.snapshotNeeded()),
                Optional.ofNullable(offset.lastSnapshotNeeded()))
            .changeFeed(changes.state())
            .answeredScanRequest(schedule.answered()));
  }

  private boolean isState(SourceRecord record) {
    return record.topic().equals(settings.statesTopic());
  }

  /** How long the next {@link #poll} has only to wait; zero: it has work. */
  Duration idle() {
    if (!retry.isDue()) {
      return SHORT_IDLE;
    }
    if (eventsCame
        || phase == Phase.CATCHING_UP
        || (phase == Phase.SCANNING && !waiting && rateLimiter.allows())) {
      return Duration.ZERO;
    }
    Duration ofChanges = mayReadChanges() ? changes.reads().idle(SHORT_IDLE) : LONG_IDLE;
    if (ofChanges.compareTo(SHORT_IDLE) <= 0) {
      return ofChanges;
    }
    Duration toScan = schedule.toNext().orElse(LONG_IDLE);
    Duration next =
        Collections.min(List.of(toScan, heartbeatPause.remaining(), ofChanges, LONG_IDLE));
    return phase != Phase.RESTING || next.compareTo(SHORT_IDLE) < 0 ? SHORT_IDLE : next;
  }

  /** How far it is; for any thread. */
  ScanProgress progress() {
    return progress;
  }

  /** Whether a record came from here. */
  boolean sent(SourceRecord record) {
    return partition.equals(record.sourcePartition());
  }

  /**
   * Kafka has the record.
   *
   * @param metadata null: it was dropped on the way
   */
  void acknowledged(SourceRecord record, RecordMetadata metadata) {
    if (isState(record)) {
      confirmedOffset = record.sourceOffset();
    } else if (changes.acknowledged(record)) {
      return;
    } else if (metadata == null || isEvent(record)) {
      acknowledgements.acknowledged(metadata);
    } else {
      acknowledgements.settled();
    }
  }

  @Override
  public void close() {
    endScan();
    changes.close();
    topic.close();
  }
}
