package io.indexview.streams.controller.actions;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** Topics and groups in memory. */
public final class FakeLog implements KafkaLog {
  private final Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> records =
      new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
  private final Map<TopicPartition, Long> starts = new HashMap<>();
  private final Map<String, Map<TopicPartition, Long>> committed = new HashMap<>();
  private final Map<String, Map<TopicPartition, Long>> committedInRound = new HashMap<>();
  public final List<ProducerRecord<byte[], byte[]>> written = new ArrayList<>();
  public int maxPerRead = Integer.MAX_VALUE;
  public RuntimeException outage;
  public int groupPolls;
  public int scansBehind;
  public int reads;

  public void create(String topic, int partitions) {
    for (int i = 0; i < partitions; i++) {
      records.put(new TopicPartition(topic, i), new ArrayList<>());
    }
  }

  public void remove(String topic) {
    records.keySet().removeIf(partition -> partition.topic().equals(topic));
  }

  /** Appends a record; its offset. */
  public long add(String topic, int partition, String key, String value) {
    return add(topic, partition, bytes(key), bytes(value), 0, new RecordHeaders());
  }

  public long add(
      String topic, int partition, byte[] key, byte[] value, long timestampMs, Headers headers) {
    List<ConsumerRecord<byte[], byte[]>> log = records.get(new TopicPartition(topic, partition));
    long offset = log.size();
    log.add(
        new ConsumerRecord<>(
            topic,
            partition,
            offset,
            timestampMs,
            TimestampType.LOG_APPEND_TIME,
            0,
            0,
            key,
            value,
            headers,
            Optional.empty()));
    return offset;
  }

  /** Takes an offset that holds no record, as a transaction's end does. */
  public void addTombstone(String topic, int partition) {
    records.get(new TopicPartition(topic, partition)).add(null);
  }

  public void trim(String topic, int partition, long start) {
    starts.put(new TopicPartition(topic, partition), start);
  }

  public void commit(String group, String topic, int partition, long offset) {
    committed
        .computeIfAbsent(group, name -> new HashMap<>())
        .put(new TopicPartition(topic, partition), offset);
  }

  /** Commits everything of a topic. */
  public void commitAll(String group, String topic) {
    ends(topic).forEach((partition, end) -> commit(group, topic, partition.partition(), end));
  }

  @Override
  public void beginRound() {
    committedInRound.clear();
  }

  @Override
  public Map<TopicPartition, Long> committedInRound(String group) {
    return committedInRound.computeIfAbsent(group, this::committed);
  }

  private static byte[] bytes(String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  private void answer() {
    if (outage != null) {
      throw outage;
    }
  }

  @Override
  public Map<TopicPartition, Long> starts(Collection<String> topics) {
    Map<TopicPartition, Long> found = new HashMap<>(ends(topics));
    found.replaceAll((partition, end) -> starts.getOrDefault(partition, 0L));
    return found;
  }

  @Override
  public Map<TopicPartition, Long> ends(Collection<String> topics) {
    answer();
    Map<TopicPartition, Long> ends = new HashMap<>();
    for (String topic : topics) {
      Set<TopicPartition> partitions =
          records.keySet().stream()
              .filter(partition -> partition.topic().equals(topic))
              .collect(Collectors.toSet());
      if (partitions.isEmpty()) {
        throw new UnknownTopicOrPartitionException(topic);
      }
      partitions.forEach(partition -> ends.put(partition, (long) records.get(partition).size()));
    }
    return ends;
  }

  @Override
  public Map<TopicPartition, Long> since(String topic, long timestampMs) {
    Map<TopicPartition, Long> found = new HashMap<>(ends(topic));
    found.replaceAll(
        (partition, end) ->
            records.get(partition).stream()
                .filter(record -> record != null && record.timestamp() >= timestampMs)
                .map(ConsumerRecord::offset)
                .findFirst()
                .orElse(end));
    return found;
  }

  @Override
  public Map<TopicPartition, Long> committed(String group) {
    answer();
    groupPolls++;
    return Map.copyOf(committed.getOrDefault(group, Map.of()));
  }

  @Override
  public Set<TopicPartition> behind(String group, Map<TopicPartition, Long> ends) {
    if (!records.keySet().containsAll(ends.keySet())) {
      throw new UnknownTopicOrPartitionException(ends.keySet().toString());
    }
    Set<TopicPartition> behind = new HashSet<>(oldestBehind(group, ends).keySet());
    ends.keySet().stream()
        .filter(partition -> records.get(partition).size() < ends.get(partition))
        .filter(
            partition ->
                this.committed.getOrDefault(group, Map.of()).getOrDefault(partition, 0L)
                    < ends.get(partition))
        .forEach(behind::add);
    return behind;
  }

  @Override
  public Map<TopicPartition, Long> oldestBehind(String group, Map<TopicPartition, Long> ends) {
    scansBehind++;
    Map<TopicPartition, Long> offsets = committed(group);
    Map<TopicPartition, Long> oldest = new HashMap<>();
    ends.forEach(
        (partition, end) ->
            records.get(partition).stream()
                .filter(Objects::nonNull)
                .filter(record -> record.offset() >= offsets.getOrDefault(partition, 0L))
                .filter(record -> record.offset() < end)
                .findFirst()
                .ifPresent(record -> oldest.put(partition, record.timestamp())));
    return oldest;
  }

  @Override
  public long read(
      TopicPartition partition,
      long from,
      long to,
      Predicate<ConsumerRecord<byte[], byte[]>> each) {
    answer();
    reads++;
    int read = 0;
    for (long at = Math.max(from, starts.getOrDefault(partition, 0L)); at < to; at++) {
      ConsumerRecord<byte[], byte[]> record = records.get(partition).get((int) at);
      if (record != null && (!each.test(record) || ++read >= maxPerRead)) {
        return at + 1;
      }
    }
    return to;
  }

  @Override
  public void write(List<ProducerRecord<byte[], byte[]>> messages) {
    answer();
    for (ProducerRecord<byte[], byte[]> message : messages) {
      written.add(message);
      TopicPartition partition =
          new TopicPartition(
              message.topic(), message.partition() == null ? 0 : message.partition());
      records.computeIfAbsent(partition, p -> new ArrayList<>());
      add(
          message.topic(),
          partition.partition(),
          message.key(),
          message.value(),
          0,
          message.headers());
    }
  }
}
