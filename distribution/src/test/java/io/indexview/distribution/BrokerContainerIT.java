package io.indexview.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.indexview.client.admin.ViewAdmin;
import io.indexview.schemas.Topics;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.streams.app.IndexViewApp;
import io.indexview.streams.config.AppConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * The streams app at the broker of Kafka's own image, or of one that stands in for it ({@code
 * -Dkafka.image}).
 */
@Tag("containers")
class BrokerContainerIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(3);
  private static final String REGISTRY = "mock://broker-container";
  private static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX);
  private static final Schema PERSON =
      SchemaBuilder.record("Person")
          .fields()
          .requiredString("id")
          .requiredString("org")
          .endRecord();
  private static final String VIEW =
      """
      name: people-by-org
      source: people
      key: [org]
      target: kv
      """;

  private KafkaContainer kafka;

  @TempDir private Path directory;

  @BeforeEach
  void start() {
    assumeTrue(
        DockerClientFactory.instance().isDockerAvailable(),
        "No Docker answers: start its daemon, or name it in DOCKER_HOST.");
    kafka =
        new KafkaContainer(
                DockerImageName.parse(System.getProperty("kafka.image"))
                    .asCompatibleSubstituteFor("apache/kafka"))
            .withStartupTimeout(TIMEOUT);
    kafka.start();
  }

  @AfterEach
  void stop() {
    if (kafka != null) {
      kafka.stop();
    }
  }

  @Test
  void derivesRows() throws Exception {
    Map<String, Object> cluster = Map.of("bootstrap.servers", kafka.getBootstrapServers());
    try (Admin admin = Admin.create(cluster)) {
      admin.createTopics(List.of(new NewTopic(TOPICS.changes("people"), 1, (short) 1))).all().get();
    }
    try (SchemaRegistry registry =
            SchemaRegistries.create(Map.of("schema.registry.url", REGISTRY));
        IndexViewApp app = IndexViewApp.start(AppConfig.parse(config()));
        ViewAdmin views = ViewAdmin.connect(cluster, TOPICS, registry, Clock.systemUTC())) {
      app.awaitRunning(TIMEOUT);
      await().atMost(TIMEOUT).until(() -> !views.recordSets().isEmpty());
      views.apply("test", VIEW, OptionalLong.empty());
      GenericRecord person =
          new GenericRecordBuilder(PERSON).set("id", "1").set("org", "Support").build();
      try (var producer =
          new KafkaProducer<>(
              cluster,
              new StringSerializer(),
              new AvroSerializer<GenericRecord>(registry, false))) {
        producer.send(new ProducerRecord<>(TOPICS.changes("people"), "/people/1", person)).get();
      }

      assertThat(firstRow(cluster)).isNotNull();
    }
  }

  private Map<String, String> config() throws Exception {
    Path schema = Files.writeString(directory.resolve("person.avsc"), PERSON.toString());
    return Map.of(
        "bootstrap.servers",
        kafka.getBootstrapServers(),
        "schema.registry.url",
        REGISTRY,
        "record.sets",
        "people",
        "record.set.people.format",
        "flat",
        "record.set.people.schema.file",
        schema.toString(),
        "state.dir",
        directory.resolve("state").toString(),
        "topic.replication.factor",
        "1",
        "http.port",
        "0");
  }

  private static ConsumerRecord<byte[], byte[]> firstRow(Map<String, Object> cluster) {
    Map<String, Object> config =
        Map.of(
            "bootstrap.servers",
            cluster.get("bootstrap.servers"),
            "isolation.level",
            "read_committed");
    try (var consumer =
        new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      TopicPartition rows = new TopicPartition(TOPICS.view("kv", "people-by-org", 1), 0);
      await().atMost(TIMEOUT).until(() -> consumer.listTopics().containsKey(rows.topic()));
      consumer.assign(List.of(rows));
      consumer.seekToBeginning(List.of(rows));
      return await()
          .atMost(TIMEOUT)
          .until(() -> consumer.poll(Duration.ofMillis(200)), records -> !records.isEmpty())
          .iterator()
          .next();
    }
  }
}
