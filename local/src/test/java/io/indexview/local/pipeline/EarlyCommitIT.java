package io.indexview.local.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.indexview.local.LocalStack;
import io.indexview.local.PartName;
import io.indexview.local.StackConfig;
import io.indexview.schemas.Topics;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.streams.app.IndexViewApp;
import io.indexview.streams.config.AppConfig;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The app on a real broker, with transactions as long as may be. */
@Timeout(600)
class EarlyCommitIT {
  private static final Topics TOPICS = new Topics("early");
  private static final String CHANGES = "parcels";
  private static final String REGISTRY = "early-commits";
  private static final Duration START = Duration.ofMinutes(2);
  private static final Duration INTERVAL = Duration.ofSeconds(20);

  /** Of which one event takes less than an eighth. */
  private static final Duration MIN_INTERVAL = Duration.ofSeconds(2);

  private static final int EVENTS = 10;

  /** The interval begins when the row before is visible. */
  private static final Duration EARLY = INTERVAL.multipliedBy(2).dividedBy(3);

  private static final Schema SCHEMA =
      SchemaBuilder.record("Parcel").namespace("test").fields().requiredString("depot").endRecord();

  private static LocalStack stack;

  private Producer<byte[], byte[]> producer;
  private Consumer<byte[], byte[]> rows;
  private IndexViewApp app;

  @BeforeAll
  static void startStack() throws Exception {
    stack = LocalStack.start(StackConfig.builder().parts(PartName.BROKER).build());
    try (Admin admin = Admin.create(kafka())) {
      admin.createTopics(List.of(new NewTopic(CHANGES, 1, (short) 1))).all().get();
    }
  }

  @AfterAll
  static void stopStack() {
    stack.close();
  }

  private static Map<String, Object> kafka() {
    return Map.of("bootstrap.servers", stack.bootstrapServers());
  }

  @BeforeEach
  void start(@TempDir Path directory) throws Exception {
    producer = new KafkaProducer<>(kafka(), new ByteArraySerializer(), new ByteArraySerializer());
    publish("first");
    Path views = Files.createDirectory(directory.resolve("views"));
    Files.writeString(
        views.resolve("by-depot.yaml"),
        "{name: by-depot, source: parcels, key: [depot], target: kv, layout: key-value}");
    app =
        IndexViewApp.start(
            AppConfig.parse(
                Map.ofEntries(
                    Map.entry("application.id", "early"),
                    Map.entry("bootstrap.servers", stack.bootstrapServers()),
                    Map.entry("schema.registry.url", "mock://" + REGISTRY),
                    Map.entry("topic.prefix", TOPICS.prefix()),
                    Map.entry("record.sets", "parcels"),
                    Map.entry("record.set.parcels.topic", CHANGES),
                    Map.entry("record.set.parcels.format", "flat"),
                    Map.entry(
                        "record.set.parcels.schema.file",
                        Files.writeString(directory.resolve("parcel.avsc"), SCHEMA.toString())
                            .toString()),
                    Map.entry("views.dir", views.toString()),
                    Map.entry("state.dir", directory.resolve("state").toString()),
                    Map.entry("http.port", "0"),
                    Map.entry("commit.interval.ms", Long.toString(INTERVAL.toMillis())),
                    Map.entry("commit.interval.min.ms", Long.toString(MIN_INTERVAL.toMillis())))));
    app.awaitRunning(START);
    rows =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers", stack.bootstrapServers(),
                "isolation.level", "read_committed",
                "auto.offset.reset", "earliest"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    rows.assign(List.of(new TopicPartition(TOPICS.view("kv", "by-depot", 1), 0)));
  }

  @AfterEach
  void stop() {
    if (app != null) {
      app.close();
    }
    if (rows != null) {
      rows.close();
    }
    producer.close();
  }

  private void publish(String depot) throws Exception {
    AvroSerializer<GenericRecord> serializer =
        new AvroSerializer<>(InMemorySchemaRegistry.shared(REGISTRY), false);
    GenericRecord parcel = new GenericRecordBuilder(SCHEMA).set("depot", depot).build();
    byte[] key = ("/p/" + depot).getBytes(StandardCharsets.UTF_8);
    producer.send(new ProducerRecord<>(CHANGES, key, serializer.serialize(CHANGES, parcel))).get();
  }

  private boolean comes(String depot) {
    for (ConsumerRecord<byte[], byte[]> row : rows.poll(Duration.ofMillis(100))) {
      if (new String(row.key(), StandardCharsets.UTF_8).contains(depot)) {
        return true;
      }
    }
    return false;
  }

  private boolean comesEarly(String depot) {
    long end = System.nanoTime() + EARLY.toNanos();
    boolean came = false;
    while (!came && System.nanoTime() < end) {
      came = comes(depot);
    }
    return came;
  }

  /**
   * A busy machine may let the thread stand still at an event, which is much work then. One alone
   * may come at the end of an interval by chance.
   */
  @Test
  void makesTheRowOfASingleEventVisibleLongBeforeItsInterval() throws Exception {
    // What is built has no part in it.
    String before = "first";
    int early = 0;
    for (int event = 0; event < EVENTS && early < 2; event++) {
      if (early == 0) {
        String last = before;
        await().atMost(INTERVAL.plus(START)).until(() -> comes(last));
      }
      before = "event-" + event;
      publish(before);
      early = comesEarly(before) ? early + 1 : 0;
    }

    assertThat(early).as("in a row").isEqualTo(2);
  }
}
