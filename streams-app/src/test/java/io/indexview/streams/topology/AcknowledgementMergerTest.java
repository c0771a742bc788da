package io.indexview.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class AcknowledgementMergerTest {
  private final AcknowledgementMerger acknowledgements = new AcknowledgementMerger();
  private final List<String> passedOn = new ArrayList<>();

  private void add(String topic, int partition, long offset) {
    acknowledgements.add(
        new RecordMetadata(new TopicPartition(topic, partition), offset, 0, 0, 0, 0),
        (metadata, failure) -> passedOn.add("%s, sent as %d".formatted(metadata, offset)));
  }

  @Test
  void lastOfEachPartitionIsPassedOn() {
    add("rows", 0, 10);
    add("rows", 0, 11);
    add("rows", 1, 20);
    add("others", 1, 30);
    add("others", 1, 31);
    assertThat(passedOn).containsExactly("rows-0@11, sent as 11", "rows-1@20, sent as 20");

    acknowledgements.flush();
    assertThat(passedOn).hasSize(3).endsWith("others-1@31, sent as 31");
  }

  @Test
  void droppedAcknowledgementsAreNotPassedOn() {
    add("rows", 0, 10);
    acknowledgements.drop();
    add("rows", 1, 20);
    acknowledgements.flush();
    assertThat(passedOn).containsExactly("rows-1@20, sent as 20");
  }

  @Test
  void eachAcknowledgementIsPassedOnOnce() {
    acknowledgements.flush();
    add("rows", 0, 10);
    acknowledgements.flush();
    acknowledgements.flush();
    add("rows", 0, 11);
    acknowledgements.flush();
    assertThat(passedOn).containsExactly("rows-0@10, sent as 10", "rows-0@11, sent as 11");
  }
}
