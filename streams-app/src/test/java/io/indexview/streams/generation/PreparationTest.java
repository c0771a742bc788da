package io.indexview.streams.generation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.indexview.schemas.change.EnvelopeSchemas;
import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.streams.People;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.error.StopSignal.StoppedException;
import io.indexview.streams.generation.Preparation.LoadedViews;
import io.indexview.streams.topology.StreamsSettings;
import io.indexview.views.definition.InvalidViewException;
import io.indexview.views.definition.ViewDefinition;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PreparationTest {
  @TempDir private Path directory;
  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
  private final FakeCluster cluster = new FakeCluster();
  private final StopSignal stop = new StopSignal();
  private final AtomicReference<String> status = new AtomicReference<>("");
  private final Map<String, String> settings = new HashMap<>();
  private Path views;

  @BeforeEach
  void begin() throws IOException {
    views = Files.createDirectory(directory.resolve("views"));
    Files.writeString(directory.resolve("person.avsc"), People.SCHEMA.toString());
    settings.put("bootstrap.servers", "127.0.0.1:1");
    settings.put("schema.registry.url", "mock://preparation");
    settings.put("record.sets", "people");
    settings.put("record.set.people.schema.file", directory.resolve("person.avsc").toString());
    settings.put("views.dir", views.toString());
    settings.put("state.dir", directory.resolve("state").toString());
    cluster.add(People.TOPIC, 6);
    write("by-org.yaml", People.BY_ORG);
  }

  private void write(String file, String text) throws IOException {
    Files.writeString(views.resolve(file), text);
  }

  private final List<byte[]> newestValues = new ArrayList<>();

  private LoadedViews prepare() {
    return prepare(registry);
  }

  private LoadedViews prepare(SchemaRegistry registry) {
    AppConfig config = AppConfig.parse(settings);
    return new Preparation(
            config,
            new AppTopics(
                config.topics(),
                List.of("indexview.dead-letters.kv", "indexview.dead-letters.dynamodb"),
                1_000_000,
                config.compactionSettings(),
                config.viewTopicSettings()),
            registry,
            cluster,
            topic -> newestValues,
            stop,
            status::set)
        .prepare();
  }

  @Test
  void givesTheViewsOfTheFilesAndCreatesTheSharedTopics() {
    LoadedViews loaded = prepare();

    assertThat(loaded.views()).extracting(ViewDefinition::name).containsExactly("by-org");
    assertThat(loaded.recordSets()).containsOnlyKeys("people");
    assertThat(cluster.topics)
        .containsOnlyKeys(
            People.TOPIC,
            "indexview.dead-letters",
            "indexview.dead-letters.kv",
            "indexview.dead-letters.dynamodb",
            "indexview.view-definitions",
            "indexview.view-generations",
            "indexview.view-states",
            "indexview.view-progress",
            "indexview.view-verifications",
            "indexview.view-repairs",
            "indexview.record-sets",
            "indexview.source-requests",
            "indexview.source-states");
    for (String control : List.of("indexview.view-progress", "indexview.view-states")) {
      assertThat(cluster.topics.get(control).configs())
          .containsEntry("cleanup.policy", "compact")
          .containsEntry("segment.bytes", "8388608")
          .containsEntry("min.cleanable.dirty.ratio", "0.1")
          .containsKey("max.message.bytes");
    }
  }

  private static byte[] debezium(String payload) {
    return """
    {"schema":{"type":"struct","fields":[
       {"type":"struct","fields":[{"type":"string","optional":true,"field":"org"},{"type":"string","optional":true,"field":"name"}],
        "optional":true,"name":"shop.people.Value","field":"after"},
       {"type":"string","optional":false,"field":"op"}],
      "optional":false,"name":"shop.people.Envelope"},
     "payload":%s}
    """
        .formatted(payload)
        .strip()
        .getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void findsTheSchemaOfJsonBesideTheNewestValueOfATopic() {
    settings.put("record.set.people.encoding", "json");
    settings.remove("record.set.people.schema.file");
    SchemaRegistry none = new InMemorySchemaRegistry();
    newestValues.add("{\"ts_ms\":1}".getBytes(StandardCharsets.UTF_8));
    newestValues.add(debezium("{\"after\":null,\"op\":\"d\"}"));

    LoadedViews loaded = prepare(none);

    assertThat(loaded.recordSets().get("people").schema().getFullName())
        .isEqualTo("shop.people.Value");
    assertThat(none.latest(People.TOPIC + "-value")).isPresent();
  }

  @Test
  void saysThatJsonWithoutASchemaNeedsAFile() {
    settings.put("record.set.people.encoding", "json");
    settings.remove("record.set.people.schema.file");
    newestValues.add("{\"op\":\"c\",\"after\":{\"org\":\"A\"}}".getBytes(StandardCharsets.UTF_8));

    assertThatThrownBy(() -> prepare(new InMemorySchemaRegistry()))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(People.TOPIC)
        .hasMessageContaining("set schema.file of the record set");
  }

  @Test
  void refusesASchemaFileThatJsonCannotServe() throws IOException {
    settings.put("record.set.people.encoding", "json");
    settings.put(
        "record.set.people.schema.file",
        Files.writeString(
                directory.resolve("union.avsc"),
                """
                {"type": "record", "name": "P", "fields": [{"name": "org", "type": ["int", "string"]}]}
                """)
            .toString());

    assertThatThrownBy(this::prepare)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("record.set.people.schema.file")
        .hasMessageContaining("field \"org\"");
  }

  @Test
  void compactsAControlTopicThatABrokerHasCreatedByItself() {
    cluster.add("indexview.source-states", 3);
    cluster.add("indexview.dead-letters", 3);

    prepare();

    assertThat(cluster.cleanupPolicies("indexview.source-states")).containsExactly("compact");
    assertThat(cluster.cleanupPolicies("indexview.dead-letters")).containsExactly("delete");
  }

  @Test
  void refusesAControlTopicThatLosesRecordsAndThatItMayNotChange() {
    cluster.add("indexview.view-states", 1);
    cluster.refused = "indexview.view-states";

    assertThatThrownBy(this::prepare)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("indexview.view-states")
        .hasMessageContaining("cleanup.policy=compact");
  }

  @Test
  void doesNotWaitForATopicThatIsGoneSinceItHasStateOfIt() {
    cluster.delete(People.TOPIC);
    cluster.add("indexview-records-people-changelog", 6);

    assertThat(prepare().views()).hasSize(1);
  }

  @Test
  void boundsHowLongReplacedValuesStayWhenConfigured() {
    settings.put("topic.max.compaction.lag.ms", "3600000");
    settings.put("view.topic.min.insync.replicas", "2");

    prepare();

    assertThat(cluster.topics.get("indexview.dead-letters").configs())
        .containsEntry("segment.ms", "3600000")
        .doesNotContainKey("max.compaction.lag.ms");
    AppConfig config = AppConfig.parse(settings);
    assertThat(
            new AppTopics(
                    config.topics(),
                    List.of(),
                    1,
                    config.compactionSettings(),
                    config.viewTopicSettings())
                .view("v", 1)
                .configs())
        .containsEntry("min.insync.replicas", "2")
        .containsEntry("segment.ms", "3600000")
        .containsEntry("max.compaction.lag.ms", "3600000");
    assertThat(StreamsSettings.of(config, "one"))
        .containsEntry("topic.segment.ms", "3600000")
        .containsEntry("topic.max.compaction.lag.ms", "3600000");
  }

  @Test
  void keepsDeadLettersOfOldRecordsAsLongAsOthers() {
    prepare();

    for (String topic :
        List.of(
            "indexview.dead-letters",
            "indexview.dead-letters.kv",
            "indexview.dead-letters.dynamodb")) {
      assertThat(cluster.topics.get(topic).configs())
          .containsEntry("retention.ms", "2592000000")
          .containsEntry("message.timestamp.type", "LogAppendTime");
    }
  }

  @Test
  void leavesSegmentsToTheBrokersUnlessConfiguredOtherwise() {
    prepare();

    assertThat(cluster.topics.get("indexview.dead-letters").configs())
        .doesNotContainKey("segment.ms");
    assertThat(StreamsSettings.of(AppConfig.parse(settings), "one"))
        .doesNotContainKey("topic.segment.ms");
  }

  @Test
  void needsNoViewFiles() {
    settings.remove("views.dir");

    assertThat(prepare().views()).isEmpty();
  }

  @Test
  void saysWhatIsWrongInEveryFileAtOnce() throws IOException {
    write("broken.json", "{\"name\": ");
    write("unknown-field.yaml", People.BY_ORG.replace("by-org", "u").replace("[org]", "[orgg]"));
    write("unknown-set.yaml", People.BY_ORG.replace("by-org", "s").replace("people", "cars"));

    InvalidViewException refused = catchThrowableOfType(InvalidViewException.class, this::prepare);

    assertThat(refused.problems()).hasSizeGreaterThanOrEqualTo(3);
    assertThat(refused)
        .hasMessageContaining("broken.json")
        .hasMessageContaining("orgg")
        .hasMessageContaining("cars");
  }

  @Test
  void waitsForASchemaThatTheRegistryDoesNotHaveYet() {
    settings.remove("record.set.people.schema.file");

    CompletableFuture<LoadedViews> loaded = CompletableFuture.supplyAsync(this::prepare);
    await()
        .untilAsserted(
            () -> assertThat(status.get()).contains("subject indexview.changes.people-value"));
    assertThat(cluster.topics())
        .containsKeys("indexview.source-states", "indexview.source-requests");
    registry.register(People.TOPIC + "-value", EnvelopeSchemas.envelope(People.SCHEMA));

    assertThat(loaded.join().views()).hasSize(1);
    assertThat(status.get()).isEmpty();
  }

  @Test
  void doesNotWaitForASchemaWhenAFileIsWrong() throws IOException {
    settings.remove("record.set.people.schema.file");
    write("broken.yaml", "name: [");
    write("unknown-set.yaml", People.BY_ORG.replace("by-org", "s").replace("people", "cars"));

    InvalidConfigException refused =
        catchThrowableOfType(InvalidConfigException.class, this::prepare);

    assertThat(refused.problems())
        .hasSize(2)
        .anyMatch(problem -> problem.startsWith("broken.yaml: "))
        .anyMatch(problem -> problem.startsWith("unknown-set.yaml: source \"cars\""));
  }

  @Test
  void waitsForTheSourceTopicUntilTheAppCloses() {
    cluster.topics.clear();

    CompletableFuture<LoadedViews> loaded = CompletableFuture.supplyAsync(this::prepare);
    await().untilAsserted(() -> assertThat(status.get()).contains("topic " + People.TOPIC));
    assertThat(cluster.topics()).containsKey("indexview.source-states");
    stop.stop();

    assertThatThrownBy(loaded::join).hasCauseInstanceOf(StoppedException.class);
  }

  @Test
  void namesASchemaFileThatCannotBeUsedBesideWhatIsWrongWithTheViews() throws IOException {
    Files.writeString(directory.resolve("person.avsc"), "{\"type\": \"strin\"}");
    write("broken.yaml", "name: [");

    assertThatThrownBy(this::prepare)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("record.set.people.schema.file: ")
        .hasMessageContaining("person.avsc")
        .hasMessageContaining("broken.yaml: ");
  }

  @Test
  void namesAViewsDirectoryThatCannotBeUsed() throws IOException {
    Files.delete(views.resolve("by-org.yaml"));
    assertThatThrownBy(this::prepare).hasMessageContaining("holds no view definition");

    settings.put("views.dir", directory.resolve("nowhere").toString());
    assertThatThrownBy(this::prepare)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("nowhere");
  }

  @Test
  void namesAFileThatIsNoText() throws IOException {
    Files.write(views.resolve("binary.yaml"), new byte[] {(byte) 0xff, (byte) 0xfe, 0});

    assertThatThrownBy(this::prepare)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("binary.yaml")
        .hasMessageContaining("UTF-8");
  }
}
