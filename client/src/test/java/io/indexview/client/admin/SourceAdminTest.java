package io.indexview.client.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.indexview.client.admin.SourceAdmin.SourceNotFoundException;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.CompleteScan;
import io.indexview.schemas.control.InMemoryTopic;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.TopicSources;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.ControlSchemas;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class SourceAdminTest {
  private static final Topics TOPICS = new Topics("test");
  private static final Schema SCAN =
      ControlSchemas.SOURCE_STATE.getField("lastScan").schema().getTypes().get(1);

  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
  private final InMemoryTopic log = new InMemoryTopic(TOPICS.sourceStates());
  private final MockProducer<byte[], byte[]> producer =
      new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
  private final SourceAdmin admin =
      new SourceAdmin(
          TOPICS,
          log.consumer(),
          producer,
          new KnownTopic(),
          registry,
          () -> Instant.ofEpochMilli(1_000));

  private static final class KnownTopic implements SourceAdmin.ChangeTopics {
    @Override
    public String id(String topic) {
      return "id of " + topic;
    }

    @Override
    public Map<Integer, Long> since(String topic, long timestampMs) {
      return Map.of(0, timestampMs / 100, 1, 0L);
    }

    @Override
    public Map<Integer, Long> ends(String topic) {
      return Map.of(0, 20L, 1, 30L);
    }
  }

  /**
   * @param scanEnd end of the last scan; null: none
   */
  private void say(
      String source,
      String topic,
      String sourcePartition,
      int sourcePartitions,
      long heartbeat,
      Long scanEnd) {
    say(source, topic, sourcePartition, sourcePartitions, heartbeat, scanEnd, null);
  }

  /**
   * @param problem null: none
   */
  private void say(
      String source,
      String topic,
      String sourcePartition,
      int sourcePartitions,
      long heartbeat,
      Long scanEnd,
      String problem) {
    GenericRecord state = state(source, topic, sourcePartition, sourcePartitions, heartbeat);
    state.put("problem", problem);
    if (scanEnd != null) {
      GenericRecord scan = new GenericData.Record(SCAN);
      scan.put("number", 1L);
      scan.put("startedAt", 0L);
      scan.put("endedAt", scanEnd);
      scan.put("records", 0L);
      scan.put("forced", false);
      scan.put("request", 0L);
      scan.put("offsets", List.of());
      state.put("lastScan", scan);
    }
    say(state);
  }

  private void say(GenericRecord state) {
    String key =
        "%s|%s|%s".formatted(state.get("source"), state.get("topic"), state.get("sourcePartition"));
    log.append(key, state, registry);
  }

  private static GenericRecord state(
      String source, String topic, String sourcePartition, int sourcePartitions, long heartbeat) {
    GenericRecord state = new GenericData.Record(ControlSchemas.SOURCE_STATE);
    state.put("source", source);
    state.put("topic", topic);
    state.put("sourcePartition", sourcePartition);
    state.put("sourcePartitions", sourcePartitions);
    state.put("heartbeatAt", heartbeat);
    return state;
  }

  @Test
  void tellsWhatEverySourceSaysOfEveryTopic() {
    say("kv", "people", "0", 1, 50, 40L);
    say("s3", "files", "a", 2, 60, 30L);
    say("s3", "files", "b", 2, 70, null);
    say("kv", "cars", "0", 1, 80, 75L);

    assertThat(admin.list())
        .extracting(SourceStatus::topic, SourceStatus::source)
        .containsExactly(tuple("cars", "kv"), tuple("files", "s3"), tuple("people", "kv"));
    SourceStatus files = admin.list().get(1);
    assertThat(files.sourcePartitions()).isEqualTo(2);
    assertThat(files.scanned()).isEqualTo(1);
    assertThat(files.heardAt()).isEqualTo(Instant.ofEpochMilli(60));
    assertThat(files.scannedAt()).isEmpty();
    assertThat(admin.list().get(2).scannedAt()).hasValue(Instant.ofEpochMilli(40));
  }

  @Test
  void tellsUpToWhenEverySourcePartitionHasPublishedItsQueue() {
    say("kv", "people", "0", 1, 50, 40L);
    say("s3", "files", "a", 2, 60, 30L);
    GenericRecord behind = state("s3", "files", "b", 2, 60);
    behind.put("publishedUntil", 20L);
    say(behind);

    assertThat(admin.list().get(0).publishedUntil()).hasValue(Instant.ofEpochMilli(20));
    assertThat(admin.list().get(1).publishedUntil()).isEmpty();
    behind.put("publishedUntil", 0L);
    say(behind);
    assertThat(admin.list().get(0).publishedUntil()).isEmpty();
  }

  @Test
  void saysWhatKeepsScansFromBeingComplete() {
    say("kv", "people", "0", 1, 50, 40L);
    say("s3", "files", "a", 3, 60, 30L, "may not read y.txt");
    say("s3", "files", "b", 3, 70, null, "may not read x.txt");
    say("s3", "files", "c", 3, 70, null, "may not read x.txt");

    assertThat(admin.list().get(0).problem()).hasValue("may not read x.txt; may not read y.txt");
    assertThat(admin.list().get(1).problem()).isEmpty();
  }

  @Test
  void buriesEverythingThatARetiredSourceSaid() {
    say("kv", "people", "0", 1, 50, 40L);
    say("kv", "people", "old", 3, 10, null);
    say("kv", "cars", "0", 1, 50, 40L);
    say("kv2", "people", "0", 1, 50, 40L);

    admin.retire("kv");

    assertThat(producer.history())
        .allMatch(sent -> sent.topic().equals(TOPICS.sourceStates()) && sent.value() == null)
        .extracting(sent -> new String(sent.key(), StandardCharsets.UTF_8))
        .containsExactlyInAnyOrder("kv|people|0", "kv|people|old", "kv|cars|0");
  }

  @Test
  void namesTheSourcesThatThereAre() {
    assertThatThrownBy(() -> admin.retire("kv"))
        .isInstanceOf(SourceNotFoundException.class)
        .hasMessageContainingAll("\"kv\"", "none has spoken yet");
    say("s3", "files", "a", 1, 60, 30L);
    assertThatThrownBy(() -> admin.retire("kv")).hasMessageContaining("the sources are s3");
  }

  @Test
  void failsIfTheClusterDoesNotTakeIt() {
    say("kv", "people", "0", 1, 50, 40L);
    producer.sendException = new TimeoutException("no answer");

    assertThatThrownBy(() -> admin.retire("kv"))
        .isInstanceOf(TimeoutException.class)
        .hasMessageContaining("no answer");
  }

  @Test
  void tellsThatATopicWasPublishedAgain() {
    admin.publishedAgain("flat", Instant.ofEpochMilli(700));

    SourceState reported =
        SourceState.of(
            new AvroDeserializer(registry, ControlSchemas.SOURCE_STATE)
                .deserialize(TOPICS.sourceStates(), producer.history().get(0).value()));
    CompleteScan scan =
        TopicSources.of(List.of(reported), "flat")
            .publishedAgain(Optional.of("id of flat"), 0)
            .scan();
    assertThat(scan.startedAtMs()).isEqualTo(700);
    assertThat(scan.begins()).containsEntry(new TopicPartition("flat", 0), 7L);
    assertThat(scan.ends()).containsEntry(new TopicPartition("flat", 1), 30L);
  }

  @Test
  void isNotReportedForATopicOfASourceNorOfWhatIsToCome() {
    say("kv", "people", "0", 1, 50, 40L);

    assertThatThrownBy(() -> admin.publishedAgain("people", Instant.ofEpochMilli(700)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("kv", "people", "--from snapshot");
    assertThatThrownBy(() -> admin.publishedAgain("flat", Instant.ofEpochMilli(1_001)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("to come");
    assertThat(producer.history()).isEmpty();
  }
}
