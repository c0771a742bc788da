package io.indexview.streams.work.kafka;

import io.indexview.streams.work.TopicWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;

/** Writes to the topics of a cluster. Safe for use by several threads. */
public final class KafkaTopicWriter implements TopicWriter {
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

  private final Producer<byte[], byte[]> producer;

  /**
   * @param producer idempotent, of no transaction; closed with this
   */
  public KafkaTopicWriter(Producer<byte[], byte[]> producer) {
    this.producer = producer;
  }

  @Override
  public void write(List<ProducerRecord<byte[], byte[]>> messages) {
    List<Future<RecordMetadata>> sent = messages.stream().map(producer::send).toList();
    sent.forEach(KafkaTopicWriter::await);
  }

  private static void await(Future<RecordMetadata> sent) {
    try {
      sent.get();
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof KafkaException cause) {
        throw cause;
      }
      throw new KafkaException(e.getCause());
    }
  }

  @Override
  public void close() {
    producer.close(CLOSE_TIMEOUT);
  }
}
