package io.indexview.streams.work;

import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Writes to topics, in no transaction. */
public interface TopicWriter extends AutoCloseable {

  /**
   * Sends messages in their order and returns when the cluster has them all. After a failure some
   * of them may have been written.
   *
   * @throws org.apache.kafka.common.KafkaException if the cluster does not answer
   */
  void write(List<ProducerRecord<byte[], byte[]>> messages);

  @Override
  void close();
}
