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
import io.indexview.kvstore.KvStoreException;
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
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * Publishes the changes of one record set, in phases that follow each other again and again:
 *
 * <ol>
 *   <li>RESTING: no scan is due, and none is asked for; or Kafka does not have every event yet.
 *   <li>CATCHING_UP: the index materializes the topic up to its end. After a start that restores
 *       the index. If no scan is due, the source rests again.
 *   <li>SCANNING: a scan compares the store with the index, and what differs is sent: in the first
 *       scan what the topic does not have, in later ones what nobody has sent since, in an ad-hoc
 *       snapshot every record.
 *   <li>SETTLING: everything was read; waits until Kafka has every event. An ad-hoc snapshot waits
 *       for the index, too, and goes back to SCANNING while keys are to be read again.
 *   <li>CONFIRMING: the scan is complete; waits until source-states says so.
 * </ol>
 *
 * <p>In every phase the topic is materialized. The keys that changes of the store name are read and
 * sent once the index has caught up, and again once it has after a failure or a new index; not in
 * an ad-hoc snapshot, nor while the index awaits one, see {@link #mayReadChanges}.
 *
 * <p>Whatever is unavailable is tried again. A scan that fails is begun again from RESTING, and
 * goes on from its chunk; an ad-hoc snapshot keeps its phase, and so does CONFIRMING. If the index
 * is begun anew, any scan is begun again, an ad-hoc snapshot, too; only CONFIRMING stays. There are
 * no heartbeats until the store was read again. {@link #poll} and {@link #close} are for one thread
 * at a time, {@link #acknowledged} for any.
 */
final class RecordSetSource implements AutoCloseable {
  /** Pause between two polls of what answers soon: Kafka, or a store that is spared. */
  private static final Duration SHORT_IDLE = Duration.ofMillis(20);

  /** The longest time for which the topic is not followed. */
  private static final Duration LONG_IDLE = Duration.ofMillis(250);

  private final SourceSettings settings;
  private final RecordSetStore store;
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

  /** Ends of the topic when CATCHING_UP, or SETTLING, began: the index is to reach them. */
  private Map<Integer, Long> endsNoted = Map.of();

  private boolean hasCaughtUp;
  private AwaitedSnapshot awaitedAtLastPoll;
  private StoreScan scan;
  private int indexNumber;
  private boolean awaitsAcknowledgements;
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
   * @param requests stays open
   */
  RecordSetSource(
      SourceSettings settings,
      KvStoreSourceOffset offset,
      RecordSetStore store,
      MaterializedTopic topic,
      Requests requests,
      Backoff backoff,
      Time time) {
    this.settings = settings;
    this.offset = offset;
    this.store = store;
    this.topic = topic;
    this.requests = requests;
    this.progress = new ScanProgress(settings.recordSet().name(), offset.lastScan(), time);
    this.retry = new RetryTimer(backoff, time);
    this.time = time;
    this.heartbeatPause = new Timer(time);
    this.journal = new ScanJournal(topic, time);
    this.rateLimiter = settings.scan().rateLimiter();
    KvStoreSourcePartition of = KvStoreSourcePartition.of(settings.sourcePartition());
    this.partition = of.toMap();
    this.mapper =
        new SnapshotReadMapper(
            settings.recordSet(), store.values(), of, settings.deadLetterTopic(), progress);
    ChangeReads reads =
        new ChangeReads(
            topic, rateLimiter, store.keys(), settings.capture().delay(), progress, time);
    this.changes = new FollowedChanges(settings, store.changes(), reads, mapper, topic, time);
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
    if (hasCaughtUp && changes.hasProvenSinceFailure()) {
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
        && hasCaughtUp
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
    hasCaughtUp = false;
    if (phase != Phase.RESTING && phase != Phase.CONFIRMING) {
      giveUp();
      schedule.dueNow();
    }
  }

  /** A snapshot that is needed is said, and made, at once. */
  private void noteAwaited() {
    AwaitedSnapshot now = topic.awaitedSnapshot();
    if (now != null && !now.equals(awaitedAtLastPoll)) {
      heartbeatPause.reset(Duration.ZERO);
      if (phase == Phase.RESTING) {
        schedule.dueNow();
      }
    }
    awaitedAtLastPoll = now;
  }

  private void step() {
    switch (phase) {
      case RESTING -> {
        boolean isBehind = changes.isFollowing() && !hasCaughtUp;
        if ((isTime() || isBehind) && acknowledgements.outstanding() == 0) {
          changes.tryAgain();
          endsNoted = topic.reconcile(offset);
          indexNumber = topic.indexNumber();
          if (!topic.id().equals(offset.topicId())) {
            offset = KvStoreSourceOffset.NONE.hindered(offset.problem());
          }
          schedule.catchesUp();
          phase = Phase.CATCHING_UP;
        }
      }
      case CATCHING_UP -> {
        if (topic.hasReached(endsNoted)) {
          caughtUp();
        }
      }
      case SCANNING -> advanceScan();
      case SETTLING -> {
        if (scan.plan().adHoc() && topic.hasReached(endsNoted)) {
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
    hasCaughtUp = true;
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
                settings.scope(), adHoc, request, startedAt, endsNoted, changes.scanBeginsFrom())));
    acknowledgements = new Acknowledgements();
    ScanPlan plan = settings.plan(journal.begun(), offset.lastScan() == null);
    scan = topic.newScan(plan, store.open(), rateLimiter, journal.position(), changes::passedOver);
    phase = Phase.SCANNING;
    progress.began(scan.records());
  }

  /** Whether Kafka has all that was sent; in an ad-hoc snapshot, whether the index has it, too. */
  private boolean isSettled() {
    return pending.isEmpty()
        && acknowledgements.outstanding() == 0
        && (!scan.plan().adHoc() || topic.hasReached(acknowledgements.ends()));
  }

  private void advanceScan() {
    boolean settled = pending.isEmpty() && acknowledgements.outstanding() == 0;
    awaitsAcknowledgements =
        pending.size() >= settings.scan().batchSize()
            || !journal.note(scan.position(), settled, acknowledgements.dropped() > 0);
    if (awaitsAcknowledgements) {
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
      endsNoted = topic.ends();
      phase = Phase.SETTLING;
    }
  }

  private void complete() {
    long events = acknowledgements.sent();
    if (acknowledgements.dropped() > 0) {
      String problem =
          "%d of %d events of the last scan of record set %s did not reach Kafka: a transformation of the connector drops them, or errors.tolerance=all passes over them; take it away"
              .formatted(acknowledgements.dropped(), events, settings.recordSet().name());
      progress.incomplete(problem);
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
    hasCaughtUp = false;
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
        || (phase == Phase.SCANNING && !awaitsAcknowledgements && rateLimiter.allows())) {
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
