package io.indexview.streams.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.PurgeProgress;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.TaskProgress.Phase;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.fixtures.Bounded;
import io.indexview.schemas.fixtures.Mutator;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.serde.MessageWriter;
import io.indexview.streams.People;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.ControlEvent;
import io.indexview.streams.controller.rules.ControlRecord;
import io.indexview.streams.controller.rules.ControllerSettings;
import io.indexview.streams.controller.rules.Freezing;
import io.indexview.views.definition.ViewDefinitionParser;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.config.Configurator;

/** Whatever lies on a control topic: the controller ignores it, and goes on. */
class MalformedControlRecordsPropertyTest {
  private static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX);
  private static final ControllerSettings SETTINGS =
      new ControllerSettings(Duration.ofMinutes(10), TOPICS, Map.of("kv", "connect-kv"));
  private static final TopicPartition MEMORY = new TopicPartition("app-controller", 0);
  private static final TopicPartition DEFINITIONS = new TopicPartition(TOPICS.viewDefinitions(), 0);
  private static final TopicPartition PROGRESS = new TopicPartition(TOPICS.viewProgress(), 0);
  private static final List<TopicPartition> PARTITIONS = List.of(MEMORY, DEFINITIONS, PROGRESS);
  private static final int INPUTS = 6;
  private static final long MAX_BYTES = 64L << 20;

  private static Level level;

  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
  private final byte[][] definitions = {
    avro(spec().toAvro()),
    avro(
        new ViewSpec("by-org", "{\"name\": 7", 8, BuildRequest.FIRST, 1, Optional.empty()).toAvro())
  };
  private final byte[][] reports = {
    avro(new TaskProgress("people", 0, "by-org", 1, Phase.BUILT, 1, 1, 1, 1, 0, "why", 0).toAvro()),
    avro(new EventsLost("people", 5, "trimmed").toAvro()),
    avro(EventsLost.ofState("people", 5, "changelog", "id").toAvro()),
    avro(new PurgeProgress("people", 0, "id", Map.of("source|0", 7L), 5).toAvro())
  };
  private final byte[][] memory =
      ControllerMemory.records(building().takeChanges(), new ControllerMemory.Read("id", 0))
          .values()
          .stream()
          .map(this::avro)
          .toArray(byte[][]::new);

  /** A line each is right, and here too much. */
  @BeforeContainer
  static void silence() {
    level = LogManager.getLogger(KafkaControlTopics.class).getLevel();
    Configurator.setLevel(KafkaControlTopics.class, Level.OFF);
  }

  @AfterContainer
  static void speak() {
    Configurator.setLevel(KafkaControlTopics.class, level);
  }

  private byte[] avro(GenericRecord record) {
    return new MessageWriter(registry, false)
        .write(record.getSchema().getName(), record.getSchema(), record);
  }

  private static ViewSpec spec() {
    String json = new ViewDefinitionParser().parse("by-org.yaml", People.BY_ORG).toJson();
    return new ViewSpec("by-org", json, 7, BuildRequest.FIRST, 1, Optional.empty());
  }

  private static Reconciler building() {
    Reconciler reconciler = new Reconciler(SETTINGS, List.of(), Map.of());
    reconciler.apply(new ControlEvent.Desired(spec()), 1);
    Action freeze = reconciler.wanted().values().iterator().next();
    reconciler.apply(Freezing.frozen((Action.Freeze) freeze, People.RECORD_SET, 1), 1);
    return reconciler;
  }

  @Example
  void unreadableViewIsShownOnlyUnderAValidName() {
    Reconciler reconciler = new Reconciler(SETTINGS, List.of(), Map.of());
    reconciler.apply(new ControlEvent.Unreadable("by-org", "no such schema"), 1);
    reconciler.apply(new ControlEvent.Unreadable("By Org", "no such schema"), 1);
    reconciler.apply(new ControlEvent.Unreadable("by-org-g2", "no such schema"), 1);
    reconciler.apply(new ControlEvent.Unreadable("", "it has no key"), 1);
    Reconciler.Changes shown = reconciler.takeChanges();
    assertThat(shown.views).containsOnlyKeys("by-org");
    ViewState state = ((ControlRecord.State) shown.records.get(0)).state();

    reconciler.apply(new ControlEvent.Dropped("by-org"), 2);
    assertThat(reconciler.takeChanges().records)
        .containsExactly(new ControlRecord.StateGone("by-org", state.uid()));
  }

  @Property(tries = 1_000)
  void malformedRecordIsIgnored(@ForAll(supplier = Seeds.class) long seed) throws Exception {
    Random random = new Random(seed);
    Mutator mutator = new Mutator(random);
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = 0; i < INPUTS; i++) {
      boolean isDefinition = random.nextBoolean();
      records.add(
          record(
              isDefinition ? DEFINITIONS : PROGRESS,
              i,
              random.nextInt(10) == 0 ? null : mutator.bytes(bytes("by-org"), bytes("task|x|0")),
              random.nextInt(10) == 0
                  ? null
                  : mutator.bytes(isDefinition ? definitions : reports)));
    }

    List<ControlEvent> events = Bounded.read(MAX_BYTES, () -> taken(records));

    assertThat(events).hasSizeLessThanOrEqualTo(INPUTS).doesNotContainNull();
  }

  private List<ControlEvent> taken(List<ConsumerRecord<byte[], byte[]>> records) {
    KafkaControlTopics topics = topics(List.of(), records);
    ControlTopics.Memory remembered = topics.open();
    List<ControlEvent> events = topics.read(Duration.ZERO);
    Reconciler reconciler = new Reconciler(SETTINGS, remembered.views(), remembered.losses());
    events.forEach(event -> reconciler.apply(event, 2));
    reconciler.tick(3);
    topics.commit(reconciler.takeChanges());
    return events;
  }

  /** To go on from half of it would drop views: it says what it cannot read, and is asked again. */
  @Property(tries = 500)
  void malformedMemoryRecordIsNamed(@ForAll(supplier = Seeds.class) long seed) throws Exception {
    Random random = new Random(seed);
    Mutator mutator = new Mutator(random);
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = 0; i < INPUTS; i++) {
      byte[] key = random.nextInt(20) == 0 ? null : bytes("view|" + i);
      records.add(record(MEMORY, i, key, i == 0 ? mutator.bytes(memory) : memory[0]));
    }

    try {
      assertThat(Bounded.read(MAX_BYTES, () -> topics(records, List.of()).open()).views())
          .hasSizeLessThanOrEqualTo(INPUTS);
    } catch (KafkaException e) {
      assertThat(e).hasMessageContaining(MEMORY.topic());
    } catch (IllegalStateException e) {
      assertThat(e).hasMessageContaining("use the newer release");
    }
  }

  private static ConsumerRecord<byte[], byte[]> record(
      TopicPartition partition, int offset, byte[] key, byte[] value) {
    return new ConsumerRecord<>(partition.topic(), 0, offset, key, value);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private KafkaControlTopics topics(
      List<ConsumerRecord<byte[], byte[]>> remembered,
      List<ConsumerRecord<byte[], byte[]>> records) {
    MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
    PARTITIONS.forEach(partition -> consumer.updateBeginningOffsets(Map.of(partition, 0L)));
    if (!remembered.isEmpty()) {
      consumer.schedulePollTask(() -> remembered.forEach(consumer::addRecord));
    }
    KafkaControlTopics topics =
        new KafkaControlTopics(
            TOPICS,
            MEMORY.topic(),
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()),
            consumer,
            new KafkaControlTopics.ClusterFacts() {
              @Override
              public Map<TopicPartition, Long> ends(Collection<String> asked) {
                return asked.stream()
                    .map(topic -> new TopicPartition(topic, 0))
                    .collect(
                        Collectors.toMap(
                            partition -> partition,
                            partition -> partition.equals(MEMORY) ? (long) remembered.size() : 0));
              }

              @Override
              public Optional<String> topicId(String topic) {
                return Optional.of("id");
              }
            },
            registry);
    consumer.schedulePollTask(() -> records.forEach(consumer::addRecord));
    return topics;
  }
}
