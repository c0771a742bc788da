package io.indexview.streams.controller.actions;

import io.indexview.schemas.change.json.JsonEventReader;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.MessageReader;
import io.indexview.streams.config.RecordSetConfig.Encoding;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.SerializationException;

/**
 * Tells whether a topic holds all of Debezium's snapshot of a table. Debezium says of each event
 * which part of a snapshot it is ({@code source.snapshot}), and streams changes when the snapshot
 * is over; so the last event of one partition tells it of all.
 */
final class DebeziumSnapshot {
  /** See Debezium's {@code io.debezium.connector.SnapshotRecord}. */
  private static final Set<String> UNDER_WAY = Set.of("true", "first", "first_in_data_collection");

  private final KafkaLog log;
  private final NewestEvents newest;
  private final MessageReader reader;

  /**
   * @param registry stays open
   */
  DebeziumSnapshot(KafkaLog log, SchemaRegistry registry) {
    this.log = log;
    this.newest = new NewestEvents(log);
    this.reader = new MessageReader(registry);
  }

  /**
   * What is missing of the snapshot, for people; empty: nothing.
   *
   * @param ends of all partitions of the topic
   * @throws io.indexview.schemas.registry.RegistryException if the registry does not answer
   */
  String missing(String topic, Encoding encoding, Map<TopicPartition, Long> ends) {
    if (ends.values().stream().allMatch(end -> end == 0)) {
      return "Debezium has sent no event to topic %s yet; where its table has no rows, set complete=topic"
          .formatted(topic);
    }
    boolean isUnderWay = false;
    for (Map.Entry<TopicPartition, Long> start : log.starts(topic).entrySet()) {
      Optional<ConsumerRecord<byte[], byte[]>> last =
          newest.last(
              start.getKey(),
              start.getValue(),
              ends.getOrDefault(start.getKey(), 0L),
              event -> true);
      if (last.isPresent() && !isUnderWay(last.get(), encoding)) {
        return "";
      }
      isUnderWay |= last.isPresent();
    }
    // Events that were all deleted by age were followed by nothing for as long.
    return isUnderWay ? "topic %s ends within a snapshot of Debezium".formatted(topic) : "";
  }

  private boolean isUnderWay(ConsumerRecord<byte[], byte[]> event, Encoding encoding) {
    if (event.value() == null) {
      // The tombstone behind a deletion.
      return false;
    }
    Optional<String> snapshot =
        switch (encoding) {
          case AVRO -> ofAvro(event);
          case JSON -> JsonEventReader.snapshot(event.value());
        };
    return snapshot.filter(UNDER_WAY::contains).isPresent();
  }

  private Optional<String> ofAvro(ConsumerRecord<byte[], byte[]> event) {
    try {
      return reader.read(event.topic(), event.value()).value() instanceof GenericRecord envelope
              && envelope.hasField("source")
              && envelope.get("source") instanceof GenericRecord source
              && source.hasField("snapshot")
          ? Optional.ofNullable(source.get("snapshot")).map(Object::toString)
          : Optional.empty();
    } catch (SerializationException e) {
      // No event of Debezium; its task tells what is wrong with it.
      return Optional.empty();
    }
  }
}
