package io.indexview.connect.kvstore.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.avro.AvroConverter;
import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.index.ChangeTopicReader.LoggedEvent;
import io.indexview.connect.common.index.FakeTopic;
import io.indexview.connect.common.source.EnvelopeStructs;
import io.indexview.connect.common.source.SourcePartition;
import io.indexview.connect.kvstore.config.CaptureFragment.CaptureMode;
import io.indexview.connect.kvstore.config.KvRecordSet;
import io.indexview.connect.kvstore.source.SourceSettings.CaptureSettings;
import io.indexview.connect.kvstore.source.SourceSettings.ScanSettings;
import io.indexview.connect.kvstore.source.index.ScannedIndexState;
import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.KvVersion;
import io.indexview.kvstore.open.KvStores;
import io.indexview.kvstore.value.ValueDecoder;
import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.ChangeEventReader;
import io.indexview.schemas.change.MalformedEventException;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.control.SourceState.Scan;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.order.OrderGuard.Decision;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;

/** A record set source between a real embedded store and a topic in memory. */
final class SourceHarness implements AutoCloseable {
  static final String STATES = "indexview.source-states";
  static final String DEAD_LETTERS = "indexview.dead-letters";
  static final Duration RETENTION = Duration.ofDays(15);
  static final Duration INTERVAL = Duration.ofSeconds(10);
  static final Duration MAX_INTERVAL = Duration.ofSeconds(60);
  static final int MAX_TIME_PERCENT = 5;
  static final Duration SCAN_INTERVAL = Duration.ofHours(6);
  static final Duration DELAY = Duration.ofMillis(20);
  static final Duration HEARTBEAT = Duration.ofSeconds(1);
  private static final int POLLS = 20_000;

  final ManualClock clock = new ManualClock();
  final FakeTopic topic = new FakeTopic(2, clock);
  final KvStore store;
  final List<SourceRecord> sent = new ArrayList<>();

  /** Keys of the store that are rows of tables. */
  final Set<KvKey> tableRows = new HashSet<>();

  final FakeChanges changes = new FakeChanges(100);
  final FakeRequests requests = new FakeRequests();
  private CaptureMode mode = CaptureMode.SCAN;
  private ChangeFeed feed;
  private KvRecordSet recordSet;
  private final Path directory;
  final SchemaRegistry registry;
  private final AvroConverter converter = new AvroConverter();
  private final OrderGuard guard = new OrderGuard(RETENTION);
  private final ChangeEventReader reader;
  private Map<String, ?> offset;
  private int indexNumber;
  private String incarnation = "1";
  private boolean storeAvailable = true;
  private boolean storeAnswers = true;
  private boolean registryAnswers = true;
  ScanProgress progress;
  private long recordsPerSecond;
  private int chunkRows = 1_000;
  private RecordSetSource source;

  SourceHarness(Path directory) {
    this(directory, People.RECORD_SET);
  }

  SourceHarness(Path directory, KvRecordSet recordSet) {
    this.directory = directory;
    this.recordSet = recordSet;
    Map<String, String> config =
        Map.of("schema.registry.url", "mock://source-" + UUID.randomUUID());
    this.registry = SchemaRegistries.create(config);
    this.reader = new ChangeEventReader(registry, RecordFormat.ENVELOPE);
    converter.configure(config, false);
    this.store =
        KvStores.open(
            KvStoreConfig.of("embedded:" + directory.resolve("store"))
                .withCacheBytes(8L << 20)
                .withDurability(KvDurability.WRITE_NO_SYNC));
    start();
  }

  /** Somebody asks for an ad-hoc snapshot. */
  void request(long number) {
    requests.askForSnapshot(number);
  }

  /** From the next start on. */
  void setRate(long maxRecordsPerSecond, int heldRows) {
    recordsPerSecond = maxRecordsPerSecond;
    chunkRows = heldRows;
  }

  /** Whether it can be opened. */
  void setStoreAvailable(boolean available) {
    storeAvailable = available;
  }

  /** Whether it goes on to answer those who have opened it. */
  void setStoreAnswers(boolean answers) {
    storeAnswers = answers;
  }

  /** Whether the registry answers when a value of the store is decoded. */
  void setRegistryAnswers(boolean answers) {
    registryAnswers = answers;
  }

  private ValueDecoder decoder() {
    ValueDecoder decoder = ValueDecoder.of(recordSet.values(), registry, clock);
    return value -> {
      if (!registryAnswers) {
        throw new RegistryException.Unavailable("no answer", null);
      }
      return decoder.decode(value);
    };
  }

  private KvStore reachableStore() {
    if (!storeAvailable) {
      throw new KvStoreException.Unavailable("not now");
    }
    return TableRows.in(store, tableRows::contains, this::requireAnswer);
  }

  private void requireAnswer() {
    if (!storeAnswers) {
      throw new KvStoreException.Unavailable("no answer");
    }
  }

  private void start() {
    feed = null;
    source =
        new RecordSetSource(
            new SourceSettings(
                recordSet,
                new SourcePartition("people-store", People.TOPIC, "0", 1),
                STATES,
                DEAD_LETTERS,
                new ScanSettings(
                    incarnation,
                    new ScanPauses(INTERVAL, MAX_INTERVAL, MAX_TIME_PERCENT),
                    1,
                    5,
                    recordsPerSecond,
                    0,
                    chunkRows),
                new CaptureSettings(mode, DELAY, SCAN_INTERVAL),
                HEARTBEAT),
            KvStoreSourceOffset.fromMap(offset),
            new RecordSetStore(
                this::reachableStore,
                new ParallelReads(this::reachableStore, 2),
                this::follow,
                decoder()),
            new MaterializedTopic(
                () -> ScannedIndexState.openIndex(directory.resolve("index-" + indexNumber)),
                topic::open,
                new ChangeEventReader(registry, RecordFormat.ENVELOPE),
                guard,
                clock),
            requests,
            new Backoff(Duration.ofMillis(100), Duration.ofSeconds(1), () -> 0),
            clock);
    progress = source.progress();
  }

  private ChangeFeed follow(Optional<KvChangePosition> from) {
    feed =
        new ChangeFeed(
            recordSet.name(),
            () -> changes.open(recordSet.keys(), from),
            from.isEmpty(),
            new Backoff(Duration.ofMillis(1), Duration.ofMillis(1), () -> 0),
            clock,
            () -> {});
    return feed;
  }

  /** Follows changes from the next start on. */
  void setMode(CaptureMode next) {
    mode = next;
  }

  /** The task ends wherever it is and starts again. */
  void restart() {
    source.close();
    start();
  }

  void restartAs(String newIncarnation) {
    incarnation = newIncarnation;
    restart();
  }

  /** Starts again with another record schema. */
  void restartWith(KvRecordSet newRecordSet) {
    recordSet = newRecordSet;
    restart();
  }

  void restartWithoutIndex() {
    indexNumber++;
    restart();
  }

  void restartWithIndexBefore() {
    indexNumber--;
    restart();
  }

  void forgetOffsets() {
    offset = null;
    restart();
  }

  void pass(Duration time) {
    clock.pass(time);
  }

  long now() {
    return clock.millis();
  }

  /** One poll, its records in Kafka and acknowledged when it returns. */
  List<SourceRecord> poll() {
    List<SourceRecord> records = pollAndLose();
    records.forEach(this::produce);
    return records;
  }

  Duration idle() {
    return source.idle();
  }

  /** One poll whose records are lost with the producer. */
  List<SourceRecord> pollAndLose() {
    if (feed != null) {
      feed.step(Duration.ZERO);
    }
    return source.poll();
  }

  /**
   * Polls until an ad-hoc snapshot is complete; returns the record that says so, which is on its
   * way.
   */
  SourceRecord pollUntilAdHocSnapshot() {
    for (int i = 0; i < POLLS; i++) {
      pass(Duration.ofMillis(1));
      for (SourceRecord record : source.poll()) {
        Scan scan = KvStoreSourceOffset.fromMap(record.sourceOffset()).lastScan();
        if (record.topic().equals(STATES) && scan != null && scan.adHoc()) {
          return record;
        }
        produce(record);
      }
    }
    throw new AssertionError("no ad-hoc snapshot was completed");
  }

  /** A record arrives in Kafka, and is acknowledged. */
  void produce(SourceRecord record) {
    sent.add(record);
    offset = record.sourceOffset();
    RecordMetadata metadata = metadata(record.topic(), 0, 0);
    if (record.topic().equals(People.TOPIC)) {
      byte[] key = record.key().toString().getBytes(StandardCharsets.UTF_8);
      byte[] value = converter.fromConnectData(People.TOPIC, record.valueSchema(), record.value());
      metadata = metadata(People.TOPIC, topic.partition(key), topic.append(key, value, now()));
    }
    source.acknowledged(record, metadata);
  }

  private static RecordMetadata metadata(String topic, int partition, long offset) {
    return new RecordMetadata(new TopicPartition(topic, partition), offset, 0, 0, 0, 0);
  }

  /** Drops what is polled next as a transformation would. */
  List<SourceRecord> pollAndDrop() {
    List<SourceRecord> records = source.poll();
    records.forEach(record -> source.acknowledged(record, null));
    return records;
  }

  /** Lets a whole new scan run; returns the events that it sent. */
  List<SourceRecord> scan() {
    Scan before = KvStoreSourceOffset.fromMap(offset).lastScan();
    int from = sent.size();
    pass(INTERVAL);
    for (int i = 0; i < POLLS; i++) {
      pass(Duration.ofMillis(1));
      poll();
      Scan last = KvStoreSourceOffset.fromMap(offset).lastScan();
      if (last != null && !last.equals(before)) {
        poll();
        return sent.subList(from, sent.size()).stream()
            .filter(record -> !record.topic().equals(STATES))
            .toList();
      }
    }
    throw new AssertionError("no scan was completed");
  }

  /** Lets the next scan run, with some time from poll to poll; returns how long it took. */
  Duration scanSlowly(Duration step) {
    Scan before = KvStoreSourceOffset.fromMap(offset).lastScan();
    pass(INTERVAL);
    long began = now();
    while (Objects.equals(KvStoreSourceOffset.fromMap(offset).lastScan(), before)) {
      poll();
      pass(step);
    }
    poll();
    return Duration.ofMillis(now() - began);
  }

  /** Polls once; whether that begins a scan. */
  boolean isScanning() {
    poll();
    return idle().isZero();
  }

  /** Publishes an event as the writer library would; a null name is a delete. */
  void tell(String key, SourceVersion version, String name) {
    SchemaAndValue event =
        new EnvelopeStructs(People.SCHEMA, "writer", "writer")
            .event(
                name == null ? Op.DELETE : Op.UPDATE,
                now(),
                now(),
                new Origin.Versioned(version),
                name == null ? null : People.person(name));
    byte[] value = converter.fromConnectData(People.TOPIC, event.schema(), event.value());
    topic.append(key.getBytes(StandardCharsets.UTF_8), value, now());
  }

  List<Struct> states() {
    return sent.stream()
        .filter(record -> record.topic().equals(STATES))
        .map(record -> (Struct) record.value())
        .toList();
  }

  /** What the source last said on source-states. */
  Struct lastState() {
    List<Struct> states = states();
    return states.get(states.size() - 1);
  }

  Struct lastAdHocSnapshot() {
    return lastState().getStruct("lastAdHocSnapshot");
  }

  Struct lastScan() {
    return lastState().getStruct("lastScan");
  }

  SourceVersion version(KvVersion version) {
    return new SourceVersion(incarnation + "/" + version.shard(), version.vlsnBytes());
  }

  /** The topic as the streams app materializes it, ad-hoc snapshots included. */
  Map<String, Entry> materialized() {
    Map<String, Entry> entries = new TreeMap<>();
    for (int partition : topic.bounds().ends().keySet()) {
      Map<String, Entry> own = new TreeMap<>();
      List<Scan> snapshots = snapshots();
      for (LoggedEvent logged : topic.all()) {
        if (logged.partition() == partition) {
          snapshots.removeIf(scan -> ended(scan, partition, logged.offset(), own));
          materialize(logged, own);
        }
      }
      snapshots.forEach(scan -> ended(scan, partition, Long.MAX_VALUE, own));
      entries.putAll(own);
    }
    return entries;
  }

  private List<Scan> snapshots() {
    return sent.stream()
        .filter(record -> record.topic().equals(STATES))
        .map(record -> KvStoreSourceOffset.fromMap(record.sourceOffset()).lastScan())
        .filter(scan -> scan != null && scan.adHoc())
        .distinct()
        .collect(Collectors.toCollection(ArrayList::new));
  }

  /** Past the end of an ad-hoc snapshot, what it did not touch is gone. */
  private static boolean ended(Scan scan, int partition, long offset, Map<String, Entry> entries) {
    if (offset < scan.ends().get(partition)) {
      return false;
    }
    entries.values().removeIf(entry -> entry.offset() < scan.begins().get(partition));
    return true;
  }

  private void materialize(LoggedEvent logged, Map<String, Entry> entries) {
    String key = new String(logged.key(), StandardCharsets.UTF_8);
    try {
      ChangeEvent event = reader.read(logged.value(), logged.timestampMs()).orElseThrow();
      Decision decision = guard.decide(entries.get(key), event, logged.offset(), now());
      if (decision.next() != null) {
        entries.put(key, decision.next());
      }
    } catch (MalformedEventException e) {
      throw new AssertionError("the source published what cannot be read", e);
    }
  }

  /** Keys and versions that the topic says are alive. */
  Map<String, SourceVersion> alive() {
    Map<String, Entry> entries = materialized();
    entries.values().removeIf(Entry::deleted);
    Map<String, SourceVersion> alive = new TreeMap<>();
    entries.forEach((key, entry) -> alive.put(key, entry.version()));
    return alive;
  }

  /** Keys and versions in the store. */
  Map<String, SourceVersion> stored() {
    Map<String, SourceVersion> stored = new TreeMap<>();
    try (var records = store.storeIterator(KvScan.under(People.RECORD_SET.prefix()))) {
      while (records.hasNext()) {
        KvRecord record = records.next();
        stored.put(record.key().toString(), version(record.version()));
      }
    }
    return stored;
  }

  void assertConverged() {
    assertThat(alive()).isEqualTo(stored());
  }

  KvVersion put(int number, String name) {
    KvVersion version = store.put(People.key(number), People.bytes(name));
    changes.changed(People.key(number));
    return version;
  }

  void delete(int number) {
    store.delete(People.key(number));
    changes.changed(People.key(number));
  }

  @Override
  public void close() {
    source.close();
    store.close();
    registry.close();
  }
}
