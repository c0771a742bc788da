package io.indexview.local.simulation;

import io.indexview.connect.common.avro.AvroConverter;
import io.indexview.connect.common.index.FakeTopic;
import io.indexview.connect.common.index.MaterializedIndex;
import io.indexview.connect.kvstore.source.FakeChanges;
import io.indexview.connect.kvstore.source.People;
import io.indexview.connect.kvstore.source.SteppedSource;
import io.indexview.connect.kvstore.source.SteppedSource.Context;
import io.indexview.connect.kvstore.source.index.ScannedIndexState;
import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.KvChanges;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.control.SourceState.Scan;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * A store, writers, the topic, a scanning source and the app, and everything that is on its way
 * between them. Writer, order guard, source, scan, index and view derivation are the real ones.
 */
final class SourceWorld {
  private static final int POLLS = 5_000;
  private static final int CHANGES_AT_ONCE = 3;
  private static final Map<String, String> REGISTRY =
      Map.of("schema.registry.url", "mock://source-simulation");

  final FakeChanges changes = new FakeChanges(CHANGES_AT_ONCE);
  final ShardedStore store = new ShardedStore(this::changed);
  final FakeTopic topic;
  final SimulatedApp app;
  final List<Sent> sent = new ArrayList<>();
  final Deque<SourceRecord> snapshotReads = new ArrayDeque<>();
  final List<SourceRecord> late = new ArrayList<>();
  private final SteppedSource source;
  private final Shared shared;
  private TellingWriter[] writers;
  private int incarnation = 1;
  private final ManualClock clock = new ManualClock();
  private final Map<String, Long> removed = new HashMap<>();
  private final int arrivals;
  private long requested;
  private long answered;
  private int puts;
  private int scanBegun;
  private long scans;
  private Scan lastScan;
  private boolean ordered = true;
  private boolean lossy;
  private boolean snapshotNeeded;
  private final Capture capture;
  private Map<KvKey, KvRecord> whenNamed = Map.of();
  private long changedAt;
  private long arrivedAt;
  private long provenUntil;
  private String falseProof = "";

  /** An event of a writer and how often it may still arrive. */
  record Sent(ProducerRecord<byte[], byte[]> event, int arrivals, boolean arrived) {}

  /** Needed once for many worlds. */
  record Shared(
      MaterializedIndex<ScannedIndexState> index,
      SchemaRegistry registry,
      AvroConverter converter) {
    static Shared of(MaterializedIndex<ScannedIndexState> index) {
      AvroConverter converter = new AvroConverter();
      converter.configure(REGISTRY, false);
      return new Shared(index, SchemaRegistries.create(REGISTRY), converter);
    }
  }

  /**
   * @param arrivals how often an event of a writer may arrive
   * @param batchSize of the source
   * @param chunkRows of the source
   */
  SourceWorld(
      Shared shared, Capture capture, int partitions, int arrivals, int batchSize, int chunkRows) {
    this.shared = shared;
    this.capture = capture;
    this.arrivals = arrivals;
    this.topic = new FakeTopic(partitions, clock);
    this.app = new SimulatedApp(topic, shared.registry());
    this.source =
        new SteppedSource(
            new Context(
                this::beginScan,
                this::read,
                capture == Capture.SCANS ? null : this::openChanges,
                shared.index(),
                shared.registry(),
                shared.converter(),
                () -> requested,
                batchSize,
                chunkRows,
                clock),
            topic,
            incarnation());
    this.writers = new TellingWriter[] {writer(), writer()};
  }

  private String incarnation() {
    return Integer.toString(incarnation);
  }

  private TellingWriter writer() {
    return new TellingWriter(store, incarnation(), shared.registry(), clock);
  }

  private KvStore beginScan() {
    scanBegun++;
    return store;
  }

  private void changed(KvKey key) {
    changes.changed(key);
    changedAt = clock.millis();
  }

  private KvChanges openChanges(Optional<KvChangePosition> from) {
    KvChanges opened = changes.open(People.RECORD_SET.keys(), from);
    return new BrokenChanges(opened, capture, changes::end);
  }

  /** The store as reads of single keys see it. */
  private KvStore read() {
    return capture == Capture.BASE_TAKEN_AFTER_THE_READ
        ? (KvStore)
            Proxy.newProxyInstance(
                KvStore.class.getClassLoader(),
                new Class<?>[] {KvStore.class},
                (proxy, method, args) -> Optional.ofNullable(whenNamed.get((KvKey) args[0])))
        : store;
  }

  /** The next changes of the store are named to the source. */
  void changesCome() {
    if (capture != Capture.SCANS) {
      source.changesCome();
      whenNamed = store.all().stream().collect(Collectors.toMap(KvRecord::key, record -> record));
    }
  }

  int scanBegun() {
    return scanBegun;
  }

  /** Complete scans so far. */
  long scans() {
    return scans;
  }

  long now() {
    return clock.millis();
  }

  void pass(Duration time) {
    clock.pass(time);
  }

  /** One of the writers puts a record that no put before made. */
  void put(KvKey key) {
    puts++;
    sent.add(
        new Sent(
            writers[puts % 2].put(key, People.person("%03d".formatted(puts))), arrivals, false));
  }

  void delete(KvKey key) {
    ProducerRecord<byte[], byte[]> event = writers[puts % 2].delete(key);
    if (event != null) {
      sent.add(new Sent(event, arrivals, false));
    }
  }

  /** An event of a writer arrives. */
  void arrive(int number) {
    arrivedAt = now();
    Sent one = sent.get(number);
    boolean early =
        !one.arrived() && sent.subList(0, number).stream().anyMatch(other -> !other.arrived());
    ordered &= !early;
    if (one.arrivals() == 1) {
      sent.remove(number);
    } else {
      sent.set(number, new Sent(one.event(), one.arrivals() - 1, true));
    }
    TellingWriter.arrive(one.event(), topic, now());
    ChangeEvent event = app.read(one.event().value(), now());
    if (event.op() == Op.DELETE) {
      removed.merge(
          new String(one.event().key(), StandardCharsets.UTF_8),
          sequence(((Origin.Versioned) event.origin()).version().sequence()),
          Math::max);
    }
    app.materialize(now());
  }

  private static long sequence(byte[] bytes) {
    return ByteBuffer.wrap(bytes).getLong();
  }

  /** An event of a writer is lost. */
  void lose(int number) {
    sent.remove(number);
  }

  /** One poll; a state record arrives at once, events are on their way then. */
  boolean poll() {
    boolean sent = false;
    for (SourceRecord record : source.poll()) {
      if (SteppedSource.isState(record)) {
        Struct state = (Struct) record.value();
        snapshotNeeded = state.getStruct("snapshotNeeded") != null;
        source.arrive(record);
        SteppedSource.scan(record).ifPresent(this::scanned);
        noteProof(state.getStruct("changeFeed"));
      } else {
        snapshotReads.add(record);
        sent = true;
      }
    }
    return sent;
  }

  /**
   * Whoever has taken what is before the ends has every change that was made before. Nobody can say
   * so of keys that are to be read again, and of what an ad-hoc snapshot did not name.
   */
  private void noteProof(Struct feed) {
    if (feed == null || feed.get("provenUntil") == null) {
      return;
    }
    provenUntil = feed.getInt64("provenUntil");
    Map<Integer, Long> ends = new HashMap<>();
    feed.<Struct>getArray("ends")
        .forEach(end -> ends.put(end.getInt32("partition"), end.getInt64("end")));
    boolean isWhole = !snapshotNeeded && !shared.index().state().orElseThrow().rereadOwed();
    if (isProven()
        && isWhole
        && ends.equals(topic.bounds().ends())
        && app.unnamed().isEmpty()
        && falseProof.isEmpty()
        && !difference().isEmpty()) {
      falseProof = "the source says that every change is on the topic, but " + difference();
    }
  }

  private boolean isProven() {
    return provenUntil > changedAt;
  }

  /** Whether that was proven after the last late event, too. */
  private boolean isProvenByNow() {
    return isProven() && provenUntil > arrivedAt;
  }

  /** What the source proved that was not so; empty: nothing. */
  String falseProof() {
    return falseProof;
  }

  /** Until the source says that every change is on the topic, which it has to within a while. */
  void proveByChanges() {
    topic.release();
    recover();
    for (int i = 0; i < POLLS && !isProvenByNow(); i++) {
      pass(Duration.ofMillis(10));
      changesCome();
      poll();
      while (!snapshotReads.isEmpty()) {
        snapshotReadArrives();
      }
    }
    app.cleanUp();
    if (!isProvenByNow()) {
      throw new AssertionError("the source never says that every change is on the topic");
    }
  }

  void recover() {
    topic.setAvailable(true);
    store.setAvailable(true);
    changes.setAvailable(true);
  }

  boolean followsChanges() {
    return capture != Capture.SCANS;
  }

  private void scanned(Scan scan) {
    scans += scan.equals(lastScan) ? 0 : 1;
    lastScan = scan;
    answered = Math.max(answered, scan.request());
    app.scanned(scan, now());
  }

  /** The oldest event of the source arrives. */
  void snapshotReadArrives() {
    ordered = false;
    source.arrive(snapshotReads.removeFirst());
    app.materialize(now());
  }

  /** An event of a task that is dead arrives after all. */
  void lateSnapshotReadArrives(int number) {
    ordered = false;
    arrivedAt = now();
    source.arriveLate(late.remove(number));
    app.materialize(now());
  }

  /** The task dies; what it sent may arrive yet. */
  void die() {
    afterDeath();
    source.die();
  }

  /**
   * The task dies and its index is lost. If the topic is trimmed, that is by its retention, and
   * nothing arrives any more of what was sent before: it would be judged by tombstones that the app
   * has and the new index has not.
   */
  void dieWithIndex() {
    afterDeath();
    if (topic.bounds().begins().values().stream().anyMatch(begin -> begin > 0)) {
      lossy = true;
      sent.clear();
      late.clear();
    }
    source.dieWithIndex();
  }

  void dieAndForgetOffsets() {
    afterDeath();
    source.dieAndForgetOffsets();
    scans = 0;
  }

  private void afterDeath() {
    late.addAll(snapshotReads);
    snapshotReads.clear();
    topic.release();
  }

  /** The store was restored from a backup, and everybody's {@code kvstore.incarnation} raised. */
  void restore() {
    afterDeath();
    store.restore();
    changes.lose();
    changedAt = now();
    lossy = true;
    removed.clear();
    raiseIncarnation();
  }

  void raiseIncarnation() {
    incarnation++;
    writers = new TellingWriter[] {writer(), writer()};
    source.dieAs(incarnation());
  }

  void request() {
    requested++;
  }

  /**
   * The retention of tombstones passes: nothing that was sent before arrives any more, but what the
   * source has on its way.
   *
   * @param removed whether the app removes what need not be stored any more
   */
  void expire(boolean removed) {
    lossy |= !sent.isEmpty();
    sent.clear();
    late.clear();
    this.removed.clear();
    pass(SteppedSource.RETENTION.plusDays(removed ? 2 : 1));
    if (removed) {
      app.forgetExpired(now());
    }
  }

  /** A scan from beginning to end, or what is left of one. */
  void scan() {
    long before = scans;
    pass(followsChanges() ? SteppedSource.SCAN_INTERVAL : SteppedSource.INTERVAL);
    topic.release();
    recover();
    for (int i = 0; i < POLLS; i++) {
      pass(Duration.ofMillis(10));
      changesCome();
      poll();
      while (!snapshotReads.isEmpty()) {
        snapshotReadArrives();
      }
      if (scans > before) {
        poll();
        return;
      }
    }
    throw new AssertionError("no scan was completed");
  }

  /** Whether an ad-hoc snapshot is asked for that was not made yet. */
  boolean isAsked() {
    return requested > answered;
  }

  /** Whether the source last said that what it published may be wrong until an ad-hoc snapshot. */
  boolean isSnapshotNeeded() {
    return snapshotNeeded;
  }

  /** What is wrong in the app; empty: nothing. */
  String difference() {
    return app.difference(store.all());
  }

  /** All events of writers arrived, in an order that versions or arrival tell. */
  boolean isFullySent() {
    return !lossy
        && (ordered || store.isInOneEpoch())
        && snapshotReads.isEmpty()
        && sent.stream().allMatch(Sent::arrived);
  }

  /** What the app has back although an event named its removal. */
  Optional<String> resurrected() {
    return store.isInOneEpoch()
        ? removed.keySet().stream().filter(this::isBack).findAny()
        : Optional.empty();
  }

  private boolean isBack(String key) {
    Entry entry = app.entry(key);
    return entry != null
        && !entry.deleted()
        && sequence(entry.version().sequence()) <= removed.get(key);
  }

  Map<String, Long> removed() {
    return removed;
  }

  boolean ordered() {
    return ordered;
  }

  boolean lossy() {
    return lossy;
  }
}
