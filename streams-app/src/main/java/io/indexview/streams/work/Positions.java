package io.indexview.streams.work;

import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * How far topics go and groups have come. Methods throw {@link
 * org.apache.kafka.common.KafkaException} if the cluster does not answer, or there is no such
 * topic.
 */
public interface Positions {

  /** The first offset of each partition that is still there. */
  Map<TopicPartition, Long> starts(String topic);

  /**
   * The high watermark of each partition, now. Whatever was committed lies before it, even if the
   * commit has not reached the partition.
   */
  Map<TopicPartition, Long> ends(String topic);

  /**
   * The last stable offset of each partition, now: reading that far does not wait for an open
   * transaction.
   */
  Map<TopicPartition, Long> lastStable(String topic);

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
   * Whether neither a committed data record nor an open transaction lies between what the group
   * committed and the ends.
   */
  boolean hasPassed(String group, Map<TopicPartition, Long> ends);
}
