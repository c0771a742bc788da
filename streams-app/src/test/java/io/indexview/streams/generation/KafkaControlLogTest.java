package io.indexview.streams.generation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.BuildRequest;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class KafkaControlLogTest {
  private static final PublishedGeneration BY_ORG =
      new PublishedGeneration(
          "by-org",
          1,
          "{\"name\":\"by-org\"}",
          "people",
          "indexview.changes.people",
          "indexview.view.kv.by-org.1",
          new PublishedGeneration.SchemaIds(7, 8, 9),
          1,
          1234,
          BuildRequest.FIRST,
          false);

  private final Topics topics = new Topics("indexview");
  private final MockConsumer<String, byte[]> consumer = new MockConsumer<>("none");
  private final MockProducer<String, byte[]> producer =
      new MockProducer<>(true, null, new StringSerializer(), new ByteArraySerializer());
  private final KafkaControlLog log =
      new KafkaControlLog(topics, consumer, producer, new InMemorySchemaRegistry());

  private void replay(String topic, List<ProducerRecord<String, byte[]>> records) {
    TopicPartition partition = new TopicPartition(topic, 0);
    consumer.updateBeginningOffsets(Map.of(partition, 0L));
    consumer.updateEndOffsets(Map.of(partition, (long) records.size()));
    consumer.schedulePollTask(
        () -> {
          for (int i = 0; i < records.size(); i++) {
            ProducerRecord<String, byte[]> sent = records.get(i);
            consumer.addRecord(new ConsumerRecord<>(topic, 0, i, sent.key(), sent.value()));
          }
        });
  }

  @Test
  void readsBackWhatItPublished() {
    log.publish(BY_ORG);

    assertThat(producer.history()).hasSize(1);
    assertThat(producer.history().get(0).topic()).isEqualTo("indexview.view-generations");
    assertThat(producer.history().get(0).key()).isEqualTo("by-org|1");
    replay("indexview.view-generations", producer.history());
    assertThat(log.generations()).containsExactly(BY_ORG);
  }

  @Test
  void forgetsAGenerationThatIsGone() {
    log.publish(BY_ORG);
    producer.send(new ProducerRecord<>("indexview.view-generations", "by-org|1", null));

    replay("indexview.view-generations", producer.history());
    assertThat(log.generations()).isEmpty();
  }

  @Test
  void publishesBuildingUnderTheNameOfTheView() {
    log.publishBuilding("by-org", 1, 99);

    assertThat(producer.history().get(0).topic()).isEqualTo("indexview.view-states");
    replay("indexview.view-states", producer.history());
    assertThat(log.viewsWithState()).containsExactly("by-org");
  }

  @Test
  void readsNothingFromEmptyTopics() {
    replay("indexview.view-generations", List.of());

    assertThat(log.generations()).isEmpty();
  }

  @Test
  void passesTheClustersErrorOn() {
    producer.sendException = new TimeoutException("no leader");

    assertThatThrownBy(() -> log.publish(BY_ORG)).isInstanceOf(TimeoutException.class);
  }

  @Test
  void closesItsClients() {
    log.close();

    assertThat(producer.closed()).isTrue();
    assertThat(consumer.closed()).isTrue();
  }
}
