package io.indexview.streams.work.kafka;

import io.indexview.streams.work.TopicReader;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Reads topics of a cluster. Not safe for use by several threads. */
public final class KafkaTopicReader implements TopicReader {
  /** Short: where markers alone are left to read, each poll lasts as long. */
  private static final Duration POLL = Duration.ofMillis(20);

  private static final Duration ONE_LOOK = Duration.ofMillis(500);

  private final Consumer<byte[], byte[]> consumer;

  /**
   * @param consumer in no group, reads committed records only, from the earliest one on if an
   *     offset is gone; shared, stays open
   */
  public KafkaTopicReader(Consumer<byte[], byte[]> consumer) {
    this.consumer = consumer;
  }

  @Override
  public long read(
      TopicPartition partition,
      long from,
      long to,
      Predicate<ConsumerRecord<byte[], byte[]>> each) {
    if (from >= to) {
      return to;
    }
    consumer.assign(List.of(partition));
    consumer.seek(partition, from);
    long deadline = System.nanoTime() + ONE_LOOK.toNanos();
    long next = from;
    while (next < to && System.nanoTime() < deadline) {
      for (ConsumerRecord<byte[], byte[]> message : consumer.poll(POLL)) {
        if (message.offset() >= to) {
          return to;
        }
        next = message.offset() + 1;
        if (!each.test(message)) {
          return next;
        }
      }
      next = Math.max(next, consumer.position(partition));
    }
    return Math.min(next, to);
  }
}
