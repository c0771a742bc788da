package io.indexview.client.token;

import io.indexview.client.poll.AnswerTimeouts;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.progress.DeadLetter;
import io.indexview.schemas.progress.GroupProgress;
import io.indexview.schemas.progress.GroupProgress.Taken;
import io.indexview.schemas.progress.KafkaAnswers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Positions on a cluster. */
final class KafkaPositions implements PipelinePositions {
  private static final Duration RECENT = Duration.ofMinutes(10);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final Admin admin;
  private final Consumer<byte[], byte[]> reader;
  private final GroupProgress progress;
  private final Map<TopicPartition, Long> nextDeadLetters = new ConcurrentHashMap<>();

  /**
   * @param kafka settings of the cluster: bootstrap servers, security
   */
  KafkaPositions(Map<String, Object> kafka) {
    Map<String, Object> settings = AnswerTimeouts.in(kafka);
    this.admin = Admin.create(settings);
    this.reader = ControlTable.consumer(settings);
    this.progress = new GroupProgress(admin, reader);
  }

  @Override
  public Optional<Topic> topic(String name) {
    try {
      TopicDescription found =
          KafkaAnswers.await(admin.describeTopics(List.of(name)).topicNameValues().get(name));
      return Optional.of(new Topic(found.topicId(), found.partitions().size()));
    } catch (UnknownTopicOrPartitionException e) {
      return Optional.empty();
    }
  }

  @Override
  public long end(TopicPartition partition) {
    return KafkaAnswers.await(
            admin.listOffsets(Map.of(partition, OffsetSpec.latest())).partitionResult(partition))
        .offset();
  }

  @Override
  public OptionalLong committed(String group, TopicPartition partition) {
    return progress.committed(group, partition);
  }

  @Override
  public Taken taken(String group, TopicPartition partition) {
    // Of all that the progress does, only this uses the one reader.
    synchronized (reader) {
      return progress.taken(group, partition);
    }
  }

  @Override
  public List<RejectedRecord> newDeadLetters(String topic) {
    int partitions = topic(topic).map(Topic::partitions).orElse(0);
    List<RejectedRecord> deadLetters = new ArrayList<>();
    Map<TopicPartition, Long> next = new HashMap<>();
    for (int number = 0; number < partitions; number++) {
      TopicPartition partition = new TopicPartition(topic, number);
      long end = end(partition);
      long from =
          nextDeadLetters.containsKey(partition)
              ? nextDeadLetters.get(partition)
              : recent(partition, end);
      read(partition, from, end, message -> deadLetter(message).ifPresent(deadLetters::add));
      next.put(partition, end);
    }
    // What a failure in between keeps back is read again.
    nextDeadLetters.putAll(next);
    return deadLetters;
  }

  /** Those before have long reached the controller, and the view's state says so. */
  private long recent(TopicPartition partition, long end) {
    OffsetSpec since = OffsetSpec.forTimestamp(System.currentTimeMillis() - RECENT.toMillis());
    long offset =
        KafkaAnswers.await(admin.listOffsets(Map.of(partition, since)).partitionResult(partition))
            .offset();
    return offset < 0 ? end : offset;
  }

  private static Optional<RejectedRecord> deadLetter(ConsumerRecord<byte[], byte[]> message) {
    DeadLetter deadLetter = DeadLetter.of(message);
    if (deadLetter.topic().isEmpty() || message.key() == null) {
      return Optional.empty();
    }
    return Optional.of(
        new RejectedRecord(
            new TopicPartition(deadLetter.topic().get(), deadLetter.partition()),
            deadLetter.offset(),
            ByteBuffer.wrap(message.key()),
            deadLetter.reason()));
  }

  @Override
  public Map<ByteBuffer, Long> lastOf(TopicPartition partition, long from, long to) {
    Map<ByteBuffer, Long> last = new HashMap<>();
    read(
        partition,
        from,
        to,
        message -> {
          if (message.key() != null) {
            last.put(ByteBuffer.wrap(message.key()), message.offset());
          }
        });
    return last;
  }

  private interface MessageTaker {
    void accept(ConsumerRecord<byte[], byte[]> message);
  }

  private void read(TopicPartition partition, long from, long to, MessageTaker take) {
    if (from >= to) {
      return;
    }
    synchronized (reader) {
      reader.assign(List.of(partition));
      reader.seek(partition, from);
      long deadline = System.nanoTime() + TIMEOUT.toNanos();
      while (reader.position(partition) < to) {
        for (var message : reader.poll(POLL)) {
          if (message.offset() < to) {
            take.accept(message);
          }
        }
        if (System.nanoTime() > deadline) {
          throw new TimeoutException(
              "%s was not read to offset %d within %d s"
                  .formatted(partition, to, TIMEOUT.toSeconds()));
        }
      }
    }
  }

  @Override
  public void close() {
    try (admin) {
      synchronized (reader) {
        reader.close();
      }
    }
  }
}
