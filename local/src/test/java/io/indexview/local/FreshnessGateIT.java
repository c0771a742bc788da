package io.indexview.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.indexview.client.token.FreshnessGate;
import io.indexview.client.token.FreshnessGate.NotVisibleException;
import io.indexview.client.token.FreshnessToken;
import io.indexview.client.token.FreshnessToken.InvalidFreshnessTokenException;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.schemas.control.ViewState;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.avro.SchemaBuilder;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Freshness on a real broker: transaction markers behind what the sink has committed. */
class FreshnessGateIT {
  private static final int READS = 100;
  private static final int PARTITIONS = 2;
  private static final int PARTITION = 1;
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final Duration SHORT = Duration.ofMillis(100);
  private static final String CHANGES = "changes";
  private static final Topics TOPICS = new Topics("indexview");
  private static final ViewGeneration GENERATION =
      ViewGeneration.freeze(
          new ViewDefinitionParser()
              .parse("v.yaml", "name: v\nsource: people\nkey: [org]\ntarget: kv\n"),
          1,
          new RecordSet(
              "people",
              CHANGES,
              RecordFormat.ENVELOPE,
              List.of(),
              SchemaBuilder.record("Person").fields().requiredString("org").endRecord()),
          TOPICS);
  private static final ViewMetadata VIEW =
      new ViewMetadata(
          "v",
          "uid-1",
          1,
          0,
          ViewState.State.READY,
          "",
          "people",
          "the-sink",
          List.of(new ViewMetadata.Generation(ViewState.Role.SERVING, GENERATION)),
          ViewState.Freshness.UNKNOWN);
  private static final RecordSetInfo PEOPLE =
      new RecordSetInfo(
          "people",
          CHANGES,
          PARTITIONS,
          "envelope",
          List.of(),
          "{}",
          "the-app",
          Set.of(),
          Set.of(),
          0);

  @Test
  void letsThroughWhatIsAppliedAndNothingElse(@TempDir Path data) throws Exception {
    StackConfig config = StackConfig.builder().dataDirectory(data).parts(PartName.BROKER).build();
    try (LocalStack stack = LocalStack.start(config)) {
      Map<String, Object> kafka = Map.of("bootstrap.servers", stack.bootstrapServers());
      try (Admin admin = Admin.create(kafka);
          FreshnessGate gate = FreshnessGate.connect(kafka, TOPICS, () -> List.of(PEOPLE));
          Producer<byte[], byte[]> source = producer(kafka, Map.of());
          Producer<byte[], byte[]> app = producer(kafka, Map.of("transactional.id", "the-app"))) {
        create(admin, CHANGES);
        create(admin, GENERATION.viewTopic());
        app.initTransactions();
        for (int i = 0; i < READS; i++) {
          FreshnessToken token = write(source);
          if (i == 0) {
            assertMissing(gate, token, "the-app");
          }
          long row = process(app, admin, token);
          if (i == 0) {
            assertMissing(gate, token, "the-sink");
          }
          commit(admin, "the-sink", GENERATION.viewTopic(), row + 1);
          assertThat(gate.await(token, VIEW, TIMEOUT)).isEmpty();
        }
        tellsOfRejectedRows(gate, admin, source, app);
        refusesWhatIsNotThere(gate);
      }
    }
  }

  private static Producer<byte[], byte[]> producer(
      Map<String, Object> kafka, Map<String, Object> more) {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.putAll(more);
    return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private static void create(Admin admin, String topic) throws Exception {
    admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1))).all().get();
  }

  private static ProducerRecord<byte[], byte[]> message(String topic) {
    return new ProducerRecord<>(topic, PARTITION, new byte[] {1}, new byte[] {1});
  }

  private static FreshnessToken write(Producer<byte[], byte[]> source) throws Exception {
    var written = source.send(message(CHANGES)).get(1, TimeUnit.MINUTES);
    return new FreshnessToken(written.topic(), written.partition(), written.offset());
  }

  /** Writes a row in a transaction, whose tombstone takes the offset behind it. */
  private static long process(Producer<byte[], byte[]> app, Admin admin, FreshnessToken token)
      throws Exception {
    app.beginTransaction();
    var row = app.send(message(GENERATION.viewTopic()));
    app.commitTransaction();
    commit(admin, "the-app", CHANGES, token.offset() + 1);
    return row.get().offset();
  }

  private static void commit(Admin admin, String group, String topic, long offset)
      throws InterruptedException, ExecutionException {
    admin
        .alterConsumerGroupOffsets(
            group, Map.of(new TopicPartition(topic, PARTITION), new OffsetAndMetadata(offset)))
        .all()
        .get();
  }

  private static void assertMissing(FreshnessGate gate, FreshnessToken token, String who) {
    assertThatExceptionOfType(NotVisibleException.class)
        .isThrownBy(() -> gate.await(token, VIEW, SHORT))
        .satisfies(e -> assertThat(e).hasMessageContaining(who));
  }

  /** Until a later row of the same key was applied. */
  private static void tellsOfRejectedRows(
      FreshnessGate gate,
      Admin admin,
      Producer<byte[], byte[]> source,
      Producer<byte[], byte[]> app)
      throws Exception {
    FreshnessToken token = write(source);
    long row = process(app, admin, token);
    var deadLetter =
        new ProducerRecord<byte[], byte[]>(TOPICS.deadLetters("kv"), new byte[] {1}, new byte[0]);
    Map.of(
            "topic",
            GENERATION.viewTopic(),
            "partition",
            PARTITION + "",
            "offset",
            row + "",
            "exception.message",
            "too large")
        .forEach(
            (name, value) ->
                deadLetter.headers().add("__connect.errors." + name, value.getBytes(UTF_8)));
    source.send(deadLetter).get();
    commit(admin, "the-sink", GENERATION.viewTopic(), row + 1);
    assertThat(gate.await(token, VIEW, TIMEOUT).orElseThrow()).contains("too large");

    FreshnessToken later = write(source);
    commit(admin, "the-sink", GENERATION.viewTopic(), process(app, admin, later) + 1);
    assertThat(gate.await(later, VIEW, TIMEOUT)).isEmpty();
  }

  private static void refusesWhatIsNotThere(FreshnessGate gate) {
    for (FreshnessToken token :
        List.of(
            new FreshnessToken(CHANGES, PARTITION, 1_000_000),
            new FreshnessToken(CHANGES, PARTITIONS, 0),
            new FreshnessToken(CHANGES, Optional.of(Uuid.randomUuid()), PARTITION, 0))) {
      assertThatExceptionOfType(InvalidFreshnessTokenException.class)
          .isThrownBy(() -> gate.await(token, VIEW, TIMEOUT));
    }
  }
}
