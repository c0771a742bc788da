package io.indexview.streams.generation;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.schemas.serde.ControlSchemas;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;

/** The control topics on a cluster. Not safe for use by several threads. */
public final class KafkaControlLog implements ControlLog {
  private static final Duration POLL = Duration.ofMillis(200);

  private final Topics topics;
  private final Consumer<String, byte[]> consumer;
  private final Producer<String, byte[]> producer;
  private final SchemaRegistry registry;
  private final AvroSerializer<GenericRecord> serializer;

  /**
   * @param consumer without a group, reading committed records; closed with this
   * @param producer closed with this
   * @param registry stays open
   */
  public KafkaControlLog(
      Topics topics,
      Consumer<String, byte[]> consumer,
      Producer<String, byte[]> producer,
      SchemaRegistry registry) {
    this.topics = topics;
    this.consumer = consumer;
    this.producer = producer;
    this.registry = registry;
    this.serializer = new AvroSerializer<>(registry, false);
  }

  @Override
  public List<PublishedGeneration> generations() {
    return readAll(topics.viewGenerations(), ControlSchemas.VIEW_GENERATION).values().stream()
        .map(PublishedGeneration::of)
        .toList();
  }

  @Override
  public Set<String> viewsWithState() {
    return readAll(topics.viewStates(), ControlSchemas.VIEW_STATE).keySet();
  }

  @Override
  public void publish(PublishedGeneration generation) {
    send(topics.viewGenerations(), generation.key(), generation.toAvro());
  }

  @Override
  public void publishBuilding(String view, int generation, long nowMs) {
    ViewState state =
        new ViewState(
            view,
            1,
            nowMs,
            ViewState.State.BUILDING,
            0,
            "",
            "",
            "",
            "",
            List.of(
                new ViewState.Generation(
                    generation,
                    ViewState.Role.BUILDING,
                    0,
                    "",
                    OptionalLong.empty(),
                    OptionalLong.empty())),
            List.of());
    send(topics.viewStates(), view, state.toAvro());
  }

  private Map<String, GenericRecord> readAll(String topic, Schema schema) {
    AvroDeserializer deserializer = new AvroDeserializer(registry, schema);
    Map<String, GenericRecord> newest = new LinkedHashMap<>();
    TopicPartition partition = new TopicPartition(topic, 0);
    consumer.assign(List.of(partition));
    consumer.seekToBeginning(List.of(partition));
    long end = consumer.endOffsets(List.of(partition)).get(partition);
    while (consumer.position(partition) < end) {
      for (ConsumerRecord<String, byte[]> message : consumer.poll(POLL)) {
        if (message.value() == null) {
          newest.remove(message.key());
        } else {
          newest.put(message.key(), deserializer.deserialize(topic, message.value()));
        }
      }
    }
    return newest;
  }

  private void send(String topic, String key, GenericRecord record) {
    try {
      producer.send(new ProducerRecord<>(topic, key, serializer.serialize(topic, record))).get();
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof KafkaException cause) {
        throw cause;
      }
      throw new KafkaException(e.getCause());
    }
  }

  @Override
  public void close() {
    try (consumer;
        producer) {
      serializer.close();
    }
  }
}
