package io.indexview.schemas.progress;

import io.indexview.schemas.progress.GroupProgress.Offsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsResult;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/** Offsets on a cluster. Thread-safe. */
final class AdminOffsets implements Offsets {
  private final Admin admin;

  AdminOffsets(Admin admin) {
    this.admin = admin;
  }

  @Override
  public List<TopicPartition> partitions(Collection<String> topics) {
    Map<String, TopicDescription> described =
        KafkaAnswers.await(admin.describeTopics(topics).allTopicNames());
    return described.values().stream()
        .flatMap(
            topic ->
                topic.partitions().stream()
                    .map(info -> new TopicPartition(topic.name(), info.partition())))
        .toList();
  }

  @Override
  public Map<TopicPartition, Long> starts(Collection<TopicPartition> partitions) {
    return offsets(partitions, OffsetSpec.earliest(), IsolationLevel.READ_COMMITTED);
  }

  @Override
  public Map<TopicPartition, Long> highWatermarks(Collection<TopicPartition> partitions) {
    return offsets(partitions, OffsetSpec.latest(), IsolationLevel.READ_UNCOMMITTED);
  }

  @Override
  public Map<TopicPartition, Long> lastStable(Collection<TopicPartition> partitions) {
    return offsets(partitions, OffsetSpec.latest(), IsolationLevel.READ_COMMITTED);
  }

  @Override
  public Map<TopicPartition, Long> since(Collection<TopicPartition> partitions, long timestampMs) {
    return offsets(partitions, OffsetSpec.forTimestamp(timestampMs), IsolationLevel.READ_COMMITTED);
  }

  private Map<TopicPartition, Long> offsets(
      Collection<TopicPartition> partitions, OffsetSpec spec, IsolationLevel isolation) {
    var wanted = partitions.stream().collect(Collectors.toMap(Function.identity(), p -> spec));
    var options = new ListOffsetsOptions(isolation);
    return KafkaAnswers.await(admin.listOffsets(wanted, options).all()).entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().offset()));
  }

  @Override
  public Map<TopicPartition, Long> committed(String group) {
    return committed(admin.listConsumerGroupOffsets(group));
  }

  @Override
  public OptionalLong committed(String group, TopicPartition partition) {
    var wanted =
        Map.of(group, new ListConsumerGroupOffsetsSpec().topicPartitions(List.of(partition)));
    Long offset = committed(admin.listConsumerGroupOffsets(wanted)).get(partition);
    return offset == null ? OptionalLong.empty() : OptionalLong.of(offset);
  }

  /**
   * @param result of one group
   */
  private static Map<TopicPartition, Long> committed(ListConsumerGroupOffsetsResult result) {
    Map<TopicPartition, OffsetAndMetadata> offsets;
    try {
      offsets = KafkaAnswers.await(result.partitionsToOffsetAndMetadata());
    } catch (GroupIdNotFoundException e) {
      return Map.of();
    }
    Map<TopicPartition, Long> known = new HashMap<>();
    offsets.forEach(
        (partition, offset) -> {
          if (offset != null) {
            known.put(partition, offset.offset());
          }
        });
    return known;
  }
}
