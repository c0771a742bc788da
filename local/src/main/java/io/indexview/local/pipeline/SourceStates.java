package io.indexview.local.pipeline;

import io.indexview.schemas.serde.AvroDeserializer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** What the sources last said on source-states. Not thread-safe. */
final class SourceStates {
  private static final Duration POLL = Duration.ofMillis(200);

  private final String topic;
  private final Consumer<byte[], byte[]> reader;
  private final AvroDeserializer deserializer;
  private final Map<String, GenericRecord> lastLooks = new HashMap<>();
  private Map<TopicPartition, Long> positions = new HashMap<>();

  /**
   * @param reader reads committed records only, in no group; shared, not closed here
   */
  SourceStates(String topic, Consumer<byte[], byte[]> reader, AvroDeserializer deserializer) {
    this.topic = topic;
    this.reader = reader;
    this.deserializer = deserializer;
  }

  /** Reads to the end of the topic. */
  void refresh() {
    List<TopicPartition> partitions =
        reader.partitionsFor(topic).stream()
            .map(info -> new TopicPartition(topic, info.partition()))
            .toList();
    reader.assign(partitions);
    partitions.forEach(p -> reader.seek(p, positions.getOrDefault(p, 0L)));
    Map<TopicPartition, Long> ends = reader.endOffsets(partitions);
    while (partitions.stream().anyMatch(p -> reader.position(p) < ends.get(p))) {
      reader.poll(POLL).forEach(this::take);
    }
    Map<TopicPartition, Long> reached = new HashMap<>();
    partitions.forEach(p -> reached.put(p, reader.position(p)));
    positions = reached;
  }

  private void take(ConsumerRecord<byte[], byte[]> message) {
    GenericRecord state = deserializer.deserialize(topic, message.value());
    if (state != null && state.get("lastLook") != null) {
      lastLooks.put(
          state.get("topic").toString() + "|" + state.get("slice"),
          (GenericRecord) state.get("lastLook"));
    }
  }

  /**
   * Whether every slice of a topic's source ended a look that it had started at this time or later.
   */
  boolean lookedSince(String changesTopic, long sinceMs) {
    List<GenericRecord> looks =
        lastLooks.entrySet().stream()
            .filter(entry -> entry.getKey().startsWith(changesTopic + "|"))
            .map(Map.Entry::getValue)
            .toList();
    return !looks.isEmpty()
        && looks.stream().allMatch(look -> (long) look.get("startedAt") >= sinceMs);
  }
}
