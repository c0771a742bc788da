package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.index.IndexInUseException;
import io.indexview.connect.common.log.ChangeLogException;
import io.indexview.connect.common.source.Acknowledgements;
import io.indexview.connect.common.source.Requests;
import io.indexview.connect.common.source.Scan;
import io.indexview.connect.common.source.SourcePartition;
import io.indexview.connect.common.source.SourceStates;
import io.indexview.connect.kvstore.config.RecordSetConfig;
import io.indexview.connect.kvstore.source.ScanProgress.Counts;
import io.indexview.connect.kvstore.source.StoreScan.ScanPlan;
import io.indexview.connect.kvstore.source.index.BegunScan;
import io.indexview.connect.kvstore.source.index.ScannedIndexState.AwaitedSnapshot;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.value.ValueDecoder;
import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.control.SourceState.SnapshotNeeded;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.registry.RegistryException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
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

  private static final int MAX_FETCH_SIZE = 500;

  /** Between two looks at what answers soon: Kafka, or a store that is spared. */
  private static final Duration SHORT_IDLE = Duration.ofMillis(20);

  /** The longest time for which the topic is not followed. */
  private static final Duration LONG_IDLE = Duration.ofMillis(250);

  private final Settings settings;
  private final Supplier<KvStore> store;
  private final MaterializedTopic topic;
  private final Requests requests;
  private final Clock clock;
  private final Backoff backoff;
  private final SnapshotReadMapper mapper;
  private final ScanProgress progress;
  private final SourceStates states;
  private final Map<String, String> partition;
  private final ReadRateLimiter rateLimiter;
  private final ScanJournal journal;
  private final Queue<SourceRecord> pending = new ArrayDeque<>();

  private Phase phase = Phase.RESTING;
  private long scanBeganAt;
  private Optional<Duration> lastLength = Optional.empty();
  private long nextScanAt;
  private long nextHeartbeatAt;
  private long retryAt;
  private Map<Integer, Long> target = Map.of();
  private AwaitedSnapshot awaited;
  private StoreScan scan;
  private int indexNumber;
  private boolean waiting;
  private boolean eventsCame;
  private KvStoreSourceOffset offset;
  private volatile Acknowledgements acknowledgements = new Acknowledgements();
  private volatile Map<String, ?> confirmedOffset = Map.of();

  private enum Phase {
    RESTING,
    CATCHING_UP,
    SCANNING,
    SETTLING,
    CONFIRMING
  }

  /**
   * @param statesTopic the source-states topic
   */
  record Settings(
      RecordSetConfig recordSet,
      SourcePartition sourcePartition,
      String statesTopic,
      String deadLetterTopic,
      ScanSettings scan,
      Duration heartbeatInterval) {}

  /**
   * @param batchSize records that one poll returns at most
   * @param maxRecordsPerSecond see {@link ReadRateLimiter}
   * @param maxBytesPerSecond see {@link ReadRateLimiter}
   * @param chunkRows index rows that a scan holds in memory
   */
  record ScanSettings(
      String incarnation,
      ScanPauses pauses,
      int concurrency,
      int batchSize,
      long maxRecordsPerSecond,
      long maxBytesPerSecond,
      int chunkRows) {}

  /**
   * What a source works with.
   *
   * @param store opens it when first asked
   * @param requests stays open
   */
  record Parts(
      Supplier<KvStore> store,
      MaterializedTopic topic,
      ValueDecoder decoder,
      Requests requests,
      ScanProgress progress) {}

  /**
   * @param offset what Connect has stored
   */
  RecordSetSource(
      Settings settings, KvStoreSourceOffset offset, Parts parts, Backoff backoff, Clock clock) {
    this.settings = settings;
    this.offset = offset;
    this.store = parts.store();
    this.topic = parts.topic();
    this.requests = parts.requests();
    this.progress = parts.progress();
    this.backoff = backoff;
    this.clock = clock;
    this.journal = new ScanJournal(topic, clock);
    this.rateLimiter =
        new ReadRateLimiter(
            settings.scan().maxRecordsPerSecond(), settings.scan().maxBytesPerSecond());
    KvStoreSourcePartition of = KvStoreSourcePartition.of(settings.sourcePartition());
    this.partition = of.toMap();
    this.mapper =
        new SnapshotReadMapper(
            settings.recordSet(), parts.decoder(), of, settings.deadLetterTopic(), progress);
    this.states =
        new SourceStates(
            settings.statesTopic(), topic.retention(), settings.recordSet().values().published());
  }

  /** Does a bounded piece of work; returns the records it led to, possibly none. */
  List<SourceRecord> poll() {
    if (clock.millis() < retryAt) {
      return List.of();
    }
    try {
      eventsCame = topic.materialize(phase == Phase.CATCHING_UP, this::materialized);
      endIfIndexIsAnother();
      noteAwaited();
      step();
    } catch (KvStoreException.Unavailable
        | ChangeLogException
        | RegistryException
        | IndexInUseException e) {
      failed(e);
      return List.of();
    }
    List<SourceRecord> batch = drain();
    if (backoff.failures() == 0 && clock.millis() >= nextHeartbeatAt) {
      batch.add(state());
    }
    return batch;
  }

  private void materialized(byte[] key, Entry before, ChangeEvent event) {
    if (scan != null) {
      scan.materialized(key, before, event);
    }
  }

  /** An index that was begun anew meanwhile knows nothing of what the scan compared. */
  private void endIfIndexIsAnother() {
    if (scan != null && phase != Phase.CONFIRMING && topic.indexNumber() != indexNumber) {
      giveUp();
      nextScanAt = clock.millis();
    }
  }

  /** A snapshot that is needed is said, and made, at once. */
  private void noteAwaited() {
    AwaitedSnapshot now = topic.awaitedSnapshot();
    if (now != null && !now.equals(awaited)) {
      nextHeartbeatAt = clock.millis();
      nextScanAt = phase == Phase.RESTING ? clock.millis() : nextScanAt;
    }
    awaited = now;
  }

  private void step() {
    switch (phase) {
      case RESTING -> {
        // What kept a scan from being complete would keep the next one, too.
        boolean isTime = clock.millis() >= nextScanAt || isAsked() && offset.problem() == null;
        if (isTime && acknowledgements.outstanding() == 0) {
          target = topic.reconcile(offset);
          if (!topic.id().equals(offset.topicId())) {
            offset = KvStoreSourceOffset.NONE.hindered(offset.problem());
          }
          scanBeganAt = clock.millis();
          phase = Phase.CATCHING_UP;
        }
      }
      case CATCHING_UP -> {
        if (topic.hasReached(target)) {
          begin();
        }
      }
      case SCANNING -> scan();
      case SETTLING -> {
        if (scan.plan().force() && topic.hasReached(target)) {
          scan.scanned();
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
        if (offset.toMap().equals(confirmedOffset)) {
          confirmed();
        }
      }
    }
  }

  /** Whether an ad-hoc snapshot is asked for that was not made yet. */
  private boolean isAsked() {
    return requests.newest(settings.recordSet().topic()) > offset.scans().answered();
  }

  private void begin() {
    AwaitedSnapshot snapshot = topic.awaitedSnapshot();
    boolean force = snapshot != null || isAsked();
    long startedAt = Math.max(clock.millis(), snapshot == null ? 0 : snapshot.sinceMs());
    long request = requests.newest(settings.recordSet().topic());
    String scope = settings.scan().incarnation() + " " + settings.recordSet().scope();
    journal.begin(BegunScan.start(scope, force, request, startedAt, target));
    acknowledgements = new Acknowledgements();
    indexNumber = topic.indexNumber();
    scan = topic.scan(plan(), store.get(), rateLimiter, journal.position());
    phase = Phase.SCANNING;
    progress.began(scan.records());
  }

  /** Whether Kafka has all that was sent; in an ad-hoc snapshot, whether the index has it, too. */
  private boolean isSettled() {
    return pending.isEmpty()
        && acknowledgements.outstanding() == 0
        && (!scan.plan().force() || topic.hasReached(acknowledgements.ends()));
  }

  private ScanPlan plan() {
    ScanSettings of = settings.scan();
    return new ScanPlan(
        settings.recordSet(),
        of.incarnation(),
        journal.begun().force(),
        offset.lastScan() == null,
        of.concurrency(),
        Math.min(of.batchSize(), MAX_FETCH_SIZE),
        of.chunkRows(),
        journal.begun().startedAt());
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
            clock.millis(),
            difference -> pending.addAll(mapper.map(difference, unchanged, clock.millis())));
    if (scan.hasHeard()) {
      backoff.reset();
    }
    progress.saw(new Counts(scan.records(), scan.tableRows(), scan.largeObjects()));
    // A scan that was cut short would forget what it saw, so it is said at once.
    if (topic.snapshotNeeded() == null) {
      scan.wentBack().ifPresent(this::wentBack);
    }
    if (over) {
      progress.ended();
      target = topic.ends();
      phase = Phase.SETTLING;
    }
  }

  private void complete() {
    ScanPlan plan = scan.plan();
    long events = acknowledgements.sent();
    if (acknowledgements.dropped() > 0) {
      String problem =
          "%d of %d events of the last scan of record set %s did not reach Kafka: a transformation of the connector drops them, or errors.tolerance=all passes over them; take it away"
              .formatted(acknowledgements.dropped(), events, settings.recordSet().name());
      LOGGER.warn("A scan is not complete: {}", problem);
      offset = offset.hindered(problem);
      nextHeartbeatAt = clock.millis();
      rest(settings.scan().pauses().afterNews());
      return;
    }
    Map<Integer, Long> ends = new HashMap<>(topic.ends());
    acknowledgements.ends().forEach((partition, end) -> ends.merge(partition, end, Math::max));
    Map<Integer, Long> begins = new HashMap<>(journal.begun().begins());
    ends.keySet().forEach(partition -> begins.putIfAbsent(partition, 0L));
    Scan completed =
        new Scan(
            offset.scans().count() + 1,
            plan.startedAt(),
            clock.millis(),
            scan.records(),
            plan.force(),
            plan.force() ? journal.begun().request() : 0,
            settings.recordSet().scope(),
            begins,
            ends);
    offset =
        new KvStoreSourceOffset(
            topic.id(), offset.scans().and(completed), null, lastSnapshotNeeded());
    pending.add(state());
    phase = Phase.CONFIRMING;
    progress.completed(completed, events);
  }

  /** Versions that the store gave before come again, for other content: equal ones say nothing. */
  private void wentBack(String first) {
    String reason =
        "the store holds older versions than were published (%s): it was restored from a backup, or lost writes that were not replicated; the source publishes every record again. Raise kvstore.incarnation of the sources and of the writers"
            .formatted(first);
    LOGGER.warn("Record set {} may be wrong: {}", settings.recordSet().name(), reason);
    topic.needSnapshot(reason);
  }

  /** An index that was begun anew since knows nothing of this scan. */
  private void confirmed() {
    if (topic.begun().isPresent()) {
      topic.scanned(offset.lastScan().forced());
    }
    Duration length = Duration.ofMillis(Math.max(0, clock.millis() - scanBeganAt));
    ScanPauses pauses = settings.scan().pauses();
    rest(
        acknowledgements.sent() == 0
            ? pauses.afterNothing(length, lastLength)
            : pauses.afterNews());
    lastLength = Optional.of(length);
    backoff.reset();
    nextHeartbeatAt = clock.millis();
    if (topic.snapshotNeeded() != null) {
      nextScanAt = clock.millis();
    }
  }

  private void rest(Duration time) {
    endScan();
    phase = Phase.RESTING;
    nextScanAt = clock.millis() + time.toMillis();
  }

  private void failed(RuntimeException cause) {
    progress.failed(cause);
    eventsCame = false;
    retryAt = clock.millis() + backoff.next().toMillis();
    topic.disconnect();
    if (scan != null && scan.plan().force()) {
      // It alone has heard which keys the index met.
      scan.interrupt();
    } else if (phase != Phase.CONFIRMING) {
      giveUp();
    }
  }

  private void giveUp() {
    pending.clear();
    endScan();
    phase = Phase.RESTING;
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
    int events = 0;
    while (batch.size() < settings.scan().batchSize() && !pending.isEmpty()) {
      SourceRecord record = pending.remove();
      events += isState(record) ? 0 : 1;
      batch.add(record);
    }
    acknowledgements.sent(events);
    return batch;
  }

  private SourceRecord state() {
    long now = clock.millis();
    nextHeartbeatAt = now + settings.heartbeatInterval().toMillis();
    return states.record(
        partition,
        offset.toMap(),
        settings.sourcePartition(),
        topic.id(),
        offset.scans(),
        now,
        offset.problem(),
        topic.snapshotNeeded(),
        lastSnapshotNeeded());
  }

  private SnapshotNeeded lastSnapshotNeeded() {
    SnapshotNeeded now = topic.snapshotNeeded();
    return now == null ? offset.lastSnapshotNeeded() : now;
  }

  private boolean isState(SourceRecord record) {
    return record.topic().equals(settings.statesTopic());
  }

  /** For how long the next {@link #poll} has nothing to do but to wait; none: it has. */
  Duration idle() {
    long now = clock.millis();
    if (now < retryAt) {
      return SHORT_IDLE;
    }
    if (eventsCame
        || phase == Phase.CATCHING_UP
        || (phase == Phase.SCANNING && !waiting && rateLimiter.allows())) {
      return Duration.ZERO;
    }
    Duration next = Duration.ofMillis(Math.min(nextScanAt, nextHeartbeatAt) - now);
    if (phase != Phase.RESTING || next.compareTo(SHORT_IDLE) < 0) {
      return SHORT_IDLE;
    }
    return next.compareTo(LONG_IDLE) < 0 ? next : LONG_IDLE;
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
    } else if (metadata == null || record.topic().equals(settings.recordSet().topic())) {
      acknowledgements.acknowledged(metadata);
    } else {
      acknowledgements.settled();
    }
  }

  @Override
  public void close() {
    endScan();
    topic.close();
  }
}
