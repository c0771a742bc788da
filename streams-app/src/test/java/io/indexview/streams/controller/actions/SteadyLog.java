package io.indexview.streams.controller.actions;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Topics without records, whose groups have taken all, and how often somebody asked. */
public final class SteadyLog implements KafkaLog {
  private final Map<String, Map<TopicPartition, Long>> ends = new HashMap<>();
  private final Map<TopicPartition, Long> all = new HashMap<>();
  public int questions;
  public int reads;

  public void create(String topic, int partitions) {
    Map<TopicPartition, Long> own = new HashMap<>();
    for (int i = 0; i < partitions; i++) {
      own.put(new TopicPartition(topic, i), 0L);
    }
    ends.put(topic, own);
    all.putAll(own);
  }

  /** Somebody wrote one record to each partition. */
  public void grow(String topic) {
    ends.get(topic).replaceAll((partition, end) -> end + 1);
  }

  @Override
  public Map<TopicPartition, Long> starts(Collection<String> topics) {
    return ends(topics);
  }

  @Override
  public Map<TopicPartition, Long> ends(Collection<String> topics) {
    questions++;
    Map<TopicPartition, Long> found = new HashMap<>();
    for (String topic : topics) {
      if (!ends.containsKey(topic)) {
        throw new UnknownTopicOrPartitionException(topic);
      }
      found.putAll(ends.get(topic));
    }
    return found;
  }

  @Override
  public Map<TopicPartition, Long> since(String topic, long timestampMs) {
    return ends(topic);
  }

  @Override
  public Map<TopicPartition, Long> committed(String group) {
    questions++;
    return new HashMap<>(all);
  }

  @Override
  public Map<TopicPartition, Long> oldestBehind(String group, Map<TopicPartition, Long> to) {
    questions++;
    return Map.of();
  }

  @Override
  public Set<TopicPartition> behind(String group, Map<TopicPartition, Long> to) {
    questions++;
    return Set.of();
  }

  @Override
  public long read(
      TopicPartition partition,
      long from,
      long to,
      Predicate<ConsumerRecord<byte[], byte[]>> each) {
    reads++;
    return to;
  }

  @Override
  public void write(List<ProducerRecord<byte[], byte[]>> messages) {
    throw new AssertionError("nothing is to be told: " + messages);
  }
}
