package io.indexview.schemas.control;

import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.WireFormat;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A compacted control topic of one partition, folded to the newest value of each key. Keys are
 * plain text, or Avro strings in the wire format. Not safe for use by several threads.
 *
 * @param <T> what a record stands for
 */
public final class ControlTable<T> implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final TopicPartition partition;
  private final Consumer<byte[], byte[]> consumer;
  private final AvroDeserializer deserializer;
  private final Function<GenericRecord, T> values;
  private final Map<String, T> newest = new LinkedHashMap<>();
  private boolean assigned;

  /**
   * @param consumer in no group, reads committed records only; closed with this
   * @param deserializer resolves to the schema that {@code values} expects; stays open
   */
  public ControlTable(
      String topic,
      Consumer<byte[], byte[]> consumer,
      AvroDeserializer deserializer,
      Function<GenericRecord, T> values) {
    this.partition = new TopicPartition(topic, 0);
    this.consumer = consumer;
    this.deserializer = deserializer;
    this.values = values;
  }

  /**
   * A consumer as this needs it.
   *
   * @param settings of the cluster: bootstrap servers, security
   */
  public static Consumer<byte[], byte[]> consumer(Map<String, Object> settings) {
    Map<String, Object> properties = new HashMap<>(settings);
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    return new KafkaConsumer<>(
        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /**
   * Reads to what was the end of the topic when it was called; the newest values by key. After a
   * failure the next call reads the topic anew.
   *
   * @throws org.apache.kafka.common.KafkaException if the cluster does not answer, or a record is
   *     none of this topic
   * @throws io.indexview.schemas.registry.RegistryException if the registry does not answer
   */
  public Map<String, T> refresh() {
    boolean whole = false;
    try {
      follow();
      whole = true;
    } finally {
      // What was polled together with a record that failed would be missing for good.
      assigned = whole;
    }
    return Map.copyOf(newest);
  }

  private void follow() {
    if (!assigned) {
      newest.clear();
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
    }
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    long end = consumer.endOffsets(List.of(partition)).get(partition);
    while (consumer.position(partition) < end) {
      consumer.poll(POLL).forEach(this::take);
      if (System.nanoTime() > deadline) {
        throw new TimeoutException(
            "topic %s was not read to its end within %d s"
                .formatted(partition.topic(), PATIENCE.toSeconds()));
      }
    }
  }

  private void take(ConsumerRecord<byte[], byte[]> message) {
    String key = key(message.key());
    if (message.value() == null) {
      newest.remove(key);
    } else {
      newest.put(key, values.apply(deserializer.deserialize(message.topic(), message.value())));
    }
  }

  /** Text, or an Avro string in the wire format: header, length as a varint, text. */
  private static String key(byte[] key) {
    if (key.length <= WireFormat.HEADER_LENGTH || key[0] != 0) {
      return new String(key, StandardCharsets.UTF_8);
    }
    int at = WireFormat.HEADER_LENGTH;
    while (key[at] < 0) {
      at++;
    }
    at++;
    return new String(key, at, key.length - at, StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    consumer.close();
  }
}
