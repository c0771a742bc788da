package io.indexview.streams.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.BuildRequest;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.TaskProgress.Phase;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewWish;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.schemas.serde.MessageReader;
import io.indexview.streams.People;
import io.indexview.streams.error.RegistryWait;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.health.ViewStateGauges;
import io.indexview.streams.lifecycle.machine.LifeSettings;
import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.streams.lifecycle.work.WorkResultCodec;
import io.indexview.views.definition.ViewDefinitionParser;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnerProcessorTest {
  private static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX);
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private static final LifeSettings SETTINGS =
      new LifeSettings(
          Duration.ofMinutes(10), new Topics(Topics.DEFAULT_PREFIX), Map.of("kv", "connect-kv"));

  @TempDir private Path stateDir;

  private final SchemaRegistry registry =
      InMemorySchemaRegistry.shared(UUID.randomUUID().toString());
  private final ViewStateGauges gauges = new ViewStateGauges();
  private Set<Work> wanted = Set.of();
  private TopologyTestDriver driver;

  @BeforeEach
  void open() {
    Topology topology = new Topology();
    LifecycleTopology.addTo(topology, TOPICS, SETTINGS, services(), 1 << 20);
    Properties settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "test");
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:1");
    settings.put(StreamsConfig.STATE_DIR_CONFIG, stateDir.toString());
    driver = new TopologyTestDriver(topology, settings, START);
  }

  private LifecycleServices services() {
    return new LifecycleServices(
        registry, new RegistryWait(new StopSignal()), all -> wanted = all, gauges);
  }

  @AfterEach
  void givesUpItsWorkWhenItCloses() {
    driver.close();
    assertThat(wanted).isEmpty();
  }

  private static ViewWish wish() {
    String json = new ViewDefinitionParser().parse("by-org.yaml", People.BY_ORG).toJson();
    return new ViewWish("by-org", json, 7, BuildRequest.FIRST, START.toEpochMilli());
  }

  private byte[] avro(String topic, GenericRecord record) {
    return new AvroSerializer<GenericRecord>(registry, false).serialize(topic, record);
  }

  private void tellWish(String view, byte[] value) {
    tell(TOPICS.viewDefinitions(), view, value);
  }

  private void tell(String topic, String key, byte[] value) {
    driver
        .createInputTopic(topic, new ByteArraySerializer(), new ByteArraySerializer())
        .pipeInput(key.getBytes(StandardCharsets.UTF_8), value);
  }

  private void tell(WorkResult result) {
    String topic = TOPICS.viewProgress();
    tell(topic, WorkResultCodec.key(result), avro(topic, WorkResultCodec.toAvro(result, 0)));
  }

  private void tell(TaskProgress report) {
    String topic = TOPICS.viewProgress();
    tell(topic, report.key(), avro(topic, report.toAvro()));
  }

  private List<KeyValue<byte[], byte[]>> read(String topic) {
    return driver
        .createOutputTopic(topic, new ByteArrayDeserializer(), new ByteArrayDeserializer())
        .readKeyValuesToList();
  }

  private ViewState state(byte[] value) {
    return ViewState.of(
        new AvroDeserializer(registry, ControlSchemas.VIEW_STATE)
            .deserialize(TOPICS.viewStates(), value));
  }

  private <W extends Work> W wanted(Class<W> kind) {
    return wanted.stream().filter(kind::isInstance).map(kind::cast).findFirst().orElseThrow();
  }

  private void freeze() {
    tell(Freezing.frozen(wanted(Work.Freeze.class), People.RECORD_SET, 1));
  }

  @Test
  void publishesStatesUnderFramedKeysAndGenerationsUnderText() {
    tellWish("by-org", avro(TOPICS.viewDefinitions(), wish().toAvro()));
    freeze();

    List<KeyValue<byte[], byte[]>> states = read(TOPICS.viewStates());
    assertThat(states).hasSize(2);
    assertThat(new MessageReader(registry).read(TOPICS.viewStates(), states.get(0).key).value())
        .hasToString("by-org");
    assertThat(state(states.get(1).value).building()).isPresent();

    List<KeyValue<byte[], byte[]>> generations = read(TOPICS.viewGenerations());
    assertThat(generations).hasSize(1);
    assertThat(generations.get(0).key).asString(StandardCharsets.UTF_8).isEqualTo("by-org|1");
    GenericRecord generation =
        new AvroDeserializer(registry, ControlSchemas.VIEW_GENERATION)
            .deserialize(TOPICS.viewGenerations(), generations.get(0).value);
    assertThat(PublishedGeneration.of(generation).definition()).isEqualTo(wish().definition());
  }

  @Test
  void wantsTheSameAgainAfterARestart() {
    tellWish("by-org", avro(TOPICS.viewDefinitions(), wish().toAvro()));
    Set<Work> before = wanted;
    assertThat(before).isNotEmpty();

    Map<String, String> remembered = remembered();
    wanted = Set.of();

    processor().init(contextWith(remembered));
    assertThat(wanted).isEqualTo(before);
  }

  @Test
  void tellsTheWorkerAgainWhenItsTaskIsRevived() {
    tellWish("by-org", avro(TOPICS.viewDefinitions(), wish().toAvro()));
    Set<Work> before = wanted;
    MockProcessorContext<byte[], byte[]> context = contextWith(remembered());
    OwnerProcessor processor = processor();

    processor.init(context);
    processor.close();
    assertThat(wanted).isEmpty();
    processor.init(context);

    assertThat(wanted).isNotEmpty().isEqualTo(before);
    assertThat(context.scheduledPunctuators())
        .filteredOn(punctuator -> !punctuator.cancelled())
        .hasSize(1);
  }

  private Map<String, String> remembered() {
    Map<String, String> remembered = new HashMap<>();
    driver
        .<String, String>getKeyValueStore(LifecycleTopology.STORE)
        .all()
        .forEachRemaining(entry -> remembered.put(entry.key, entry.value));
    return remembered;
  }

  private OwnerProcessor processor() {
    return new OwnerProcessor(TOPICS, SETTINGS, services());
  }

  private static MockProcessorContext<byte[], byte[]> contextWith(Map<String, String> remembered) {
    MockProcessorContext<byte[], byte[]> context = new MockProcessorContext<>();
    KeyValueStore<String, String> store =
        Stores.keyValueStoreBuilder(
                Stores.inMemoryKeyValueStore(LifecycleTopology.STORE),
                Serdes.String(),
                Serdes.String())
            .withLoggingDisabled()
            .build();
    store.init(context.getStateStoreContext(), store);
    remembered.forEach(store::put);
    context.addStateStore(store);
    return context;
  }

  private static TaskProgress report(Phase phase) {
    return new TaskProgress("people", 0, "by-org", 1, phase, 1, 1, 1, 1, 0, "", 0);
  }

  @Test
  void tellsProgressWhenTimePasses() {
    tellWish("by-org", avro(TOPICS.viewDefinitions(), wish().toAvro()));
    freeze();
    read(TOPICS.viewStates());

    tell(report(Phase.BUILDING));
    assertThat(read(TOPICS.viewStates())).isEmpty();
    driver.advanceWallClockTime(Duration.ofSeconds(1));

    List<KeyValue<byte[], byte[]>> states = read(TOPICS.viewStates());
    assertThat(states).hasSize(1);
    assertThat(state(states.get(0).value).done()).hasValue(1);
  }

  @Test
  void passesOverWhatNobodyCanRead() {
    tellWish("by-org", avro(TOPICS.viewDefinitions(), wish().toAvro()));
    read(TOPICS.viewStates());

    tell(TOPICS.viewProgress(), "work|x", new byte[] {1, 2, 3});
    tell(TOPICS.viewProgress(), "work|y", null);
    tellWish("by-age", avro(TOPICS.viewDefinitions(), wish().toAvro()));
    assertThat(read(TOPICS.viewStates())).isEmpty();
    tellWish("by-org", new byte[] {1, 2, 3});

    List<KeyValue<byte[], byte[]>> states = read(TOPICS.viewStates());
    assertThat(states).hasSize(1);
    assertThat(state(states.get(0).value).reason()).contains("refused");
    assertThat(wanted(Work.Freeze.class).generation()).isEqualTo(1);
  }
}
