package io.indexview.streams.topology;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.streams.People;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.derive.ChangeRecord;
import io.indexview.streams.derive.DeriverServices;
import io.indexview.streams.error.FailedEvents;
import io.indexview.streams.error.RefusingTopics;
import io.indexview.streams.error.RegistryWait;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.generation.TopicFit.InPlace;
import io.indexview.streams.health.AppMetrics;
import io.indexview.streams.task.GenerationReader;
import io.indexview.streams.task.ListedChangeTopicReader;
import io.indexview.streams.task.ReplayReader;
import io.indexview.streams.task.TaskServices;
import io.indexview.streams.task.TrimmedEvents;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.test.TestRecord;

/** The topology of the people record set on a test driver, with real serdes and state on disk. */
final class TopologyHarness implements AutoCloseable {
  private static final String STORE = "records-people";
  private static final String BUILDS = "builds-people";
  private static final String VIEW_GENERATIONS = "indexview.view-generations";
  private static final Duration SETTLING = Duration.ofSeconds(1);
  private static final int SETTLING_STEPS = 5;

  /** Where the entries of the record set are. */
  static Map<String, String> stateStore(String kind) {
    return Map.of("record.set.people.state.store", kind);
  }

  /** The time when it is ready for events. */
  static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  final AppMetrics metrics = new AppMetrics();
  final String scope;
  final SchemaRegistry registry;
  final People people;
  private final Path stateDir;
  private final Map<String, String> extra;
  private final Map<String, PublishedGeneration> generations = new LinkedHashMap<>();
  private final List<ChangeRecord> sent = new ArrayList<>();

  /**
   * As much as the driver's time: on a slow machine scans would pause longer than the test waits.
   */
  private final ManualClock clock = new ManualClock();

  private TopologyTestDriver driver;
  private TestInputTopic<byte[], byte[]> input;

  TopologyHarness(Path stateDir, Map<String, String> extra, String... views) {
    this.stateDir = stateDir;
    this.extra = extra;
    this.scope = UUID.randomUUID().toString();
    this.registry = InMemorySchemaRegistry.shared(scope);
    this.people = new People(registry);
    for (String view : views) {
      PublishedGeneration published = people.published(People.generation(view));
      generations.put(published.key(), published);
    }
    open();
    for (int i = 0; i < SETTLING_STEPS; i++) {
      passTime(SETTLING.dividedBy(SETTLING_STEPS));
    }
  }

  AppConfig config() {
    Map<String, String> values = new HashMap<>();
    values.put("bootstrap.servers", "127.0.0.1:1");
    values.put("schema.registry.url", "mock://" + scope);
    values.put("record.sets", "people");
    values.put("views.dir", "unused");
    values.put("state.dir", stateDir.toString());
    values.put("state.memory.bytes", Integer.toString(16 << 20));
    // Room for some of the entries.
    values.put("state.cache.bytes", "2000");
    values.putAll(extra);
    return AppConfig.parse(values);
  }

  Topology topology() {
    return topology(Map.of());
  }

  Topology topology(Map<String, InPlace> setAside) {
    return wiring(setAside).topology();
  }

  IndexViewTopology wiring(Map<String, InPlace> setAside) {
    DeriverServices deriving =
        new DeriverServices(
            registry,
            new RegistryWait(new StopSignal()),
            new OrderGuard(Duration.ofDays(15)),
            metrics,
            clock);
    TaskServices services =
        new TaskServices(
            deriving,
            new GenerationReader(registry),
            (topicId, partition, offset) -> true,
            topic -> Optional.of("topic-1"),
            generation -> "",
            unused -> changeLog(),
            new FailedEvents(Clock.systemUTC()),
            new TrimmedEvents(),
            new RefusingTopics(topic -> true, Clock.systemUTC()));
    return new IndexViewTopology(config(), services, setAside);
  }

  private CompletableFuture<ReplayReader> changeLog() {
    return CompletableFuture.completedFuture(
        new ListedChangeTopicReader(
            () -> sent, sent::size, new ReplayReader.Bounds(0, 0, sent.size())));
  }

  private void open() {
    Properties settings = new Properties();
    settings.putAll(StreamsSettings.of(config(), "harness"));
    driver = new TopologyTestDriver(topology(), settings, START.minus(SETTLING));
    input =
        driver.createInputTopic(People.TOPIC, new ByteArraySerializer(), new ByteArraySerializer());
    generations.values().forEach(this::pipe);
  }

  /** Publishes a generation, also after a restart. */
  void publish(PublishedGeneration generation) {
    generations.put(generation.key(), generation);
    pipe(generation);
  }

  private void pipe(PublishedGeneration generation) {
    pipe(
        generation.key(),
        new AvroSerializer<GenericRecord>(registry, false)
            .serialize(VIEW_GENERATIONS, generation.toAvro()));
  }

  /** Publishes something under the key of a generation, until the next restart. */
  void pipe(String key, byte[] value) {
    driver
        .createInputTopic(VIEW_GENERATIONS, new StringSerializer(), new ByteArraySerializer())
        .pipeInput(key, value);
  }

  /**
   * Ends the process in order and starts it again. The driver removes its directory when it closes,
   * so the state comes back as it does from a changelog.
   */
  void restart() {
    List<KeyValue<Bytes, byte[]>> changelog = contents(STORE);
    List<KeyValue<String, byte[]>> builds = contents(BUILDS);
    driver.close();
    open();
    driver.<Bytes, byte[]>getKeyValueStore(STORE).putAll(changelog);
    driver.<String, byte[]>getKeyValueStore(BUILDS).putAll(builds);
  }

  private <K> List<KeyValue<K, byte[]>> contents(String store) {
    List<KeyValue<K, byte[]>> contents = new ArrayList<>();
    try (KeyValueIterator<K, byte[]> all = driver.<K, byte[]>getKeyValueStore(store).all()) {
      all.forEachRemaining(contents::add);
    }
    return contents;
  }

  void send(String key, byte[] value) {
    send(bytes(key), value, START);
  }

  void send(byte[] key, byte[] value, Instant timestamp) {
    sent.add(new ChangeRecord(People.TOPIC, 0, sent.size(), timestamp.toEpochMilli(), key, value));
    input.pipeInput(new TestRecord<>(key, value, timestamp));
  }

  void passTime(Duration time) {
    clock.pass(time);
    driver.advanceWallClockTime(time);
  }

  /** A record of an output topic. */
  record Written(GenericRecord key, GenericRecord value, Map<String, String> headers) {}

  List<Written> rows(String view) {
    return read("indexview.view.kv." + view + ".1", true);
  }

  /** What tasks reported since the last call, in order. */
  List<TaskProgress> reports() {
    return read("indexview.view-progress", false).stream()
        .map(written -> TaskProgress.of(written.value()))
        .toList();
  }

  List<Written> deadLetters() {
    return read("indexview.dead-letters", false);
  }

  private List<Written> read(String topic, boolean avroKey) {
    AvroDeserializer avro = new AvroDeserializer(registry);
    return driver
        .createOutputTopic(topic, new ByteArrayDeserializer(), new ByteArrayDeserializer())
        .readRecordsToList()
        .stream()
        .map(
            written ->
                new Written(
                    avroKey ? avro.deserialize(topic, written.key()) : null,
                    avro.deserialize(topic, written.value()),
                    headers(written)))
        .toList();
  }

  private static Map<String, String> headers(TestRecord<byte[], byte[]> written) {
    Map<String, String> headers = new HashMap<>();
    written
        .headers()
        .forEach(
            header ->
                headers.put(header.key(), new String(header.value(), StandardCharsets.UTF_8)));
    return headers;
  }

  /** Makes the state of a record something else, behind the back of the application. */
  void corrupt(String key, byte[] entry) {
    driver.<Bytes, byte[]>getKeyValueStore(STORE).put(Bytes.wrap(bytes(key)), entry);
  }

  /** How many entries the store of replays has. */
  int replayed() {
    return this.<Bytes>contents("replay-people").size();
  }

  Map<String, byte[]> state() {
    Map<String, byte[]> state = new HashMap<>();
    this.<Bytes>contents(STORE)
        .forEach(
            entry -> state.put(new String(entry.key.get(), StandardCharsets.UTF_8), entry.value));
    return state;
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    driver.close();
  }
}
