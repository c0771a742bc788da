package io.indexview.streams.task;

import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;

/** Opens primary-change topics to be read again. Safe for use by several threads. */
@FunctionalInterface
public interface ChangeLogs {

  /** Returns at once; fails if the cluster does not answer. Who asked closes what was opened. */
  CompletableFuture<ChangeLog> open(TopicPartition partition);
}
