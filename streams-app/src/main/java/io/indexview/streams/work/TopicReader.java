package io.indexview.streams.work;

import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Reads committed records between given offsets, in no group. */
public interface TopicReader {

  /**
   * Reads on until the end, until it was asked to stop, or until enough was done for one look.
   *
   * @param from first offset; below the first one that is still there: that one
   * @param to first offset that is not read
   * @param each false: that was the last record to read
   * @return where to go on; {@code to} if nothing is left
   * @throws org.apache.kafka.common.KafkaException if the cluster does not answer
   */
  long read(
      TopicPartition partition, long from, long to, Predicate<ConsumerRecord<byte[], byte[]>> each);
}
