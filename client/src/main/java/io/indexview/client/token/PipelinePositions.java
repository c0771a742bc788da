package io.indexview.client.token;

import io.indexview.schemas.progress.GroupProgress.Taken;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * Where the parts of the pipeline are. Thread-safe. All methods throw {@link
 * org.apache.kafka.common.KafkaException} if the cluster does not answer.
 */
interface PipelinePositions extends AutoCloseable {
  /**
   * A topic as it is now.
   *
   * @param partitions how many it has
   */
  record Topic(Uuid id, int partitions) {}

  /** Empty: there is none. */
  Optional<Topic> topic(String name);

  /** The offset that the next record will have. */
  long end(TopicPartition partition);

  /** The offset that the group has committed; empty: none. */
  OptionalLong committed(String group, TopicPartition partition);

  /** How far the group has taken the committed data records. */
  Taken taken(String group, TopicPartition partition);

  @Override
  void close();
}
