package io.indexview.connect.s3;

import io.indexview.connect.common.source.SourceRequests;
import io.indexview.connect.s3.record.ChangeTopic;
import io.indexview.schemas.progress.TopicIds;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** {@link ChangeTopic} on a cluster. */
final class KafkaChangeTopic implements ChangeTopic {
  private static final Duration ANSWER = Duration.ofSeconds(10);
  private static final Duration READ_WAIT = Duration.ofMillis(5);

  private final String topic;
  private final SchemaRegistry registry;
  private final SourceRequests requests;
  private final Consumer<byte[], byte[]> consumer;
  private final Admin admin;
  private final TopicIds ids;

  /** Where the consumer stands; empty if nobody knows. */
  private Map<Integer, Long> read = Map.of();

  private KafkaChangeTopic(S3SourceConfig config) {
    this.topic = config.topic();
    Map<String, Object> kafka = config.kafka().settings();
    this.consumer = consumer(kafka);
    this.admin = Admin.create(admin(kafka));
    this.ids = new TopicIds(admin, Clock.systemUTC());
    this.registry = SchemaRegistries.create(config.originals());
    this.requests = SourceRequests.watch(kafka, config.source().topics(), registry);
  }

  private static Consumer<byte[], byte[]> consumer(Map<String, Object> settings) {
    Map<String, Object> properties = new HashMap<>(settings);
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    // What the topic no longer holds is not to be passed over.
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    return new KafkaConsumer<>(
        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  private static Map<String, Object> admin(Map<String, Object> kafka) {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.keySet().retainAll(AdminClientConfig.configNames());
    return settings;
  }

  /** As configured; {@link ChangeTopic#UNREACHABLE} if the task has nothing to look at it for. */
  static ChangeTopic open(S3SourceTaskConfig config) {
    boolean answers = !config.taskBuckets().isEmpty() || config.ownsQueueSlice();
    return answers || config.index().isPresent() ? new KafkaChangeTopic(config) : UNREACHABLE;
  }

  @Override
  public long requested() {
    return requests.newest(topic);
  }

  @Override
  public Optional<String> idSince(Instant time) {
    return ids.since(topic, time);
  }

  @Override
  public Bounds bounds() {
    List<TopicPartition> partitions =
        consumer.partitionsFor(topic, ANSWER).stream()
            .map(info -> new TopicPartition(topic, info.partition()))
            .toList();
    if (partitions.isEmpty()) {
      throw new UnknownTopicOrPartitionException("topic " + topic + " does not exist");
    }
    return new Bounds(
        byPartition(consumer.beginningOffsets(partitions, ANSWER)),
        byPartition(consumer.endOffsets(partitions, ANSWER)));
  }

  private static Map<Integer, Long> byPartition(Map<TopicPartition, Long> offsets) {
    Map<Integer, Long> byPartition = new HashMap<>();
    offsets.forEach((partition, offset) -> byPartition.put(partition.partition(), offset));
    return byPartition;
  }

  @Override
  public Batch read(Map<Integer, Long> positions) {
    if (!positions.equals(read)) {
      seek(positions);
    }
    read = Map.of();
    List<LoggedEvent> events = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> r : consumer.poll(READ_WAIT)) {
      events.add(new LoggedEvent(r.partition(), r.offset(), r.timestamp(), r.key(), r.value()));
    }
    Map<TopicPartition, Long> next = new HashMap<>();
    for (TopicPartition partition : consumer.assignment()) {
      next.put(partition, consumer.position(partition, ANSWER));
    }
    read = byPartition(next);
    return new Batch(events, read);
  }

  private void seek(Map<Integer, Long> positions) {
    consumer.assign(positions.keySet().stream().map(p -> new TopicPartition(topic, p)).toList());
    positions.forEach((p, offset) -> consumer.seek(new TopicPartition(topic, p), offset));
  }

  @Override
  public void close() {
    requests.close();
    consumer.close(CloseOptions.timeout(Duration.ZERO));
    admin.close(Duration.ZERO);
    registry.close();
  }
}
