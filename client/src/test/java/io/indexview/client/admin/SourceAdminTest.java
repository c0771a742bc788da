package io.indexview.client.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.indexview.client.admin.SourceAdmin.SourceNotFoundException;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.CompleteScan;
import io.indexview.schemas.control.InMemoryTopic;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.SourceState.Scan;
import io.indexview.schemas.control.TopicSources;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.ControlSchemas;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class SourceAdminTest {
  private static final Topics TOPICS = new Topics("test");

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

  /** A heartbeat. */
  private void say(
      String source, String topic, String sourcePartition, int sourcePartitions, long heartbeat) {
    say(source, topic, sourcePartition, sourcePartitions, heartbeat, Optional.empty());
  }

  private void say(
      String source,
      String topic,
      String sourcePartition,
      int sourcePartitions,
      long heartbeat,
      Optional<Scan> lastScan) {
    say(
        new SourceState(
            source,
            topic,
            Optional.empty(),
            sourcePartition,
            sourcePartitions,
            lastScan,
            Optional.empty(),
            heartbeat));
  }

  private void say(SourceState state) {
    log.append(state.key(), state.toAvro(), registry);
  }

  private static Scan scan(long end) {
    return new Scan(1, 0, end, 0, false, 0, Optional.empty(), Map.of(), Map.of());
  }

  /** A source partition of the topic files. */
  private void sayOfFiles(
      String sourcePartition,
      int sourcePartitions,
      Optional<Scan> lastScan,
      OptionalLong publishedUntil,
      Optional<String> problem) {
    say(
        new SourceState(
            "s3",
            "files",
            Optional.empty(),
            sourcePartition,
            sourcePartitions,
            lastScan,
            Optional.empty(),
            70,
            publishedUntil,
            problem,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty()));
  }

  @Test
  void tellsWhatEverySourceSaysOfEveryTopic() {
    say("kv", "people", "0", 1, 50, Optional.of(scan(40)));
    say("s3", "files", "a", 2, 60, Optional.of(scan(30)));
    say("s3", "files", "b", 2, 70);
    say("kv", "cars", "0", 1, 80, Optional.of(scan(75)));

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
    say("kv", "people", "0", 1, 50, Optional.of(scan(40)));
    say("s3", "files", "a", 2, 60, Optional.of(scan(30)));
    sayOfFiles("b", 2, Optional.empty(), OptionalLong.of(20), Optional.empty());

    assertThat(admin.list().get(0).publishedUntil()).hasValue(Instant.ofEpochMilli(20));
    assertThat(admin.list().get(1).publishedUntil()).isEmpty();
    sayOfFiles("b", 2, Optional.empty(), OptionalLong.of(0), Optional.empty());
    assertThat(admin.list().get(0).publishedUntil()).isEmpty();
  }

  @Test
  void saysWhatKeepsScansFromBeingComplete() {
    say("kv", "people", "0", 1, 50, Optional.of(scan(40)));
    OptionalLong untold = OptionalLong.empty();
    sayOfFiles("a", 3, Optional.of(scan(30)), untold, Optional.of("may not read y.txt"));
    sayOfFiles("b", 3, Optional.empty(), untold, Optional.of("may not read x.txt"));
    sayOfFiles("c", 3, Optional.empty(), untold, Optional.of("may not read x.txt"));

    assertThat(admin.list().get(0).problem()).hasValue("may not read x.txt; may not read y.txt");
    assertThat(admin.list().get(1).problem()).isEmpty();
  }

  @Test
  void retiringASourceRemovesItsStates() {
    say("kv", "people", "0", 1, 50, Optional.of(scan(40)));
    say("kv", "people", "old", 3, 10);
    say("kv", "cars", "0", 1, 50, Optional.of(scan(40)));
    say("kv2", "people", "0", 1, 50, Optional.of(scan(40)));

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
    say("s3", "files", "a", 1, 60, Optional.of(scan(30)));
    assertThatThrownBy(() -> admin.retire("kv")).hasMessageContaining("the sources are s3");
  }

  @Test
  void failsIfTheClusterDoesNotTakeIt() {
    say("kv", "people", "0", 1, 50, Optional.of(scan(40)));
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
  void refusesPublishedAgainForATopicWithASourceOrAFutureTime() {
    say("kv", "people", "0", 1, 50, Optional.of(scan(40)));

    assertThatThrownBy(() -> admin.publishedAgain("people", Instant.ofEpochMilli(700)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("kv", "people", "--from snapshot");
    assertThatThrownBy(() -> admin.publishedAgain("flat", Instant.ofEpochMilli(1_001)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("to come");
    assertThat(producer.history()).isEmpty();
  }
}
