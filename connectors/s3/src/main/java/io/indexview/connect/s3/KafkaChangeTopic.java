package io.indexview.connect.s3;

import io.indexview.connect.common.source.SourceRequests;
import io.indexview.connect.s3.record.ChangeTopic;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

  private KafkaChangeTopic(S3SourceConfig config) {
    this.topic = config.topic();
    Map<String, Object> kafka = config.kafka().settings();
    this.consumer = ControlTable.consumer(kafka);
    this.registry = SchemaRegistries.create(config.originals());
    this.requests = SourceRequests.watch(kafka, config.source().topics(), registry);
  }

  /** As configured; {@link ChangeTopic#UNREACHABLE} without brokers, or a slice to answer for. */
  static ChangeTopic open(S3SourceTaskConfig config) {
    boolean answers = !config.taskBuckets().isEmpty() || config.ownsQueueSlice();
    return answers && config.kafka().isSet() ? new KafkaChangeTopic(config) : UNREACHABLE;
  }

  @Override
  public long requested() {
    return requests.newest(topic);
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
    registry.close();
  }
}
