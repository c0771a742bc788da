package io.indexview.streams.controller.actions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClusterLogTest {
  private static final ProducerRecord<byte[], byte[]> MESSAGE =
      new ProducerRecord<>("t", new byte[] {1}, new byte[] {2});
  private static final TopicPartition PARTITION = new TopicPartition("t", 1);

  private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
  private final MockProducer<byte[], byte[]> producer =
      new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
  private final ClusterLog log = new ClusterLog(null, consumer, producer);
  private final List<Long> read = new ArrayList<>();

  @BeforeEach
  void fill() {
    consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
    consumer.schedulePollTask(
        () -> {
          for (long offset : List.of(0L, 1L, 3L, 4L)) {
            consumer.addRecord(new ConsumerRecord<>("t", 1, offset, null, null));
          }
        });
  }

  private long read(long from, long to, int most) {
    return log.read(
        PARTITION,
        from,
        to,
        message -> {
          read.add(message.offset());
          return read.size() < most;
        });
  }

  @Test
  void readsBetweenTheOffsets() {
    assertThat(read(0, 4, 10)).isEqualTo(4);
    assertThat(read).containsExactly(0L, 1L, 3L);
  }

  @Test
  void stopsWhenItIsAskedTo() {
    assertThat(read(0, 5, 2)).isEqualTo(2);
    assertThat(read).containsExactly(0L, 1L);
  }

  @Test
  void readsNothingFromNothing() {
    assertThat(read(3, 3, 10)).isEqualTo(3);
    assertThat(read(5, 3, 10)).isEqualTo(3);
    assertThat(read).isEmpty();
  }

  @Test
  void comesBackWhenNothingComes() {
    assertThat(read(0, 9, 10)).isEqualTo(5);
  }

  @Test
  void writesInOrder() {
    log.write(List.of(MESSAGE, new ProducerRecord<>("u", null)));

    assertThat(producer.history()).extracting(ProducerRecord::topic).containsExactly("t", "u");
  }

  @Test
  void passesTheClustersErrorOn() {
    producer.sendException = new TimeoutException("no leader");

    assertThatThrownBy(() -> log.write(List.of(MESSAGE))).isInstanceOf(TimeoutException.class);
  }
}
