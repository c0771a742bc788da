package io.indexview.schemas.control;

import io.indexview.schemas.Topics;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.WireFormat;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.utils.ByteUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A compacted control topic, materialized as the newest value of each key. Keys are plain text, or
 * Avro strings in the wire format. Not safe for use by several threads.
 *
 * @param <T> what a record stands for
 */
public final class ControlTable<T> implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(ControlTable.class);

  /** A fetch that still waits for more holds up the next question for the end for as long. */
  private static final Duration FETCH_WAIT = Duration.ofMillis(10);

  private final TopicPartition partition;
  private final Consumer<byte[], byte[]> consumer;
  private final PartitionReads reads;
  private final AvroDeserializer deserializer;
  private final Function<GenericRecord, T> values;
  private final Map<String, T> newest = new LinkedHashMap<>();
  private final Map<String, String> unreadable = new LinkedHashMap<>();
  private boolean assigned;

  /**
   * What a topic holds.
   *
   * @param newest values, by key
   * @param unreadable by key, which record has a value that cannot be read, and why; by offset,
   *     records whose keys cannot be
   */
  public record Contents<T>(Map<String, T> newest, Map<String, String> unreadable) {
    public Contents {
      newest = Map.copyOf(newest);
      unreadable = Map.copyOf(unreadable);
    }
  }

  /**
   * @param consumer in no group, reads committed records only; closed with this
   * @param deserializer resolves to the schema that {@code values} expects; stays open
   */
  public ControlTable(
      String topic,
      Consumer<byte[], byte[]> consumer,
      AvroDeserializer deserializer,
      Function<GenericRecord, T> values) {
    this.partition = new TopicPartition(topic, Topics.CONTROL_PARTITION);
    this.consumer = consumer;
    this.reads = new PartitionReads(consumer);
    this.deserializer = deserializer;
    this.values = values;
  }

  /**
   * A record for a control topic, where all who read one look.
   *
   * @param value null: the key is to be forgotten
   */
  public static ProducerRecord<byte[], byte[]> record(String topic, byte[] key, byte[] value) {
    return new ProducerRecord<>(topic, Topics.CONTROL_PARTITION, key, value);
  }

  /**
   * A consumer as this needs it.
   *
   * @param settings of the cluster: bootstrap servers, security
   */
  public static Consumer<byte[], byte[]> consumer(Map<String, Object> settings) {
    return consumer(settings, FETCH_WAIT);
  }

  /**
   * Creates a consumer that follows a control topic.
   *
   * @param settings of the cluster: bootstrap servers, security
   * @param fetchWait how long a fetch waits for records; whatever else is asked for waits, too
   */
  public static Consumer<byte[], byte[]> consumer(
      Map<String, Object> settings, Duration fetchWait) {
    Map<String, Object> properties = new HashMap<>(settings);
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    properties.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, (int) fetchWait.toMillis());
    return new KafkaConsumer<>(
        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /**
   * Reads to what was the end of the topic when it was called. What cannot be read is logged, too.
   * After a failure the next call reads the topic anew.
   *
   * @throws org.apache.kafka.common.KafkaException if the cluster does not answer, or the registry
   *     refuses to tell a schema
   * @throws RegistryException if the registry does not answer
   */
  public Contents<T> read() {
    boolean whole = false;
    try {
      follow();
      whole = true;
    } finally {
      // What was polled together with a record that failed would be missing for good.
      assigned = whole;
    }
    return new Contents<>(newest, unreadable);
  }

  /** The newest values of {@link #read}. */
  public Map<String, T> refresh() {
    return read().newest();
  }

  /**
   * Makes the next {@link #read} begin at the start of the topic. The topic may have been created
   * anew, and be longer by now than what was read of the earlier one.
   */
  public void readAnew() {
    assigned = false;
  }

  private void forget() {
    newest.clear();
    unreadable.clear();
  }

  private void follow() {
    if (!assigned) {
      forget();
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
    }
    long end = consumer.endOffsets(List.of(partition)).get(partition);
    if (consumer.position(partition) > end) {
      // It was deleted, and there is another one of its name.
      forget();
      consumer.seekToBeginning(List.of(partition));
    }
    reads.toEnds(Map.of(partition, end), this::take);
  }

  /**
   * Takes a record, or ignores one that cannot be read: to fail would help nobody, because the
   * record stays where it is.
   */
  private void take(ConsumerRecord<byte[], byte[]> message) {
    Optional<String> key = key(message.key());
    if (key.isEmpty()) {
      ignore("offset " + message.offset(), message, "its key is none of this topic");
      return;
    }
    newest.remove(key.get());
    unreadable.remove(key.get());
    if (message.value() != null) {
      takeValue(key.get(), message);
    }
  }

  /** An outage of the registry does not say that nobody can read it. */
  private void takeValue(String key, ConsumerRecord<byte[], byte[]> message) {
    try {
      newest.put(key, values.apply(deserializer.deserialize(message.topic(), message.value())));
    } catch (RegistryException e) {
      throw e;
    } catch (RuntimeException e) {
      ignore(
          key,
          message,
          "its value cannot be read: " + Objects.requireNonNullElse(e.getMessage(), e.toString()));
    }
  }

  private void ignore(String key, ConsumerRecord<byte[], byte[]> message, String reason) {
    String record = "%s-%d@%d".formatted(message.topic(), message.partition(), message.offset());
    unreadable.put(key, "record %s: %s".formatted(record, reason));
    LOGGER.error(
        "Control record {} is ignored: {}; upgrade this process if a newer release wrote it, else see who else writes the topic",
        record,
        reason);
  }

  /**
   * Text, or an Avro string in the wire format: header, length as a varint, text. Empty if it is
   * neither.
   */
  private static Optional<String> key(byte[] key) {
    if (key == null) {
      return Optional.empty();
    }
    if (key.length == 0 || key[0] != WireFormat.MAGIC) {
      return Optional.of(new String(key, StandardCharsets.UTF_8));
    }
    if (key.length <= WireFormat.HEADER_LENGTH) {
      return Optional.empty();
    }
    ByteBuffer framed =
        ByteBuffer.wrap(key, WireFormat.HEADER_LENGTH, key.length - WireFormat.HEADER_LENGTH);
    try {
      return ByteUtils.readVarint(framed) == framed.remaining()
          ? Optional.of(StandardCharsets.UTF_8.decode(framed).toString())
          : Optional.empty();
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    consumer.close();
  }
}
