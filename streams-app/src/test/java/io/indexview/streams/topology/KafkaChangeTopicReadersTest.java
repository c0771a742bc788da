package io.indexview.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.streams.derive.ChangeRecord;
import io.indexview.streams.task.ReplayReader;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class KafkaChangeTopicReadersTest {
  private static final TopicPartition PARTITION = new TopicPartition("changes", 2);

  private final MockConsumer<byte[], byte[]> consumer =
      new MockConsumer<>("none") {
        @Override
        public synchronized Map<TopicPartition, OffsetAndMetadata> committed(
            Set<TopicPartition> partitions) {
          // Like the real one, which knows nothing of a partition without.
          return committed < 0 ? Map.of() : Map.of(PARTITION, new OffsetAndMetadata(committed));
        }
      };
  private long committed = -1;

  private KafkaChangeTopicReaders.Reader open() {
    consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
    consumer.updateEndOffsets(Map.of(PARTITION, 5L));
    return KafkaChangeTopicReaders.Reader.open(consumer, PARTITION, Set.of(9L));
  }

  private void add(long offset) {
    consumer.addRecord(
        new ConsumerRecord<>("changes", 2, offset, new byte[] {(byte) offset}, new byte[] {7}));
  }

  @Test
  void namesTheConsumersOfAnInstance() {
    assertThat(
            new KafkaChangeTopicReaders(
                    Map.of("client.id", "indexview-east-app-replay"), "indexview", of -> Set.of())
                .settings(PARTITION))
        .containsEntry("client.id", "indexview-east-app-replay-changes-2")
        .containsEntry("group.id", "indexview");
  }

  @Test
  void readsFromTheGivenOffset() throws Exception {
    try (KafkaChangeTopicReaders.Reader log = open()) {
      log.seek(1);
      add(0);
      add(1);
      add(3);

      assertThat(log.poll()).extracting(ChangeRecord::offset).containsExactly(1L, 3L);
      assertThat(log.position()).isEqualTo(4);
      assertThat(log.poll()).isEmpty();
    }
    assertThat(consumer.closed()).isTrue();
  }

  @Test
  void knowsItsBounds() {
    try (KafkaChangeTopicReaders.Reader log = open()) {
      assertThat(log.bounds()).isEqualTo(new ReplayReader.Bounds(0, 0, 5));
    }
  }

  @Test
  void knowsWhereTheApplicationIs() {
    committed = 4;
    try (KafkaChangeTopicReaders.Reader log = open()) {
      assertThat(log.bounds().committed()).isEqualTo(4);
    }
  }

  @Test
  void tellsThatRecordsAreGone() {
    try (KafkaChangeTopicReaders.Reader log = open()) {
      log.seek(0);
      add(3);
      consumer.updateBeginningOffsets(Map.of(PARTITION, 2L));

      assertThatThrownBy(log::poll).isInstanceOf(ReplayReader.RecordsGoneException.class);
    }
  }

  @Test
  void doesNotGiveAnEventThatMustNotBeRead() {
    try (KafkaChangeTopicReaders.Reader log = open()) {
      log.seek(8);
      add(8);
      add(9);

      assertThatThrownBy(log::poll)
          .isInstanceOf(ReplayReader.RecordsGoneException.class)
          .hasMessageContaining("offset 9", "skip.events");
    }
  }

  @Test
  void leavesNothingOpenWhenTheClusterDoesNotAnswer() {
    consumer.setOffsetsException(new KafkaException("nobody"));

    assertThatThrownBy(this::open).isInstanceOf(KafkaException.class);
    assertThat(consumer.closed()).isTrue();
  }
}
