package io.indexview.connect.s3;

import io.indexview.connect.common.source.SourceRequests;
import io.indexview.connect.s3.record.ChangeTopic;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.progress.TopicIds;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** {@link ChangeTopic} on a cluster. */
final class KafkaChangeTopic implements ChangeTopic {
  private static final Duration ANSWER = Duration.ofSeconds(10);

  private final String topic;
  private final SchemaRegistry registry;
  private final SourceRequests requests;
  private final Consumer<byte[], byte[]> consumer;
  private final Admin admin;
  private final TopicIds ids;

  private KafkaChangeTopic(S3SourceConfig config) {
    this.topic = config.topic();
    Map<String, Object> kafka = config.kafka().settings();
    this.consumer = ControlTable.consumer(kafka);
    this.admin = Admin.create(admin(kafka));
    this.ids = new TopicIds(admin, Clock.systemUTC());
    this.registry = SchemaRegistries.create(config.originals());
    this.requests = SourceRequests.watch(kafka, config.source().topics(), registry);
  }

  private static Map<String, Object> admin(Map<String, Object> kafka) {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.keySet().retainAll(AdminClientConfig.configNames());
    return settings;
  }

  /** As configured; {@link ChangeTopic#UNREACHABLE} without a slice to answer for. */
  static ChangeTopic open(S3SourceTaskConfig config) {
    boolean answers = !config.taskBuckets().isEmpty() || config.ownsQueueSlice();
    return answers ? new KafkaChangeTopic(config) : UNREACHABLE;
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
  public Map<Integer, Long> ends() {
    List<TopicPartition> partitions =
        consumer.partitionsFor(topic, ANSWER).stream()
            .map(info -> new TopicPartition(topic, info.partition()))
            .toList();
    if (partitions.isEmpty()) {
      throw new UnknownTopicOrPartitionException("topic " + topic + " does not exist");
    }
    Map<Integer, Long> ends = new HashMap<>();
    consumer
        .endOffsets(partitions, ANSWER)
        .forEach((partition, end) -> ends.put(partition.partition(), end));
    return ends;
  }

  @Override
  public void close() {
    requests.close();
    consumer.close(CloseOptions.timeout(Duration.ZERO));
    admin.close(Duration.ZERO);
    registry.close();
  }
}
