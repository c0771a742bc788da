package io.indexview.schemas.progress;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;

/**
 * Offsets that the cluster knows. All methods throw {@link org.apache.kafka.common.KafkaException}
 * if it does not answer.
 */
interface Offsets {
  /** All partitions of the topics. */
  List<TopicPartition> partitions(Collection<String> topics);

  /** The first offset that is still there. */
  Map<TopicPartition, Long> starts(Collection<TopicPartition> partitions);

  /** The end of the log, behind the records of open transactions too. */
  Map<TopicPartition, Long> highWatermarks(Collection<TopicPartition> partitions);

  /** Before the first record of the first open transaction; the high watermark if none is open. */
  Map<TopicPartition, Long> lastStable(Collection<TopicPartition> partitions);

  /**
   * The first offset, before the last stable one, of a record that is as young as this or younger;
   * negative: there is none.
   *
   * @param timestampMs ms since the epoch
   */
  Map<TopicPartition, Long> since(Collection<TopicPartition> partitions, long timestampMs);

  /** What the group has committed; a group that does not exist has nothing. */
  Map<TopicPartition, Long> committed(String group);

  /** What the group has committed in one partition; empty: nothing. */
  OptionalLong committed(String group, TopicPartition partition);
}
