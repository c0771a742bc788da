package io.indexview.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.indexview.streams.error.RefusingTopics;
import io.indexview.streams.task.TrimmedEvents;
import io.indexview.streams.task.TrimmedEvents.Trimmed;
import io.indexview.streams.topology.StreamsClients;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The app asks for the starts of its topics now and then, and a consumer may be past a gap by then:
 * so the consumers themselves note it.
 */
@Timeout(180)
class StreamsClientsIT {
  private static final TopicPartition PARTITION = new TopicPartition("changes", 0);
  private static final long EVENTS = 10;

  /** Of one transaction: its marker has an offset, and is no event. */
  private static final long END = EVENTS + 1;

  private final TrimmedEvents noted = new TrimmedEvents();

  @Test
  void consumersNoteWhatWasTrimmedUnderThem(@TempDir Path directory) throws Exception {
    try (LocalStack stack =
        LocalStack.start(StackConfig.builder().dataDirectory(directory).build())) {
      Map<String, Object> kafka = Map.of("bootstrap.servers", stack.bootstrapServers());
      try (Admin admin = Admin.create(kafka)) {
        admin.createTopics(List.of(new NewTopic(PARTITION.topic(), 1, (short) 1))).all().get();
        publish(stack.bootstrapServers());
        follow(admin, stack.bootstrapServers());
      }
    }
  }

  private static void publish(String brokers) {
    Map<String, Object> config = Map.of("bootstrap.servers", brokers, "transactional.id", "source");
    try (Producer<byte[], byte[]> producer =
        new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
      producer.initTransactions();
      producer.beginTransaction();
      for (int event = 0; event < EVENTS; event++) {
        producer.send(new ProducerRecord<>(PARTITION.topic(), new byte[1], new byte[1]));
      }
      producer.commitTransaction();
    }
  }

  private void follow(Admin admin, String brokers) throws Exception {
    Map<String, Object> config =
        Map.of(
            "bootstrap.servers",
            brokers,
            "auto.offset.reset",
            "none",
            "isolation.level",
            "read_committed");
    try (Consumer<byte[], byte[]> consumer =
        new StreamsClients(noted, new RefusingTopics(topic -> true, Clock.systemUTC()))
            .getConsumer(config)) {
      consumer.assign(List.of(PARTITION));
      consumer.seekToBeginning(List.of(PARTITION));
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> consumer.poll(Duration.ofMillis(100)).count() == EVENTS);
      await()
          .atMost(Duration.ofSeconds(30))
          .until(
              () ->
                  consumer.poll(Duration.ofMillis(100)).isEmpty()
                      && consumer.position(PARTITION) == END);
      admin.deleteRecords(Map.of(PARTITION, RecordsToDelete.beforeOffset(END))).all().get();
      assertThat(consumer.poll(Duration.ofSeconds(1))).isEmpty();
      assertThat(noted.take(PARTITION)).as("all was read").isEmpty();

      consumer.seek(PARTITION, 4);
      awaitOutOfRange(consumer);
      assertThat(noted.take(PARTITION)).contains(new Trimmed(4, END));

      consumer.seek(PARTITION, 99);
      awaitOutOfRange(consumer);
      assertThat(noted.take(PARTITION)).as("the topic is another one, or ends before").isEmpty();
    }
  }

  private static void awaitOutOfRange(Consumer<byte[], byte[]> consumer) {
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> consumer.poll(Duration.ofSeconds(1)))
                    .isInstanceOf(OffsetOutOfRangeException.class));
  }
}
