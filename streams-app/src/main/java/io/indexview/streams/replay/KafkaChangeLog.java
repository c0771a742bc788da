package io.indexview.streams.replay;

import io.indexview.streams.derive.ChangeRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A partition as a consumer reads it that belongs to it alone. */
final class KafkaChangeLog implements ChangeLog {
  private static final Logger LOGGER = LoggerFactory.getLogger(KafkaChangeLog.class);

  private final Consumer<byte[], byte[]> consumer;
  private final TopicPartition partition;
  private final Bounds bounds;
  private long position;

  private KafkaChangeLog(
      Consumer<byte[], byte[]> consumer, TopicPartition partition, Bounds bounds) {
    this.consumer = consumer;
    this.partition = partition;
    this.bounds = bounds;
  }

  /**
   * Waits for the answers of the cluster.
   *
   * @param consumer of the application's group, reads committed records only, fails if an offset is
   *     gone; closed with this, or if this cannot be opened
   * @throws org.apache.kafka.common.KafkaException if the cluster does not answer
   */
  static KafkaChangeLog open(Consumer<byte[], byte[]> consumer, TopicPartition partition) {
    try {
      consumer.assign(List.of(partition));
      return new KafkaChangeLog(consumer, partition, bounds(consumer, partition));
    } catch (RuntimeException e) {
      close(consumer);
      throw e;
    }
  }

  private static Bounds bounds(Consumer<byte[], byte[]> consumer, TopicPartition partition) {
    Set<TopicPartition> one = Set.of(partition);
    OffsetAndMetadata committed = consumer.committed(one).get(partition);
    return new Bounds(
        consumer.beginningOffsets(one).get(partition),
        committed == null ? 0 : committed.offset(),
        consumer.endOffsets(one).get(partition));
  }

  @Override
  public Bounds bounds() {
    return bounds;
  }

  @Override
  public void seek(long offset) {
    consumer.seek(partition, offset);
    position = offset;
  }

  @Override
  public List<ChangeRecord> poll() throws RecordsGoneException {
    List<ChangeRecord> records = new ArrayList<>();
    try {
      for (ConsumerRecord<byte[], byte[]> message : consumer.poll(Duration.ZERO)) {
        records.add(
            new ChangeRecord(
                message.topic(),
                message.partition(),
                message.offset(),
                message.timestamp(),
                message.key(),
                message.value()));
      }
    } catch (InvalidOffsetException e) {
      throw new RecordsGoneException(e.getMessage(), e);
    }
    return records;
  }

  @Override
  public long position() {
    try {
      position = consumer.position(partition, Duration.ZERO);
    } catch (TimeoutException e) {
      // It is being validated with a new leader of the partition, by the polls to come.
      LOGGER.debug("The position in {} is not known now", partition, e);
    }
    return position;
  }

  @Override
  public void close() {
    close(consumer);
  }

  /** It is in no group that it would have to leave. */
  private static void close(Consumer<byte[], byte[]> consumer) {
    consumer.close(CloseOptions.timeout(Duration.ZERO));
  }
}
