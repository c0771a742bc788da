package io.indexview.schemas.control;

import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/** Reads partitions to given ends. Not safe for use by several threads. */
public final class PartitionReads {
  private static final Duration POLL = Duration.ofMillis(100);

  /** For how long no partition may come further, unless somebody says otherwise. */
  static final Duration STANDSTILL = Duration.ofSeconds(30);

  private final Consumer<byte[], byte[]> consumer;
  private final Duration standstill;
  private final Time time;

  /** Partitions did not come further. */
  public static final class StandstillException extends TimeoutException {
    private static final long serialVersionUID = 1L;

    private final transient Set<TopicPartition> partitions;

    StandstillException(Set<TopicPartition> partitions, Duration standstill) {
      super(
          "not read to their ends: %s; nothing was read for %d s; is a transaction open?"
              .formatted(partitions, standstill.toSeconds()));
      this.partitions = Set.copyOf(partitions);
    }

    /** Those that are not read to their ends. */
    public Set<TopicPartition> partitions() {
      return partitions;
    }
  }

  /**
   * @param consumer in no group; stays open
   */
  public PartitionReads(Consumer<byte[], byte[]> consumer) {
    this(consumer, STANDSTILL, Time.SYSTEM);
  }

  /**
   * @param consumer in no group; stays open
   * @param standstill for how long no partition may come further
   */
  public PartitionReads(Consumer<byte[], byte[]> consumer, Duration standstill, Time time) {
    this.consumer = consumer;
    this.standstill = standstill;
    this.time = time;
  }

  /**
   * Reads partitions from where the consumer stands to their ends, however long that takes. What is
   * behind an end may come, too. A partition that is at its end before others is unassigned; those
   * that come last stay assigned, with what the consumer has fetched of them.
   *
   * @throws StandstillException if none comes further for too long
   */
  public void toEnds(
      Map<TopicPartition, Long> ends,
      java.util.function.Consumer<ConsumerRecord<byte[], byte[]>> take) {
    Set<TopicPartition> open = new HashSet<>(ends.keySet());
    Map<TopicPartition, Long> before = Map.of();
    long readAt = time.nanoTime();
    while (true) {
      Map<TopicPartition, Long> positions = new HashMap<>();
      open.forEach(partition -> positions.put(partition, consumer.position(partition)));
      boolean isAnyRead = open.removeIf(one -> positions.get(one) >= ends.get(one));
      if (open.isEmpty()) {
        return;
      }
      if (isAnyRead) {
        consumer.assign(open);
      }
      if (!positions.equals(before)) {
        readAt = time.nanoTime();
      } else if (time.nanoTime() - readAt > standstill.toNanos()) {
        throw new StandstillException(open, standstill);
      }
      before = positions;
      consumer.poll(POLL).forEach(take);
    }
  }
}
