package io.indexview.demo.load;

import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.verification.Row;
import io.indexview.verification.ViewVerifier.TargetRows;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.definition.ViewGeneration;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * The rows that stand by what is committed on the topic of a generation. A row that stands in two
 * partitions is there twice.
 */
final class TopicRows implements TargetRows {
  private static final Duration POLL = Duration.ofMillis(100);

  private final String topic;
  private final Supplier<Consumer<byte[], byte[]>> consumers;
  private final AvroDeserializer deserializer;

  /**
   * @param consumers each in no group, reads committed records only
   */
  TopicRows(
      ViewGeneration generation,
      Supplier<Consumer<byte[], byte[]>> consumers,
      SchemaRegistry registry) {
    this.topic = generation.viewTopic();
    this.consumers = consumers;
    this.deserializer = new AvroDeserializer(registry);
  }

  @Override
  public Row expected(GenericRecord key, GenericRecord value, long revision) {
    Map<String, Object> values = new HashMap<>();
    for (Schema.Field field : value.getSchema().getFields()) {
      if (!field.name().equals(ViewFields.REVISION)) {
        values.put(field.name(), String.valueOf(value.get(field.pos())));
      }
    }
    return new Row(
        key.toString(),
        String.valueOf(key.get(ViewFields.PRIMARY_KEY)),
        Map.of(),
        values,
        OptionalLong.empty());
  }

  @Override
  public void forEach(java.util.function.Consumer<Row> rows) {
    try (Consumer<byte[], byte[]> consumer = consumers.get()) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(info -> new TopicPartition(topic, info.partition()))
              .toList();
      for (TopicPartition partition : partitions) {
        standing(consumer, partition).values().forEach(rows);
      }
    }
  }

  private Map<String, Row> standing(Consumer<byte[], byte[]> consumer, TopicPartition partition) {
    consumer.assign(List.of(partition));
    consumer.seekToBeginning(List.of(partition));
    long end = consumer.endOffsets(List.of(partition)).get(partition);
    Map<String, Row> standing = new HashMap<>();
    while (consumer.position(partition) < end) {
      for (ConsumerRecord<byte[], byte[]> message : consumer.poll(POLL)) {
        GenericRecord key = deserializer.deserialize(topic, message.key());
        GenericRecord value = deserializer.deserialize(topic, message.value());
        if (value == null) {
          standing.remove(key.toString());
        } else {
          standing.put(key.toString(), expected(key, value, 0));
        }
      }
    }
    return standing;
  }
}
