package io.indexview.local.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.local.LocalStack;
import io.indexview.local.PartName;
import io.indexview.local.StackConfig;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.EnvelopeSchemas;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.schemas.serde.Subjects;
import io.indexview.streams.app.IndexViewApp;
import io.indexview.streams.config.AppConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.avro.Schema;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** App and S3 source on a cluster that has nothing but the change topic, over an empty bucket. */
class StartOrderIT {
  private static final String REGISTRY = "mock://start-order";
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  @TempDir private static Path directory;
  private static LocalStack stack;

  @BeforeAll
  static void startStack() {
    stack =
        LocalStack.start(
            StackConfig.builder()
                .parts(PartName.BROKER, PartName.CONNECT, PartName.SQS, PartName.S3)
                .build());
  }

  @AfterAll
  static void stopStack() {
    stack.close();
  }

  @Test
  void theAppStartsAfterASourceThatHasNothingToPublish() throws Exception {
    Topics topics = new Topics("source-first");
    createChangeTopic(topics);
    startSource(topics);

    try (IndexViewApp app = startApp(topics)) {
      app.awaitRunning(TIMEOUT);
    }
    assertThat(registeredRecord(topics)).isEqualTo(ControlSchemas.FILE_RECORD);
  }

  @Test
  void theSourceStartsAfterAnAppThatWaitsForItsSchema() throws Exception {
    Topics topics = new Topics("app-first");
    createChangeTopic(topics);

    try (IndexViewApp app = startApp(topics)) {
      startSource(topics);
      app.awaitRunning(TIMEOUT);
    }
  }

  private static Schema registeredRecord(Topics topics) {
    return EnvelopeSchemas.writerSchema(
        InMemorySchemaRegistry.shared("start-order")
            .latest(Subjects.value(topics.changes("files")))
            .orElseThrow()
            .schema());
  }

  private static void createChangeTopic(Topics topics)
      throws InterruptedException, ExecutionException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", stack.bootstrapServers()))) {
      admin.createTopics(List.of(new NewTopic(topics.changes("files"), 1, (short) 1))).all().get();
    }
  }

  private static IndexViewApp startApp(Topics topics) {
    Map<String, String> config = new HashMap<>();
    config.put("application.id", topics.prefix());
    config.put("bootstrap.servers", stack.bootstrapServers());
    config.put("schema.registry.url", REGISTRY);
    config.put("topic.prefix", topics.prefix());
    config.put("record.sets", "files");
    config.put("state.dir", directory.resolve(topics.prefix()).toString());
    config.put("http.port", "0");
    return IndexViewApp.start(AppConfig.parse(config));
  }

  private static void startSource(Topics topics) {
    Map<String, String> config = new HashMap<>();
    config.put("connector.class", "io.indexview.connect.s3.S3SourceConnector");
    config.put("key.converter", "org.apache.kafka.connect.storage.StringConverter");
    config.put("value.converter", "io.indexview.connect.common.avro.AvroConverter");
    config.put("value.converter.schema.registry.url", REGISTRY);
    config.put("schema.registry.url", REGISTRY);
    config.put("source.name", topics.prefix());
    config.put("topic.prefix", topics.prefix());
    config.put("s3.topic", topics.changes("files"));
    config.put("s3.buckets", stack.config().bucket());
    config.put("preflight.timeout.ms", "60000");
    config.put("s3.endpoint", stack.s3Url().toString());
    config.put("sqs.endpoint", stack.sqsUrl().toString());
    config.put("sqs.queue.url", stack.queueUrl().toString());
    config.put("aws.region", StackConfig.REGION);
    config.put("aws.access.key.id", StackConfig.ACCESS_KEY);
    config.put("aws.secret.access.key", StackConfig.SECRET_KEY);
    config.put("kafka.bootstrap.servers", stack.bootstrapServers());
    stack.connect().put(topics.prefix(), config);
    stack.connect().awaitRunning(topics.prefix(), TIMEOUT);
  }
}
