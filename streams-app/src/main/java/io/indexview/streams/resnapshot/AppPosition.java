package io.indexview.streams.resnapshot;

import org.apache.kafka.common.TopicPartition;

/** How far the application has come with its topics. */
@FunctionalInterface
public interface AppPosition {

  /**
   * Whether everything before an offset is processed and committed. Returns at once, and may say no
   * for a while although it is so.
   */
  boolean hasPassed(TopicPartition partition, long offset);
}
