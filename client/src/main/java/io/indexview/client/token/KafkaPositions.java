package io.indexview.client.token;

import io.indexview.client.poll.AnswerTimeouts;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.progress.DeadLetter;
import io.indexview.schemas.progress.GroupProgress;
import io.indexview.schemas.progress.GroupProgress.Taken;
import io.indexview.schemas.progress.KafkaAnswers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ObjLongConsumer;
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
  private final Duration timeout;
  private final GroupProgress progress;
  private final Map<TopicPartition, Long> nextDeadLetters = new ConcurrentHashMap<>();

  /**
   * @param kafka settings of the cluster: bootstrap servers, security
   */
  static KafkaPositions connect(Map<String, Object> kafka) {
    Map<String, Object> settings = AnswerTimeouts.in(kafka);
    return new KafkaPositions(Admin.create(settings), ControlTable.consumer(settings), TIMEOUT);
  }

  /**
   * @param reader reads committed records; closed with this
   * @param timeout how long a partition is read in one call
   */
  KafkaPositions(Admin admin, Consumer<byte[], byte[]> reader, Duration timeout) {
    this.admin = admin;
    this.reader = reader;
    this.timeout = timeout;
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
  public void newDeadLetters(String topic, java.util.function.Consumer<RejectedRecord> taker) {
    int partitions = topic(topic).map(Topic::partitions).orElse(0);
    Map<TopicPartition, Long> ends = new LinkedHashMap<>();
    for (int number = 0; number < partitions; number++) {
      TopicPartition partition = new TopicPartition(topic, number);
      ends.put(partition, end(partition));
    }
    // Before any is read, which may take more than one call.
    ends.forEach(
        (partition, end) -> {
          if (!nextDeadLetters.containsKey(partition)) {
            nextDeadLetters.put(partition, recent(partition, end));
          }
        });
    ends.forEach((partition, end) -> readDeadLetters(partition, end, taker));
  }

  private void readDeadLetters(
      TopicPartition partition, long end, java.util.function.Consumer<RejectedRecord> taker) {
    long from = nextDeadLetters.get(partition);
    long next = read(partition, from, end, message -> deadLetter(message).ifPresent(taker));
    nextDeadLetters.put(partition, next);
    if (next < end) {
      throw new TimeoutException(
          "%s was read to offset %d of %d within %d s"
              .formatted(partition, next, end, timeout.toSeconds()));
    }
  }

  /**
   * Offset of the first recent dead letter. Earlier ones have long reached the controller, and the
   * view's state says so.
   */
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
  public long keys(
      TopicPartition partition, long from, long to, ObjLongConsumer<ByteBuffer> taker) {
    return read(
        partition,
        from,
        to,
        message -> {
          if (message.key() != null) {
            taker.accept(ByteBuffer.wrap(message.key()), message.offset());
          }
        });
  }

  private interface MessageTaker {
    void accept(ConsumerRecord<byte[], byte[]> message);
  }

  /** Returns how far it came in time: to the end, or less. */
  private long read(TopicPartition partition, long from, long to, MessageTaker take) {
    if (from >= to) {
      return to;
    }
    synchronized (reader) {
      reader.assign(List.of(partition));
      reader.seek(partition, from);
      long begun = System.nanoTime();
      long position = from;
      do {
        for (var message : reader.poll(POLL)) {
          if (message.offset() < to) {
            take.accept(message);
          }
        }
        position = reader.position(partition);
      } while (position < to && System.nanoTime() - begun < timeout.toNanos());
      return Math.min(position, to);
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
