package io.indexview.streams.controller.actions;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * How far topics go and groups have come, and what lies in topics. Methods throw {@link
 * org.apache.kafka.common.KafkaException} if the cluster does not answer, or there is no such
 * topic.
 */
public interface KafkaLog {

  /** The first offset of each partition that is still there. */
  Map<TopicPartition, Long> starts(Collection<String> topics);

  /** Returns the starts of one topic. */
  default Map<TopicPartition, Long> starts(String topic) {
    return starts(List.of(topic));
  }

  /**
   * The high watermark of each partition, now. Whatever was committed lies before it, even if the
   * commit has not reached the partition.
   */
  Map<TopicPartition, Long> ends(Collection<String> topics);

  /** Returns the ends of one topic. */
  default Map<TopicPartition, Long> ends(String topic) {
    return ends(List.of(topic));
  }

  /**
   * The first offset of each partition whose record is as young as this or younger; its last stable
   * offset if there is none.
   *
   * @param timestampMs ms since the epoch
   */
  Map<TopicPartition, Long> since(String topic, long timestampMs);

  /** What a group has committed; absent: nothing. */
  Map<TopicPartition, Long> committed(String group);

  /**
   * The timestamp of the first committed data record of each partition between what the group
   * committed and the end, ms since the epoch; absent: there is none.
   */
  Map<TopicPartition, Long> oldestBehind(String group, Map<TopicPartition, Long> ends);

  /**
   * The partitions in which a committed data record or an open transaction lies between what the
   * group committed and the ends.
   */
  Set<TopicPartition> behind(String group, Map<TopicPartition, Long> ends);

  /**
   * Begins another round: {@link #committedInRound} and {@link #hasPassed} read committed offsets
   * anew.
   */
  default void beginRound() {}

  /** Returns the same as {@link #committed}, but as old as the round at most. */
  default Map<TopicPartition, Long> committedInRound(String group) {
    return committed(group);
  }

  /**
   * Whether there is no such partition. What it goes by may be as old as the round: so it may come
   * true a round later, and never too early.
   */
  default boolean hasPassed(String group, Map<TopicPartition, Long> ends) {
    return behind(group, ends).isEmpty();
  }

  /**
   * Reads committed records in no group, until the end, until it was asked to stop, or until enough
   * was read for one attempt.
   *
   * @param from first offset; below the first one that is still there: that one
   * @param to first offset that is not read
   * @param each false: that was the last record to read
   * @return where to go on; {@code to} if nothing is left
   */
  long read(
      TopicPartition partition, long from, long to, Predicate<ConsumerRecord<byte[], byte[]>> each);

  /**
   * Writes in their order, in no transaction, and returns when the cluster has them all. After a
   * failure some of them may have been written.
   */
  void write(List<ProducerRecord<byte[], byte[]>> messages);
}
