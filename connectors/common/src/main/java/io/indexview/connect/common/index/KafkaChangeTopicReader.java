package io.indexview.connect.common.index;

import io.indexview.connect.common.index.ChangeTopicReader.ChangeTopicException.MissingTopicException;
import io.indexview.schemas.progress.TopicIds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.connect.errors.ConnectException;

/** Reads the topic with a consumer of its own, in no group. */
public final class KafkaChangeTopicReader implements ChangeTopicReader {
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(10);
  private static final ListOffsetsOptions COMMITTED =
      new ListOffsetsOptions(IsolationLevel.READ_COMMITTED);

  private final String topic;
  private final Admin admin;
  private final Consumer<byte[], byte[]> consumer;
  private final TopicIds ids;

  /**
   * @param admin closed with this
   * @param consumer closed with this
   */
  KafkaChangeTopicReader(String topic, Admin admin, Consumer<byte[], byte[]> consumer) {
    this.topic = topic;
    this.admin = admin;
    this.consumer = consumer;
    this.ids = new TopicIds(admin);
  }

  /**
   * Reads a topic; asks the brokers for nothing yet.
   *
   * @param clientId for logs and quotas of the brokers
   * @param settings of the clients, bootstrap servers among them
   */
  public static KafkaChangeTopicReader open(
      String topic, String clientId, Map<String, Object> settings) {
    Map<String, Object> forAdmin = new HashMap<>(settings);
    forAdmin.keySet().retainAll(AdminClientConfig.configNames());
    forAdmin.put(AdminClientConfig.CLIENT_ID_CONFIG, clientId);
    Admin admin = Admin.create(forAdmin);
    try {
      return new KafkaChangeTopicReader(
          topic, admin, new KafkaConsumer<>(forConsumer(clientId, settings)));
    } catch (RuntimeException e) {
      admin.close(Duration.ZERO);
      throw e;
    }
  }

  private static Map<String, Object> forConsumer(String clientId, Map<String, Object> settings) {
    Map<String, Object> properties = new HashMap<>(settings);
    properties.put(ConsumerConfig.CLIENT_ID_CONFIG, clientId);
    properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    // What the topic no longer holds is not to be passed over.
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    return properties;
  }

  /** The consumer would answer only after the fetch that it has under way. */
  @Override
  public Bounds bounds() {
    TopicDescription description =
        await(admin.describeTopics(List.of(topic)).topicNameValues().get(topic));
    var begins = admin.listOffsets(all(description, OffsetSpec.earliest()), COMMITTED).all();
    var ends = admin.listOffsets(all(description, OffsetSpec.latest()), COMMITTED).all();
    return new Bounds(
        description.topicId().toString(), byPartition(await(begins)), byPartition(await(ends)));
  }

  private Map<TopicPartition, OffsetSpec> all(TopicDescription description, OffsetSpec which) {
    return description.partitions().stream()
        .collect(Collectors.toMap(info -> new TopicPartition(topic, info.partition()), i -> which));
  }

  private <T> T await(KafkaFuture<T> answer) {
    try {
      return answer.get(REQUEST_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        throw new MissingTopicException(topic, e.getCause());
      }
      throw unavailable(e.getCause());
    } catch (TimeoutException e) {
      throw new ChangeTopicException(
          "topic %s cannot be read: no answer from the brokers within %d s"
              .formatted(topic, REQUEST_TIMEOUT.toSeconds()),
          e);
    } catch (KafkaException e) {
      throw unavailable(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ConnectException("interrupted while topic " + topic + " was asked for", e);
    }
  }

  @Override
  public Optional<String> idSince(long moment) {
    return ids.since(topic, moment);
  }

  @Override
  public void seek(Map<Integer, Long> positions) {
    try {
      consumer.assign(
          positions.keySet().stream()
              .map(partition -> new TopicPartition(topic, partition))
              .toList());
      positions.forEach(
          (partition, offset) -> consumer.seek(new TopicPartition(topic, partition), offset));
    } catch (KafkaException e) {
      throw unavailable(e);
    }
  }

  @Override
  public List<LoggedEvent> poll(Duration timeout) {
    try {
      List<LoggedEvent> events = new ArrayList<>();
      for (ConsumerRecord<byte[], byte[]> r : consumer.poll(timeout)) {
        events.add(new LoggedEvent(r.partition(), r.offset(), r.timestamp(), r.key(), r.value()));
      }
      return events;
    } catch (KafkaException e) {
      throw unavailable(e);
    }
  }

  @Override
  public Map<Integer, Long> positions() {
    try {
      Map<Integer, Long> positions = new HashMap<>();
      for (TopicPartition partition : consumer.assignment()) {
        positions.put(partition.partition(), consumer.position(partition, REQUEST_TIMEOUT));
      }
      return positions;
    } catch (KafkaException e) {
      throw unavailable(e);
    }
  }

  private static Map<Integer, Long> byPartition(
      Map<TopicPartition, ListOffsetsResultInfo> offsets) {
    return offsets.entrySet().stream()
        .collect(Collectors.toMap(one -> one.getKey().partition(), one -> one.getValue().offset()));
  }

  private RuntimeException unavailable(Throwable cause) {
    if (cause instanceof AuthenticationException || cause instanceof AuthorizationException) {
      return new ConnectException(
          "topic %s: the broker refuses the clients that kafka.* configures: %s"
              .formatted(topic, cause.getMessage()),
          cause);
    }
    return new ChangeTopicException("topic " + topic + " cannot be read: " + cause, cause);
  }

  /** Closes as clients before 4.1 do: workers bring their own, and may be older. */
  @Override
  @SuppressWarnings("deprecation")
  public void close() {
    admin.close(Duration.ZERO);
    consumer.close(Duration.ZERO);
  }
}
