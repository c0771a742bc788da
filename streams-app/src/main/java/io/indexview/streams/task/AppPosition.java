package io.indexview.streams.task;

import org.apache.kafka.common.TopicPartition;

/** How far the application has come with its topics. */
@FunctionalInterface
public interface AppPosition {

  /**
   * Whether everything before an offset is processed and committed. Returns at once, and may say no
   * for a while although it is so.
   *
   * @param topicId Kafka's id of the topic that the offset is of: what is known of an earlier topic
   *     of the name says nothing of this one
   */
  boolean hasPassed(String topicId, TopicPartition partition, long offset);
}
