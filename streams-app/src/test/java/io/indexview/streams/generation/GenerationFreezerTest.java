package io.indexview.streams.generation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.indexview.schemas.change.EnvelopeSchemas;
import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.streams.People;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.error.StoppedException;
import io.indexview.views.definition.InvalidViewException;
import io.indexview.views.definition.ViewGeneration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GenerationFreezerTest {
  private static final String BY_ORG_TOPIC = "indexview.view.kv.by-org.1";

  @TempDir private Path directory;
  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
  private final FakeCluster cluster = new FakeCluster();
  private final FakeControlLog controlLog = new FakeControlLog(cluster);
  private final StopSignal stop = new StopSignal();
  private final AtomicReference<String> status = new AtomicReference<>("");
  private final Map<String, String> settings = new HashMap<>();
  private Path views;

  @BeforeEach
  void prepare() throws IOException {
    views = Files.createDirectory(directory.resolve("views"));
    Files.writeString(directory.resolve("person.avsc"), People.SCHEMA.toString());
    settings.put("bootstrap.servers", "127.0.0.1:1");
    settings.put("schema.registry.url", "mock://freezer");
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

  private List<FrozenGeneration> freeze() {
    return new GenerationFreezer(
            AppConfig.parse(settings), 1_000_000, registry, cluster, controlLog, stop, status::set)
        .freeze()
        .of("people");
  }

  @Test
  void freezesANewViewAsGenerationOne() {
    List<FrozenGeneration> frozen = freeze();

    assertThat(frozen).hasSize(1);
    ViewGeneration generation = frozen.get(0).generation();
    assertThat(generation).isEqualTo(People.generation(People.BY_ORG));
    assertThat(registry.byId(frozen.get(0).readerSchemaId())).isEqualTo(People.SCHEMA);
    assertThat(ViewGeneration.ofKeySchema(registry.byId(frozen.get(0).keySchemaId())))
        .isEqualTo(generation);
    assertThat(registry.versions(BY_ORG_TOPIC + "-key")).hasSize(1);
    assertThat(registry.versions(BY_ORG_TOPIC + "-value")).hasSize(1);
  }

  @Test
  void createsTheTopicBeforeItPublishesTheGeneration() {
    freeze();

    assertThat(controlLog.published).hasSize(1);
    assertThat(controlLog.topicsAtPublishing.get(0)).contains(BY_ORG_TOPIC);
    assertThat(controlLog.building).containsExactly(Map.entry("by-org", 1));
    TopicSpec viewTopic = cluster.topics.get(BY_ORG_TOPIC);
    assertThat(viewTopic.partitions()).isEqualTo(6);
    assertThat(viewTopic.configs())
        .containsEntry("cleanup.policy", "compact")
        .containsEntry("delete.retention.ms", "604800000");
    assertThat(cluster.topics)
        .containsKeys(
            "indexview.dead-letters",
            "indexview.dead-letters.kv",
            "indexview.dead-letters.dynamodb",
            "indexview.view-definitions",
            "indexview.view-generations",
            "indexview.view-states",
            "indexview.source-states");
  }

  @Test
  void takesAPublishedGenerationAsItWasFrozen() throws IOException {
    List<FrozenGeneration> first = freeze();
    cluster.progress.add(People.TOPIC);
    Files.writeString(
        directory.resolve("person.avsc"),
        People.SCHEMA
            .toString()
            .replace(
                "\"fields\":[",
                "\"fields\":[{\"name\":\"extra\",\"type\":\"int\",\"default\":0},"));

    assertThat(freeze()).isEqualTo(first);
    assertThat(controlLog.published).hasSize(1);
  }

  @Test
  void doesNotSayBuildingAgainWhenTheViewHasAState() {
    controlLog.building.put("by-org", 1);
    freeze();
    controlLog.building.replaceAll((view, generation) -> 99);
    freeze();

    assertThat(controlLog.building).containsExactly(Map.entry("by-org", 99));
  }

  @Test
  void saysBuildingAfterACrashBeforeItCould() {
    freeze();
    controlLog.building.clear();
    freeze();

    assertThat(controlLog.building).containsExactly(Map.entry("by-org", 1));
  }

  @Test
  void refusesAChangedDefinitionAndANewViewTogether() throws IOException {
    freeze();
    cluster.progress.add(People.TOPIC);
    write("by-org.yaml", People.BY_ORG.replace("[name]", "[name, age]"));
    write("by-tag.yaml", People.BY_TAG_AND_AGE);

    InvalidConfigException refused =
        catchThrowableOfType(InvalidConfigException.class, this::freeze);

    assertThat(refused.problems())
        .hasSize(2)
        .anyMatch(problem -> problem.startsWith("view \"by-org\": its definition is not the one"))
        .anyMatch(problem -> problem.startsWith("view \"by-tag-and-age\": is new, but"));
    assertThat(controlLog.published).hasSize(1);
    assertThat(cluster.topics).doesNotContainKey("indexview.view.kv.by-tag-and-age.1");
  }

  @Test
  void takesANewViewWhileNothingWasDerived() throws IOException {
    freeze();
    write("by-tag.yaml", People.BY_TAG_AND_AGE);

    assertThat(freeze())
        .extracting(FrozenGeneration::view)
        .containsExactly("by-org", "by-tag-and-age");
  }

  @Test
  void keepsDerivingAViewWhoseFileIsGone() throws IOException {
    write("by-tag.yaml", People.BY_TAG_AND_AGE);
    List<FrozenGeneration> first = freeze();
    Files.delete(views.resolve("by-tag.yaml"));

    assertThat(freeze()).containsExactlyInAnyOrderElementsOf(first);
  }

  @Test
  void refusesANewViewWhenOnlyTheStateTellsOfAnEarlierRun() throws IOException {
    freeze();
    cluster.add("indexview-records-people-changelog", 6);
    write("by-tag.yaml", People.BY_TAG_AND_AGE);

    assertThatThrownBy(this::freeze)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("view \"by-tag-and-age\": is new, but");
  }

  @Test
  void refusesToGoOnAfterEventsWereTrimmedUnread() {
    freeze();
    cluster.skipped.put(People.TOPIC, Set.of(2));

    assertThatThrownBy(this::freeze)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("record set \"people\": partitions [2] of topic " + People.TOPIC);
  }

  @Test
  void refusesAViewTopicWithOtherPartitions() {
    cluster.add(BY_ORG_TOPIC, 3);

    assertThatThrownBy(this::freeze)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("topic " + BY_ORG_TOPIC + " has 3 partitions")
        .hasMessageContaining("its source topic has 6");
  }

  @Test
  void refusesToGoOnWithoutTheTopicOfAView() {
    freeze();
    cluster.progress.add(People.TOPIC);
    cluster.topics.remove(BY_ORG_TOPIC);

    assertThatThrownBy(this::freeze)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("view \"by-org\": its topic " + BY_ORG_TOPIC + " is gone");
  }

  @Test
  void refusesARecordSetThatMoved() {
    freeze();
    settings.put("record.set.people.topic", "elsewhere");
    cluster.add("elsewhere", 6);

    assertThatThrownBy(this::freeze)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("view \"by-org\": generation 1 reads record set \"people\"");
  }

  @Test
  void saysWhatIsWrongInEveryFileAtOnce() throws IOException {
    write("broken.json", "{\"name\": ");
    write("unknown-field.yaml", People.BY_ORG.replace("by-org", "u").replace("[org]", "[orgg]"));
    write("unknown-set.yaml", People.BY_ORG.replace("by-org", "s").replace("people", "cars"));

    InvalidViewException refused = catchThrowableOfType(InvalidViewException.class, this::freeze);

    assertThat(refused.problems()).hasSizeGreaterThanOrEqualTo(3);
    assertThat(refused)
        .hasMessageContaining("broken.json")
        .hasMessageContaining("orgg")
        .hasMessageContaining("cars");
  }

  @Test
  void waitsForASchemaThatTheRegistryDoesNotHaveYet() {
    settings.remove("record.set.people.schema.file");

    CompletableFuture<List<FrozenGeneration>> frozen = CompletableFuture.supplyAsync(this::freeze);
    await()
        .untilAsserted(
            () -> assertThat(status.get()).contains("subject indexview.changes.people-value"));
    registry.register(People.TOPIC + "-value", EnvelopeSchemas.envelope(People.SCHEMA));

    assertThat(frozen.join()).extracting(FrozenGeneration::view).containsExactly("by-org");
    assertThat(status.get()).isEmpty();
  }

  @Test
  void doesNotWaitForASchemaWhenAFileIsWrong() throws IOException {
    settings.remove("record.set.people.schema.file");
    write("broken.yaml", "name: [");
    write("unknown-set.yaml", People.BY_ORG.replace("by-org", "s").replace("people", "cars"));

    InvalidConfigException refused =
        catchThrowableOfType(InvalidConfigException.class, this::freeze);

    assertThat(refused.problems())
        .hasSize(2)
        .anyMatch(problem -> problem.startsWith("broken.yaml: "))
        .anyMatch(problem -> problem.startsWith("unknown-set.yaml: source \"cars\""));
  }

  @Test
  void waitsForTheSourceTopicUntilTheAppCloses() {
    cluster.topics.clear();

    CompletableFuture<List<FrozenGeneration>> frozen = CompletableFuture.supplyAsync(this::freeze);
    await().untilAsserted(() -> assertThat(status.get()).contains("topic " + People.TOPIC));
    stop.stop();

    assertThatThrownBy(frozen::join).hasCauseInstanceOf(StoppedException.class);
  }

  @Test
  void namesASchemaFileThatCannotBeUsedBesideWhatIsWrongWithTheViews() throws IOException {
    Files.writeString(directory.resolve("person.avsc"), "{\"type\": \"strin\"}");
    write("broken.yaml", "name: [");

    assertThatThrownBy(this::freeze)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("record.set.people.schema.file: ")
        .hasMessageContaining("person.avsc")
        .hasMessageContaining("broken.yaml: ");
  }

  @Test
  void namesAViewsDirectoryThatCannotBeUsed() throws IOException {
    Files.delete(views.resolve("by-org.yaml"));
    assertThatThrownBy(this::freeze).hasMessageContaining("holds no view definition");

    settings.put("views.dir", directory.resolve("nowhere").toString());
    assertThatThrownBy(this::freeze)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("nowhere");
  }

  @Test
  void namesAFileThatIsNoText() throws IOException {
    Files.write(views.resolve("binary.yaml"), new byte[] {(byte) 0xff, (byte) 0xfe, 0});

    assertThatThrownBy(this::freeze)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("binary.yaml")
        .hasMessageContaining("UTF-8");
  }
}
