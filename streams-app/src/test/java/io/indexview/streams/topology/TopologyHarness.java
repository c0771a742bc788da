package io.indexview.streams.topology;

import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.Subjects;
import io.indexview.streams.People;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.derive.DeriverServices;
import io.indexview.streams.error.RegistryWait;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.generation.FixedGenerations;
import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.streams.health.AppMetrics;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.RowSchemas;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
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
  static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  final AppMetrics metrics = new AppMetrics();
  final String scope;
  final SchemaRegistry registry;
  final People people;
  private final Path stateDir;
  private final Map<String, String> extra;
  private final List<FrozenGeneration> generations;
  private TopologyTestDriver driver;
  private TestInputTopic<byte[], byte[]> input;

  TopologyHarness(Path stateDir, Map<String, String> extra, String... views) {
    this.stateDir = stateDir;
    this.extra = extra;
    this.scope = UUID.randomUUID().toString();
    this.registry = InMemorySchemaRegistry.shared(scope);
    this.people = new People(registry);
    this.generations = Stream.of(views).map(People::generation).map(this::pin).toList();
    open();
  }

  private FrozenGeneration pin(ViewGeneration generation) {
    RowSchemas schemas = RowSchemas.of(generation);
    return new FrozenGeneration(
        generation,
        registry.register(People.TOPIC + "-record", People.SCHEMA),
        registry.register(Subjects.key(generation.viewTopic()), schemas.key()),
        registry.register(Subjects.value(generation.viewTopic()), schemas.value()));
  }

  AppConfig config() {
    Map<String, String> values = new HashMap<>();
    values.put("bootstrap.servers", "127.0.0.1:1");
    values.put("schema.registry.url", "mock://" + scope);
    values.put("record.sets", "people");
    values.put("views.dir", "unused");
    values.put("state.dir", stateDir.toString());
    values.put("state.memory.bytes", Integer.toString(16 << 20));
    values.putAll(extra);
    return AppConfig.parse(values);
  }

  Topology topology() {
    return new IndexViewTopology(
            config(),
            new DeriverServices(
                new FixedGenerations(generations),
                registry,
                new RegistryWait(new StopSignal()),
                metrics,
                metrics))
        .build();
  }

  private void open() {
    Properties settings = new Properties();
    settings.putAll(StreamsSettings.of(config()));
    driver = new TopologyTestDriver(topology(), settings, START);
    input =
        driver.createInputTopic(People.TOPIC, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /**
   * Ends the process in order and starts it again. The driver removes its directory when it closes,
   * so the state comes back as it does from a changelog.
   */
  void restart() {
    List<KeyValue<Bytes, byte[]>> changelog = entries();
    driver.close();
    open();
    driver.<Bytes, byte[]>getKeyValueStore(STORE).putAll(changelog);
  }

  private List<KeyValue<Bytes, byte[]>> entries() {
    List<KeyValue<Bytes, byte[]>> entries = new ArrayList<>();
    try (KeyValueIterator<Bytes, byte[]> all =
        driver.<Bytes, byte[]>getKeyValueStore(STORE).all()) {
      all.forEachRemaining(entries::add);
    }
    return entries;
  }

  void send(String key, byte[] value) {
    send(bytes(key), value, START);
  }

  void send(byte[] key, byte[] value, Instant timestamp) {
    input.pipeInput(new TestRecord<>(key, value, timestamp));
  }

  void passTime(Duration time) {
    driver.advanceWallClockTime(time);
  }

  /** A record of an output topic. */
  record Written(GenericRecord key, GenericRecord value, Map<String, String> headers) {}

  List<Written> rows(String view) {
    return read("indexview.view.kv." + view + ".1", true);
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

  Map<String, byte[]> state() {
    Map<String, byte[]> state = new HashMap<>();
    entries()
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
