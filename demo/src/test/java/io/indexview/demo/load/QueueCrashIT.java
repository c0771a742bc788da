package io.indexview.demo.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.indexview.demo.load.ObjectNotifications.Change;
import io.indexview.local.LocalStack;
import io.indexview.local.PartName;
import io.indexview.local.Poll;
import io.indexview.local.StackConfig;
import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.order.OrderGuard.Decision;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.elasticmq.rest.sqs.SQSRestServer;
import org.elasticmq.rest.sqs.SQSRestServerBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;

/**
 * The Connect worker of the S3 source is killed at random moments, with messages in flight, while a
 * bucket's objects change. Then the queue is empty, the topic has every event, and what the order
 * guard makes of it is each object's last change. How often: system property {@code source.kills};
 * which moments: {@code seed}. Figures are in {@code target/queue-crash/figures.txt}.
 */
@Timeout(600)
class QueueCrashIT {
  private static final int KILLS = Integer.getInteger("source.kills", 1);
  private static final long SEED = Long.getLong("seed", System.nanoTime());
  private static final Duration TIMEOUT = Duration.ofMinutes(4);
  private static final int PARTITIONS = 4;
  private static final int MAX_EVENTS = 600;
  private static final String FILES = "files";
  private static final String ACCOUNT = "local";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final QueueAttributeName IN_FLIGHT =
      QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES_NOT_VISIBLE;
  private static final QueueAttributeName WAITING =
      QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES;

  @TempDir private Path directory;

  private final Path logs = Path.of("target", "queue-crash");
  private final SplittableRandom random = new SplittableRandom(SEED);
  private final List<String> figures = new ArrayList<>();
  private final OrderGuard guard = new OrderGuard(Duration.ofDays(15));
  private final Map<String, Entry> applied = new HashMap<>();
  private final Set<Change> published = new HashSet<>();
  private Admin admin;
  private List<TopicPartition> partitions;
  private String topic;
  private long events;

  @Test
  void losesNoEventAndAppliesNoneOutOfOrderHoweverOftenTheWorkerIsKilled() throws Exception {
    figures.add("seed " + SEED);
    Files.createDirectories(logs);
    Files.deleteIfExists(logs.resolve("offsets"));
    SQSRestServer server =
        SQSRestServerBuilder.withInterface("127.0.0.1").withDynamicPort().start();
    StackConfig config =
        StackConfig.builder()
            .dataDirectory(directory.resolve("data"))
            .parts(PartName.BROKER)
            .build();
    topic = config.topics().changes(FILES);
    URI endpoint =
        URI.create("http://127.0.0.1:" + server.waitUntilStarted().localAddress().getPort());
    try (LocalStack stack = LocalStack.start(config);
        SqsClient sqs = sqs(endpoint);
        Admin connected = Admin.create(kafka(stack))) {
      admin = connected;
      stack.createChangeTopics(List.of(FILES), PARTITIONS);
      partitions =
          IntStream.range(0, PARTITIONS).mapToObj(i -> new TopicPartition(topic, i)).toList();
      String queue = sqs.createQueue(r -> r.queueName("events")).queueUrl();
      killAndEmpty(stack, sqs, source(stack, endpoint, queue));
    } finally {
      // It would wait until long polls are over, though nobody waits for them any more.
      server.stopAndGetFuture().apply();
      Files.write(logs.resolve("figures.txt"), figures);
    }
  }

  private static Map<String, Object> kafka(LocalStack stack) {
    return Map.of("bootstrap.servers", stack.bootstrapServers());
  }

  private void killAndEmpty(LocalStack stack, SqsClient sqs, Map<String, String> source)
      throws Exception {
    String bootstrapServers = stack.bootstrapServers();
    String queue = source.get("sqs.queue.url");
    ObjectNotifications notifications = ObjectNotifications.start(sqs, queue, SEED);
    try (notifications) {
      for (int run = 1; run <= KILLS; run++) {
        StandaloneWorker worker = StandaloneWorker.start(bootstrapServers, source, logs, run);
        try {
          awaitEvents(worker);
        } finally {
          worker.kill();
        }
        figures.add(
            "kill %d: %d events in the topic; %s".formatted(run, published(), counts(sqs, queue)));
      }
    }
    try (StandaloneWorker worker =
        StandaloneWorker.start(bootstrapServers, source, logs, KILLS + 1)) {
      await(worker, "an empty queue", () -> isEmpty(sqs, queue));
    }
    try (Consumer<byte[], byte[]> reader = ControlTable.consumer(kafka(stack))) {
      materialize(reader);
    }
    figures.add(
        "%d changes notified, %d events in the topic"
            .formatted(notifications.notified().size(), published()));
    assertThat(published).isEqualTo(notifications.notified());
    assertThat(newest()).isEqualTo(notifications.newest());
  }

  /** Returns at a moment like any other of a worker that publishes and deletes. */
  private void awaitEvents(StandaloneWorker worker) throws Exception {
    long before = published();
    await(worker, "events of this worker", () -> published() > before);
    long until = published() + random.nextInt(MAX_EVENTS);
    await(worker, "events", () -> published() >= until);
  }

  /** Brokers may not know yet who leads the partitions of a new topic. */
  private long published() throws Exception {
    return Poll.until(
        () -> Optional.of(ends()),
        TIMEOUT,
        () -> new IllegalStateException("the brokers do not tell the ends of " + topic));
  }

  private long ends() throws Exception {
    return admin
        .listOffsets(
            partitions.stream()
                .collect(Collectors.toMap(partition -> partition, p -> OffsetSpec.latest())))
        .all()
        .get()
        .values()
        .stream()
        .mapToLong(ListOffsetsResultInfo::offset)
        .sum();
  }

  /** As of one moment: a message that becomes visible again is seen in one of both. */
  private static boolean isEmpty(SqsClient sqs, String queue) {
    return counts(sqs, queue).values().stream().allMatch("0"::equals);
  }

  private static Map<QueueAttributeName, String> counts(SqsClient sqs, String queue) {
    return sqs.getQueueAttributes(r -> r.queueUrl(queue).attributeNames(IN_FLIGHT, WAITING))
        .attributes();
  }

  private static void await(StandaloneWorker worker, String what, Callable<Boolean> condition)
      throws Exception {
    Poll.until(
        () -> {
          worker.assertAlive();
          return condition.call() ? Optional.of(true) : Optional.empty();
        },
        TIMEOUT,
        () -> new IllegalStateException("waited in vain for " + what));
  }

  /** Everything in the topic, as the streams app would take it. */
  private void materialize(Consumer<byte[], byte[]> reader) throws Exception {
    reader.assign(partitions);
    reader.seekToBeginning(partitions);
    long end = published();
    while (events < end) {
      for (ConsumerRecord<byte[], byte[]> record : reader.poll(Duration.ofSeconds(1))) {
        events++;
        materialize(record);
      }
    }
  }

  private void materialize(ConsumerRecord<byte[], byte[]> record) throws IOException {
    String primaryKey = new String(record.key(), StandardCharsets.UTF_8);
    JsonNode event = JSON.readTree(record.value());
    byte[] sequence = Base64.getDecoder().decode(event.at("/source/order/sequence").textValue());
    boolean isRemoval = "d".equals(event.get("op").asText());
    published.add(
        new Change(
            primaryKey.substring(ObjectNotifications.BUCKET.length() + 1),
            HexFormat.of().withUpperCase().formatHex(sequence),
            isRemoval));
    ChangeEvent change =
        new ChangeEvent(
            isRemoval ? Op.DELETE : Op.CREATE,
            record.timestamp(),
            new Origin.Versioned(new SourceVersion("s3", sequence)),
            isRemoval ? null : new FramedValue(1, new byte[0], 0, 0));
    Entry before = applied.get(primaryKey);
    Decision decision = guard.decide(before, change, record.offset(), record.timestamp());
    if (decision.applied() && before != null) {
      assertThat(
              SourceVersion.compareSequences(
                  decision.next().version().sequence(), before.version().sequence()))
          .isPositive();
    }
    if (decision.next() != null) {
      applied.put(primaryKey, decision.next());
    }
  }

  private Map<String, Change> newest() {
    Map<String, Change> newest = new HashMap<>();
    applied.forEach(
        (primaryKey, entry) -> {
          String key = primaryKey.substring(ObjectNotifications.BUCKET.length() + 1);
          String sequencer = HexFormat.of().withUpperCase().formatHex(entry.version().sequence());
          newest.put(key, new Change(key, sequencer, entry.deleted()));
        });
    return newest;
  }

  private Map<String, String> source(LocalStack stack, URI endpoint, String queue) {
    Map<String, String> config = new HashMap<>();
    config.put("name", "files");
    config.put("connector.class", "io.indexview.connect.s3.S3SourceConnector");
    config.put("tasks.max", "2");
    config.put("source.name", "s3");
    config.put("s3.topic", topic);
    config.put("kafka.bootstrap.servers", stack.bootstrapServers());
    config.put("schema.registry.url", "mock://queue-crash");
    config.put("aws.region", StackConfig.REGION);
    config.put("aws.access.key.id", ACCOUNT);
    config.put("aws.secret.access.key", ACCOUNT);
    config.put("sqs.endpoint", endpoint.toString());
    config.put("sqs.queue.url", queue);
    config.put("sqs.visibility.timeout.ms", "2000");
    config.put("preflight.timeout.ms", "60000");
    return config;
  }

  private static SqsClient sqs(URI endpoint) {
    return SqsClient.builder()
        .endpointOverride(endpoint)
        .region(Region.of(StackConfig.REGION))
        .credentialsProvider(
            StaticCredentialsProvider.create(AwsBasicCredentials.create(ACCOUNT, ACCOUNT)))
        .build();
  }
}
