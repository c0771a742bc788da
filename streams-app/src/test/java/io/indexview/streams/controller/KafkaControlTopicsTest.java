package io.indexview.streams.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.RepairProgress;
import io.indexview.schemas.control.RowsVerified;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.TaskProgress.Phase;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.schemas.serde.MessageReader;
import io.indexview.streams.People;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.ControlEvent;
import io.indexview.streams.controller.rules.ControlRecord;
import io.indexview.streams.controller.rules.ControllerSettings;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.controller.rules.Freezing;
import io.indexview.streams.derive.FlakyRegistry;
import io.indexview.views.definition.ViewDefinitionParser;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class KafkaControlTopicsTest {
  private static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX);
  private static final ControllerSettings SETTINGS =
      new ControllerSettings(Duration.ofMinutes(10), TOPICS, Map.of("kv", "connect-kv"));
  private static final TopicPartition MEMORY = new TopicPartition("app-controller", 0);
  private static final TopicPartition DEFINITIONS = new TopicPartition(TOPICS.viewDefinitions(), 0);
  private static final TopicPartition PROGRESS = new TopicPartition(TOPICS.viewProgress(), 0);

  private final FlakyRegistry registry = new FlakyRegistry();
  private final Map<TopicPartition, Long> ends = new HashMap<>();
  private final List<ConsumerRecord<byte[], byte[]>> log = new ArrayList<>();
  private final MockConsumer<byte[], byte[]> consumer = new RereadConsumer();
  private MockProducer<byte[], byte[]> producer;
  private String topicId = "id-1";

  /** Topics whose ends were asked for, by question. */
  private final List<List<String>> questions = new ArrayList<>();

  private KafkaControlTopics topics;

  @BeforeEach
  void connect() {
    for (TopicPartition partition : List.of(MEMORY, DEFINITIONS, PROGRESS)) {
      ends.put(partition, 0L);
      consumer.updateBeginningOffsets(Map.of(partition, 0L));
    }
    topics = topics();
  }

  private KafkaControlTopics topics() {
    producer = new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    return new KafkaControlTopics(
        TOPICS,
        MEMORY.topic(),
        producer,
        consumer,
        new KafkaControlTopics.ClusterFacts() {
          @Override
          public Map<TopicPartition, Long> ends(Collection<String> asked) {
            questions.add(List.copyOf(asked));
            Map<TopicPartition, Long> found = new HashMap<>();
            for (String topic : asked) {
              TopicPartition partition = new TopicPartition(topic, 0);
              found.put(partition, ends.get(partition));
              // Somebody gave it another one, which nobody uses.
              found.put(new TopicPartition(topic, 1), 0L);
            }
            return found;
          }

          @Override
          public Optional<String> topicId(String topic) {
            return Optional.of(topicId);
          }
        },
        registry);
  }

  private void lies(TopicPartition partition, String key, byte[] value) {
    long offset = ends.merge(partition, 1L, Long::sum) - 1;
    ConsumerRecord<byte[], byte[]> record =
        new ConsumerRecord<>(
            partition.topic(),
            0,
            offset,
            key == null ? null : key.getBytes(StandardCharsets.UTF_8),
            value);
    log.add(record);
    if (consumer.assignment().contains(partition)) {
      consumer.addRecord(record);
    }
  }

  /** Kafka's mock forgets what was polled. */
  private final class RereadConsumer extends MockConsumer<byte[], byte[]> {
    RereadConsumer() {
      super("earliest");
    }

    @Override
    public synchronized void assign(Collection<TopicPartition> partitions) {
      super.assign(partitions);
      log.stream()
          .filter(
              record -> partitions.contains(new TopicPartition(record.topic(), record.partition())))
          .forEach(this::addRecord);
    }
  }

  private byte[] avro(TopicPartition partition, GenericRecord record) {
    return new AvroSerializer<GenericRecord>(registry, false).serialize(partition.topic(), record);
  }

  private static ViewSpec spec() {
    String json = new ViewDefinitionParser().parse("by-org.yaml", People.BY_ORG).toJson();
    return new ViewSpec("by-org", json, 7, BuildRequest.FIRST, 1, Optional.empty());
  }

  /** A view whose first generation is being built. */
  private static Reconciler building() {
    Reconciler reconciler = new Reconciler(SETTINGS, List.of(), Map.of());
    reconciler.apply(new ControlEvent.Desired(spec()), 1);
    Action freeze = reconciler.wanted().values().iterator().next();
    reconciler.apply(Freezing.frozen((Action.Freeze) freeze, People.RECORD_SET, 1), 1);
    return reconciler;
  }

  private List<ProducerRecord<byte[], byte[]>> written(String topic) {
    return producer.history().stream().filter(sent -> sent.topic().equals(topic)).toList();
  }

  @Test
  void writesStatesUnderFramedKeysAndGenerationsUnderText() {
    topics.open();
    topics.commit(building().takeChanges());

    assertThat(producer.transactionCommitted()).isTrue();
    ProducerRecord<byte[], byte[]> state = written(TOPICS.viewStates()).get(0);
    assertThat(new MessageReader(registry).read(TOPICS.viewStates(), state.key()).value())
        .hasToString("by-org");
    assertThat(
            ViewState.of(
                    new AvroDeserializer(registry, ControlSchemas.VIEW_STATE)
                        .deserialize(TOPICS.viewStates(), state.value()))
                .building())
        .isPresent();
    ProducerRecord<byte[], byte[]> generation = written(TOPICS.viewGenerations()).get(0);
    assertThat(generation.key()).asString(StandardCharsets.UTF_8).isEqualTo("by-org|1");
    assertThat(
            PublishedGeneration.of(
                    new AvroDeserializer(registry, ControlSchemas.VIEW_GENERATION)
                        .deserialize(TOPICS.viewGenerations(), generation.value()))
                .definition())
        .isEqualTo(spec().definition());
  }

  /** For sinks that have seen no state of the view. */
  @Test
  void writesTheUidOfAViewWithItsTombstone() {
    topics.open();
    Reconciler reconciler = new Reconciler(SETTINGS, List.of(), Map.of());
    reconciler.apply(new ControlEvent.Unreadable("by-org", "no such schema"), 1);
    String uid = ((ControlRecord.State) reconciler.takeChanges().records.get(0)).state().uid();
    reconciler.apply(new ControlEvent.Dropped("by-org"), 2);

    topics.commit(reconciler.takeChanges());

    ProducerRecord<byte[], byte[]> tombstone = written(TOPICS.viewStates()).get(0);
    assertThat(tombstone.value()).isNull();
    assertThat(tombstone.headers().lastHeader(ViewState.UID_HEADER).value())
        .asString(StandardCharsets.UTF_8)
        .isEqualTo(uid);
  }

  @Test
  void goesOnFromWhatWasCommitted() {
    topics.open();
    Reconciler before = building();
    lies(DEFINITIONS, "by-org", null);
    assertThat(topics.read(Duration.ZERO)).containsExactly(new ControlEvent.Dropped("by-org"));
    topics.commit(before.takeChanges());
    List<ProducerRecord<byte[], byte[]>> memory = written(MEMORY.topic());

    ControlTopics.Memory remembered = openWith(memory);

    Reconciler after = new Reconciler(SETTINGS, remembered.views(), remembered.losses());
    assertThat(after.wanted()).isEqualTo(before.wanted());
    assertThat(consumer.position(DEFINITIONS)).as("definitions are read on").isEqualTo(1);
    assertThat(consumer.position(PROGRESS)).as("reports are read again").isZero();
  }

  private ControlTopics.Memory openWith(List<ProducerRecord<byte[], byte[]>> memory) {
    memory.forEach(
        sent -> lies(MEMORY, new String(sent.key(), StandardCharsets.UTF_8), sent.value()));
    topics = topics();
    return topics.open();
  }

  /** A registry that lags, or an upgrade of the application, lets it be read later. */
  @Test
  void readsTheNewestDefinitionOfEachViewAgain() {
    topics.open();
    GenericRecord newer = spec().toAvro();
    newer.put("version", 8L);
    lies(DEFINITIONS, "by-org", avro(DEFINITIONS, spec().toAvro()));
    lies(DEFINITIONS, "by-age", null);
    lies(DEFINITIONS, "by-org", avro(DEFINITIONS, newer));
    registry.lost.set(true);
    topics.read(Duration.ZERO);
    topics.commit(new Reconciler.Changes());
    registry.lost.set(false);
    // Nobody reads it any more.
    consumer.assign(List.of());
    lies(DEFINITIONS, "by-age", null);

    ControlTopics.Memory remembered = openWith(written(MEMORY.topic()));

    assertThat(remembered.definitions())
        .containsExactlyInAnyOrder(
            new ControlEvent.Desired(ViewSpec.of(newer)), new ControlEvent.Dropped("by-age"));
    assertThat(topics.read(Duration.ZERO)).containsExactly(new ControlEvent.Dropped("by-age"));
  }

  @Test
  void readsTheDefinitionsOfANewTopicFromItsStart() {
    topics.open();
    lies(DEFINITIONS, "by-org", null);
    topics.read(Duration.ZERO);
    topics.commit(building().takeChanges());
    List<ProducerRecord<byte[], byte[]>> memory = written(MEMORY.topic());

    topicId = "id-2";
    ControlTopics.Memory remembered = openWith(memory);

    assertThat(remembered.definitions()).isEmpty();
    assertThat(consumer.position(DEFINITIONS)).isZero();
  }

  @Test
  void readsReportsOfTasksAndInstances() {
    TaskProgress report =
        new TaskProgress("people", 0, "by-org", 1, Phase.BUILT, 1, 1, 1, 1, 0, "", 0);
    EventsLost loss = new EventsLost("people", 5, "trimmed");
    RowsVerified verified = new RowsVerified("by-org", 1, "v1", 3, 0);
    RepairProgress repaired = new RepairProgress("by-org", 1, 0, "v1-a", 2, 0);
    topics.open();
    lies(PROGRESS, verified.key(), avro(PROGRESS, verified.toAvro()));
    lies(PROGRESS, repaired.key(), avro(PROGRESS, repaired.toAvro()));
    lies(PROGRESS, report.key(), avro(PROGRESS, report.toAvro()));
    lies(PROGRESS, loss.key(), avro(PROGRESS, loss.toAvro()));
    lies(PROGRESS, report.key(), null);
    lies(DEFINITIONS, "by-org", avro(DEFINITIONS, spec().toAvro()));

    assertThat(topics.read(Duration.ZERO))
        .containsExactlyInAnyOrder(
            new ControlEvent.Reported(report),
            new Finding.Lost(loss),
            new ControlEvent.Verified(verified),
            new ControlEvent.Repaired(repaired),
            new ControlEvent.ReportOver(report.key()),
            new ControlEvent.Desired(spec()));
  }

  @Test
  void reportsUnreadableRecords() {
    topics.open();
    lies(PROGRESS, "task|x", new byte[] {1, 2, 3});
    lies(DEFINITIONS, "by-age", avro(DEFINITIONS, spec().toAvro()));
    lies(DEFINITIONS, null, null);

    assertThat(topics.read(Duration.ZERO))
        .hasSize(3)
        .hasOnlyElementsOfType(ControlEvent.Unreadable.class)
        .extracting(event -> ((ControlEvent.Unreadable) event).view())
        .containsExactlyInAnyOrder("", "by-age", "");
  }

  @Test
  void saysWhichFieldOfAReportIsOfANewerRelease() {
    topics.open();
    GenericRecord newer =
        new TaskProgress("people", 0, "by-org", 1, Phase.BUILDING, 0, 0, 0, 0, 0, "", 1).toAvro();
    ((GenericRecord) newer.get("task")).put("phase", "paused");
    lies(PROGRESS, "task|people|0|by-org|1", avro(PROGRESS, newer));

    assertThat(topics.read(Duration.ZERO))
        .containsExactly(
            new ControlEvent.Unreadable(
                "", "field \"phase\" is \"paused\", which this release does not know"));
  }

  @Test
  void endIsReachedWhenEverythingBeforeItIsRead() {
    topics.open();
    lies(PROGRESS, "task|x", null);
    ControlTopics.End end = topics.end();
    assertThat(topics.hasRead(end)).isFalse();

    topics.read(Duration.ZERO);
    assertThat(topics.hasRead(end)).isTrue();
  }

  /** Each question takes several requests, and one is asked whenever something was found. */
  @Test
  void asksForTheEndsOfBothTopicsTogether() {
    topics.open();
    questions.clear();

    topics.end();

    assertThat(questions).containsExactly(List.of(DEFINITIONS.topic(), PROGRESS.topic()));
  }

  @Test
  void commitsNothingWhenNothingChanged() {
    topics.open();
    topics.commit(building().takeChanges());
    int sent = producer.history().size();

    topics.commit(new Reconciler.Changes());

    assertThat(producer.history()).hasSize(sent);
  }

  @Test
  void fencedControllerCommitsNothing() {
    topics.open();
    producer.fenceProducer();

    assertThatThrownBy(() -> topics.commit(building().takeChanges()))
        .isInstanceOf(ProducerFencedException.class);
    assertThat(producer.history()).isEmpty();
  }

  @Test
  void refusesToGoOnFromWhatANewerReleaseRemembers() {
    GenericRecord newer =
        ControllerMemory.records(building().takeChanges(), new ControllerMemory.Read("id", 0))
            .get("view|by-org");
    int form = (Integer) newer.get("form");
    assertThat(form).as("with uids, which form 1 has not").isGreaterThan(1);
    newer.put("form", form + 1);

    assertThatThrownBy(() -> new ControllerMemory().add(newer))
        .hasMessageContaining("use the newer release");
  }
}
