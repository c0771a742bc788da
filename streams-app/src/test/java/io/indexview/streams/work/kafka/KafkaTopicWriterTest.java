package io.indexview.streams.work.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class KafkaTopicWriterTest {
  private static final ProducerRecord<byte[], byte[]> MESSAGE =
      new ProducerRecord<>("t", new byte[] {1}, new byte[] {2});

  private final MockProducer<byte[], byte[]> producer =
      new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
  private final KafkaTopicWriter writer = new KafkaTopicWriter(producer);

  @Test
  void writesInOrder() {
    writer.write(List.of(MESSAGE, new ProducerRecord<>("u", null)));

    assertThat(producer.history()).extracting(ProducerRecord::topic).containsExactly("t", "u");
  }

  @Test
  void passesTheClustersErrorOn() {
    producer.sendException = new TimeoutException("no leader");

    assertThatThrownBy(() -> writer.write(List.of(MESSAGE))).isInstanceOf(TimeoutException.class);
  }

  @Test
  void closesItsProducer() {
    writer.close();

    assertThat(producer.closed()).isTrue();
  }
}
