package io.indexview.streams.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.streams.config.RecordSetConfig.Completeness;
import io.indexview.streams.config.RecordSetConfig.Encoding;
import io.indexview.streams.config.RecordSetConfig.StateStore;
import io.indexview.views.definition.KnownTargets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.config.ConfigDef;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AppConfigTest {

  static Map<String, String> least() {
    Map<String, String> values = new HashMap<>();
    values.put("bootstrap.servers", "127.0.0.1:9092");
    values.put("schema.registry.url", "http://127.0.0.1:8081");
    values.put("record.sets", "people, files");
    values.put("views.dir", "views");
    values.put("state.dir", "state");
    return values;
  }

  @Test
  void takesTheIdsOfItsClientsFromTheKeysOfKafkaStreams() {
    Map<String, String> values = least();
    assertThat(AppConfig.parse(values).clientId()).isEmpty();

    values.put("streams.client.id", " ");
    assertThat(AppConfig.parse(values).clientId()).isEmpty();

    values.put("streams.client.id", "indexview-east");
    assertThat(AppConfig.parse(values).clientId()).contains("indexview-east");
  }

  @Test
  void takesDefaultsWhenOnlyWhatIsNeededIsSet() {
    AppConfig config = AppConfig.parse(least());

    assertThat(config.applicationId()).isEqualTo("indexview");
    assertThat(config.topics().deadLetters()).isEqualTo("indexview.dead-letters");
    assertThat(config.tombstoneRetention()).isEqualTo(Duration.ofDays(15));
    assertThat(config.httpHost()).isEqualTo("127.0.0.1");
    assertThat(config.httpPort()).isEqualTo(8085);
    assertThat(config.viewsDir()).contains(Path.of("views"));
    assertThat(config.recordSets())
        .containsExactly(
            new RecordSetConfig(
                "people",
                "indexview.changes.people",
                RecordFormat.ENVELOPE,
                Encoding.AVRO,
                Optional.empty(),
                List.of(),
                Completeness.SOURCE_STATES,
                Map.of(),
                StateStore.ROCKSDB),
            new RecordSetConfig(
                "files",
                "indexview.changes.files",
                RecordFormat.ENVELOPE,
                Encoding.AVRO,
                Optional.empty(),
                List.of(),
                Completeness.SOURCE_STATES,
                Map.of(),
                StateStore.ROCKSDB));
  }

  @Test
  void readsEveryKeyOfARecordSet() {
    Map<String, String> values = least();
    values.put("record.set.files.topic", "uploads");
    values.put("record.set.files.format", "flat");
    values.put("record.set.files.encoding", "json");
    values.put("record.set.files.schema.file", "file.avsc");
    values.put("record.set.files.unique.fields", "bucketName,objectKey");
    values.put("record.set.files.complete", "source-states");
    values.put("record.set.files.skip.events", "3:1742, 0:7,3:0");
    values.put("record.set.files.state.store", "memory");

    assertThat(AppConfig.parse(values).recordSets().get(1))
        .isEqualTo(
            new RecordSetConfig(
                "files",
                "uploads",
                RecordFormat.FLAT,
                Encoding.JSON,
                Optional.of(Path.of("file.avsc")),
                List.of("bucketName", "objectKey"),
                Completeness.SOURCE_STATES,
                Map.of(3, Set.of(0L, 1_742L), 0, Set.of(7L)),
                StateStore.MEMORY));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1742", "3:", "people:3:1742", "-1:4", "3:1742, 3:x"})
  void refusesEventsToSkipThatAreNone(String events) {
    Map<String, String> values = least();
    values.put("record.set.files.skip.events", events);

    assertThatThrownBy(() -> AppConfig.parse(values))
        .hasMessageContaining("record.set.files.skip.events")
        .hasMessageContaining("is not PARTITION:OFFSET");
  }

  @ParameterizedTest
  @CsvSource({"envelope, SOURCE_STATES", "flat, TOPIC"})
  void takesTheFormatsWayToKnowThatARecordSetIsComplete(String format, Completeness expected) {
    Map<String, String> values = least();
    values.put("record.set.files.format", format);

    assertThat(AppConfig.parse(values).recordSet("files"))
        .get()
        .extracting(RecordSetConfig::completeness)
        .isEqualTo(expected);
  }

  @Test
  void goesByDebeziumsSnapshotWhereValuesTellOfIt() {
    Map<String, String> values = least();
    values.put("record.set.files.complete", "debezium");
    assertThat(AppConfig.parse(values).recordSet("files").orElseThrow().completeness())
        .isEqualTo(Completeness.DEBEZIUM);

    values.put("record.set.files.format", "flat");
    assertThatThrownBy(() -> AppConfig.parse(values))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("record.set.files.complete")
        .hasMessageContaining("use topic");
  }

  @ParameterizedTest
  @CsvSource({"0.0.0.0", "::", "192.0.2.7"})
  void servesHealthBeyondLoopbackOnlyWhenConfigured(String host) {
    Map<String, String> values = least();
    values.put("http.host", host);

    assertThatThrownBy(() -> AppConfig.parse(values))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("http.host: " + host)
        .hasMessageContaining("http.insecure.bind=true");

    values.put("http.insecure.bind", "true");
    assertThat(AppConfig.parse(values).httpHost()).isEqualTo(host);
  }

  @ParameterizedTest
  @CsvSource({"0", "59999", "-2"})
  void refusesACompactionLagThatBrokersCannotKeepUpWith(String lag) {
    Map<String, String> values = least();
    values.put("topic.max.compaction.lag.ms", lag);

    assertThatThrownBy(() -> AppConfig.parse(values))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("topic.max.compaction.lag.ms");
  }

  @Test
  void needsNoViews() {
    Map<String, String> values = least();
    values.remove("views.dir");

    assertThat(AppConfig.parse(values).viewsDir()).isEmpty();
  }

  @Test
  void knowsTheTargetsOfOurOwnSinks() {
    AppConfig config = AppConfig.parse(least());

    assertThat(config.target("kv"))
        .isEqualTo(
            new TargetConfig(
                "kv",
                "connect-indexview-kvstore-sink",
                "indexview.dead-letters.kv",
                TargetConfig.Removal.NATIVE,
                false));
    assertThat(config.knownTargets()).isEqualTo(KnownTargets.OWN);
    assertThat(config.target("dynamodb").sinkGroup()).isEqualTo("connect-indexview-dynamodb-sink");
    assertThat(config.generationGrace()).isEqualTo(Duration.ofMinutes(10));
  }

  @Test
  void keepsWhatServedAsLongAsReadersRelyOn() {
    Map<String, String> values = least();
    for (String shorter : List.of("0", "9999")) {
      values.put("generation.grace.ms", shorter);
      assertThat(AppConfig.parse(values).generationGrace()).isEqualTo(Duration.ofSeconds(10));
    }
    values.put("generation.grace.ms", "10001");
    assertThat(AppConfig.parse(values).generationGrace()).isEqualTo(Duration.ofMillis(10_001));
  }

  @Test
  void readsEveryKeyOfATarget() {
    Map<String, String> values = least();
    values.put("target.kv.sink.group", "connect-jdbc");
    values.put("target.kv.dead.letter.topic", "jdbc-rejects");
    values.put("target.kv.removal", "tombstones");
    values.put("target.kv.sink.mode", "conditional");

    AppConfig config = AppConfig.parse(values);
    assertThat(config.target("kv"))
        .isEqualTo(
            new TargetConfig(
                "kv", "connect-jdbc", "jdbc-rejects", TargetConfig.Removal.TOMBSTONES, true));
    assertThat(config.knownTargets().fenced()).containsExactly("kv");
  }

  @Test
  void knowsTheTargetsOfGenericSinks() {
    Map<String, String> values = least();
    values.put("connect.targets", "jdbc, search");
    values.put("target.search.sink.group", "connect-search");

    AppConfig config = AppConfig.parse(values);
    assertThat(config.target("jdbc"))
        .isEqualTo(
            new TargetConfig(
                "jdbc",
                "connect-indexview-jdbc-sink",
                "indexview.dead-letters.jdbc",
                TargetConfig.Removal.TOMBSTONES,
                false));
    assertThat(config.target("search").sinkGroup()).isEqualTo("connect-search");
    assertThat(config.knownTargets().connect()).containsExactlyInAnyOrder("jdbc", "search");
  }

  @Test
  void refusesNamesThatAreNoneOfAConnectTarget() {
    Map<String, String> values = least();
    values.put("target.jdbc.sink.group", "connect-jdbc");
    values.put("connect.targets", "kv");

    assertThatThrownBy(() -> AppConfig.parse(values))
        .hasMessageContaining("connect.targets: Use 1 to 30")
        .hasMessageContaining("target.jdbc.sink.group: unknown key; a target has the keys");
  }

  @Test
  void saysEverythingThatIsWrongAtOnce() {
    Map<String, String> values = least();
    values.remove("bootstrap.servers");
    values.put("topic.prefix", "no/slash");
    values.put("record.sets", "people,Bad Name");
    values.put("record.set.people.format", "xml");
    values.put("record.set.peple.topic", "t");
    values.put("tombstone.retention.ms", "-1");
    values.put("http.port", "70000");
    values.put("streams.processing.guarantee", "at_least_once");
    values.put("streams.consumer.auto.offset.reset", "latest");
    values.put("streams.num.stream.threads", "4");
    values.put("streams.producer.max.request.size", "1000");
    values.put("comit.interval.ms", "5");
    values.put("record.set.people.complete", "perhaps");
    values.put("target.kv.removal", "by hand");
    values.put("target.kv.sink.mode", "batch");
    values.put("target.kv.dead.letter.topic", "no/slash");

    InvalidConfigException refused =
        catchThrowableOfType(InvalidConfigException.class, () -> AppConfig.parse(values));

    assertThat(refused.problems())
        .hasSize(16)
        .anyMatch(problem -> problem.contains("\"bootstrap.servers\""))
        .anyMatch(problem -> problem.contains("topic.prefix") && problem.contains("no/slash"))
        .anyMatch(problem -> problem.startsWith("record.sets: \"Bad Name\""))
        .anyMatch(problem -> problem.contains("record.set.people.format"))
        .anyMatch(problem -> problem.startsWith("record.set.peple.topic: unknown key"))
        .anyMatch(problem -> problem.contains("tombstone.retention.ms"))
        .anyMatch(problem -> problem.contains("http.port"))
        .anyMatch(problem -> problem.startsWith("streams.processing.guarantee: cannot be set"))
        .anyMatch(problem -> problem.startsWith("streams.consumer.auto.offset.reset: cannot"))
        .anyMatch(problem -> problem.contains("set num.stream.threads"))
        .anyMatch(problem -> problem.startsWith("streams.producer.max.request.size: 1000"))
        .anyMatch(problem -> problem.contains("record.set.people.complete"))
        .anyMatch(problem -> problem.contains("target.kv.removal"))
        .anyMatch(problem -> problem.contains("target.kv.dead.letter.topic"))
        .anyMatch(problem -> problem.startsWith("comit.interval.ms: unknown key"));
    assertThat(refused).hasMessageContaining("16 problems");
  }

  @Test
  void knowsTheKeysOfKafkaStreamsAndItsClients() {
    assertThat(
            StreamsKeys.unknown(
                Map.of(
                    "streams.producer.linger.ms", "1",
                    "streams.main.consumer.fetch.max.bytes", "1",
                    "streams.retries", "1",
                    "streams.poll.ms", "1",
                    "streams.topic.segment.bytes", "1",
                    "streams.consumer.sesion.timeout.ms", "1",
                    "streams.linger", "1",
                    "http.port", "1")))
        .containsExactly("streams.consumer.sesion.timeout.ms", "streams.linger");
  }

  @Test
  void refusesOneTopicForTwoRecordSets() {
    Map<String, String> values = least();
    values.put("record.set.files.topic", "indexview.changes.people");

    assertThatThrownBy(() -> AppConfig.parse(values))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("record.set.files.topic")
        .hasMessageContaining("belongs to record set \"people\"");
  }

  @ParameterizedTest
  @CsvSource({
    "streams.processing.exception.handler, cannot be set",
    "streams.deserialization.exception.handler, cannot be set",
    "streams.production.exception.handler, cannot be set",
    "streams.ensure.explicit.internal.resource.naming, cannot be set",
    "streams.state.dir, set state.dir",
    "streams.application.id, set application.id",
    "streams.main.consumer.isolation.level, cannot be set",
    "streams.max.request.size, set streams.producer.max.request.size",
    "streams.producer.transaction.timeout.ms, follows from commit.interval.ms",
    "view.topic.cleanup.policy, the application sets it itself"
  })
  void refusesKeysThatTheGuaranteesRestOn(String key, String remedy) {
    Map<String, String> values = least();
    values.put(key, "x");

    assertThatThrownBy(() -> AppConfig.parse(values))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(key + ": ")
        .hasMessageContaining(remedy);
  }

  @Test
  void documentsEveryKey() {
    for (ConfigDef.ConfigKey key : AppConfig.definition().configKeys().values()) {
      assertThat(key.documentation).as(key.name).isNotBlank();
      assertThat(key.group).as(key.name).isNotBlank();
    }
  }
}
