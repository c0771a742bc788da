package io.indexview.client.token;

import io.indexview.schemas.progress.GroupProgress.Taken;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
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

  /**
   * Hands over dead letters, in the order of each partition: what came since the last call for the
   * topic, the first time what came in the last minutes. A call that fails has handed over some,
   * and the next one goes on behind those. For one thread at a time per topic.
   *
   * @param topic none come if it does not exist
   */
  void newDeadLetters(String topic, Consumer<RejectedRecord> taker);

  /**
   * A record that a sink could not apply.
   *
   * @param row where it was, in a view topic
   */
  record RejectedRecord(TopicPartition row, long offset, ByteBuffer key, String reason) {}

  /**
   * Hands over the keys of committed records and their offsets, in order.
   *
   * @param from first offset that counts
   * @param to first offset that does not, at most the last stable one
   * @return up to where it came in time: {@code to}, or less
   */
  long keys(TopicPartition partition, long from, long to, ObjLongConsumer<ByteBuffer> taker);

  @Override
  void close();
}
