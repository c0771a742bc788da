package io.indexview.streams.controller.actions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.schemas.fixtures.FailingRegistry;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.streams.People;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.streams.config.RecordSetConfig.Completeness;
import io.indexview.streams.config.RecordSetConfig.Encoding;
import io.indexview.streams.config.RecordSetConfig.StateStore;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.generation.AppTopics;
import io.indexview.streams.generation.Cluster.TopicSpec;
import io.indexview.streams.generation.FakeCluster;
import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.streams.generation.RecordSetCatalog;
import io.indexview.streams.generation.TopicFit;
import io.indexview.views.definition.KnownTargets;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FreezerTest {
  private static final String TOPIC = "indexview.view.kv.by-org.3";
  private static final BuildRequest BUILD = new BuildRequest(4, BuildMode.CHANGELOG);

  @TempDir private Path directory;
  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
  private SchemaRegistry asked = registry;
  private final FakeCluster cluster = new FakeCluster();
  private final Map<String, ViewSpec> specs = new HashMap<>();
  private final Map<String, PublishedGeneration> generations = new HashMap<>();
  private final Set<String> fencedTargets = new HashSet<>();
  private Optional<Path> schemaFile;

  @BeforeEach
  void prepare() throws IOException {
    schemaFile =
        Optional.of(Files.writeString(directory.resolve("person.avsc"), People.SCHEMA.toString()));
    cluster.add(People.TOPIC, 6);
  }

  private Freezer freezer() {
    Topics topics = new Topics("indexview");
    RecordSetConfig people =
        new RecordSetConfig(
            "people",
            People.TOPIC,
            RecordFormat.ENVELOPE,
            Encoding.AVRO,
            schemaFile,
            List.of(),
            Completeness.SOURCE_STATES,
            Map.of(),
            StateStore.ROCKSDB);
    return new Freezer(
        new ViewDefinitionParser(new KnownTargets(fencedTargets, Set.of("jdbc"))),
        new AppTopics(topics, List.of(), 1_000_000, Map.of(), Map.of()),
        new RecordSetCatalog(List.of(people), asked),
        asked,
        cluster,
        cluster,
        new TopicFit(new Installation().config(), cluster),
        new Freezer.Standing(() -> specs, () -> generations),
        Clock.fixed(Instant.ofEpochMilli(99), ZoneOffset.UTC));
  }

  private static ViewSpec spec(String yaml, long changedAtMs) {
    var definition = new ViewDefinitionParser().parse("test.yaml", yaml);
    return new ViewSpec(
        definition.name(), definition.toJson(), 7, BUILD, changedAtMs, Optional.empty());
  }

  private static ViewSpec spec(String yaml) {
    return spec(yaml, 1);
  }

  private Activity.Progress freeze(ViewSpec spec) {
    return freezer().freeze(new Action.Freeze(spec, "uid-1", 3));
  }

  private Finding.Answer answer(ViewSpec spec) {
    assertThat(freeze(spec)).isInstanceOf(Activity.Answered.class);
    return ((Activity.Answered) freeze(spec)).answer();
  }

  private Finding.Frozen frozen(ViewSpec spec) {
    assertThat(answer(spec)).isInstanceOf(Finding.Frozen.class);
    return (Finding.Frozen) answer(spec);
  }

  private void assertRefused(ViewSpec spec, String... reasons) {
    assertThat(answer(spec))
        .isInstanceOfSatisfying(
            Finding.Refused.class, refused -> assertThat(refused.reason()).contains(reasons));
    assertThat(cluster.topics).doesNotContainKey(TOPIC);
  }

  @Test
  void makesEverythingButThePublication() {
    Finding.Frozen frozen = frozen(spec(People.BY_ORG));

    ViewGeneration generation = ViewGeneration.fromJson(frozen.description());
    assertThat(generation.number()).isEqualTo(3);
    assertThat(generation.uid()).isEqualTo("uid-1");
    assertThat(frozen.partitions()).isEqualTo(6);
    PublishedGeneration published = frozen.published();
    assertThat(published.viewTopic()).isEqualTo(TOPIC);
    assertThat(published.build()).isEqualTo(BUILD);
    assertThat(published.createdAtMs()).isEqualTo(99);
    assertThat(published.stopped()).isFalse();
    assertThat(FrozenGeneration.thaw(published, registry).generation()).isEqualTo(generation);
    assertThat(registry.byId(published.schemas().reader())).isEqualTo(People.SCHEMA);
    assertThat(cluster.topics.get(TOPIC).partitions()).isEqualTo(6);
    assertThat(cluster.topics.get(TOPIC).configs())
        .containsEntry("cleanup.policy", "compact")
        .containsEntry("delete.retention.ms", "604800000")
        .containsEntry("message.timestamp.type", "LogAppendTime");
  }

  @Test
  void waitsAsLongAsTheTopicDoesNotFitTheState() {
    cluster.add(Installation.MEMORY, 4);
    assertThat(freeze(spec(People.BY_ORG)))
        .isInstanceOfSatisfying(
            Activity.Again.class,
            again -> assertThat(again.waitingFor()).contains("has 6 partitions", "state has 4"));
    assertThat(cluster.topics).doesNotContainKey(TOPIC);
  }

  @Test
  void freezingTwiceGivesTheSameResult() {
    Activity.Progress first = freeze(spec(People.BY_ORG));

    assertThat(freeze(spec(People.BY_ORG))).isEqualTo(first);
  }

  @Test
  void carriesTheDefinitionOfTheSpecAsItIs() {
    ViewSpec spec = spec(People.BY_ORG);
    ViewSpec spaced =
        new ViewSpec(
            spec.view(),
            spec.definition().replace(",", ", "),
            7,
            spec.build(),
            1,
            Optional.empty());

    assertThat(frozen(spaced).published().definition()).isEqualTo(spaced.definition());
  }

  @Test
  void doesNotGoOnWithAGenerationThatIsPublished() {
    PublishedGeneration published = frozen(spec(People.BY_ORG)).published();
    generations.put(published.key(), published);

    assertThat(answer(spec(People.BY_ORG)))
        .isInstanceOfSatisfying(
            Finding.Refused.class,
            refused -> assertThat(refused.reason()).contains("generation 3", "once more"));
    assertThat(cluster.topics).containsKey(TOPIC);
  }

  @Test
  void refusesWithEveryProblem() {
    assertRefused(
        spec(People.BY_ORG.replace("[org]", "[orgg]").replace("[name]", "[nam]")),
        "key[0] \"orgg\"",
        "include[0] \"nam\"");
  }

  @Test
  void leavesATopicThatAnotherTryMayPublish() {
    cluster.add(TOPIC, 6);

    assertThat(answer(spec(People.BY_ORG.replace("[org]", "[orgg]"))))
        .isInstanceOf(Finding.Refused.class);
    assertThat(cluster.topics).containsKey(TOPIC);
  }

  @Test
  void refusesRowsThatTheSinkOfTheirTargetCannotFence() {
    fencedTargets.add("kv");

    String keyOnly = "name: by-org\nsource: people\nkey: [org]\ntarget: kv\n";
    assertRefused(spec(keyOnly), "layout", "key-only", "target.kv.sink.mode");
    assertThat(answer(spec(People.BY_ORG))).isInstanceOf(Finding.Frozen.class);
  }

  @Test
  void freezesForTargetsOfGenericSinks() {
    String view =
        People.BY_ORG.replace("layout: key-value\n", "").replace("target: kv", "target: ");

    assertRefused(spec(view.replace("target: ", "target: search")), "no such target", "jdbc");
    assertThat(answer(spec(view.replace("target: ", "target: jdbc"))))
        .isInstanceOf(Finding.Frozen.class);
    assertThat(cluster.topics).containsKey("indexview.view.jdbc.by-org.3");
  }

  @Test
  void refusesARecordSetThatThereIsNot() {
    assertRefused(spec(People.BY_ORG.replace("people", "cars")), "cars", "no such record set");
  }

  @Test
  void refusesSchemasThatTheRegistryRefuses() {
    registry.register(TOPIC + "-key", People.SCHEMA);

    assertRefused(spec(People.BY_ORG), TOPIC + "-key");
  }

  @Test
  void doesNotTakeAnOutageForARefusal() {
    asked = FailingRegistry.away();

    assertThatThrownBy(() -> freeze(spec(People.BY_ORG)))
        .isInstanceOf(RegistryException.Unavailable.class);
    assertThat(cluster.topics).doesNotContainKey(TOPIC);
  }

  @Test
  void waitsForTheRecordSchema() {
    schemaFile = Optional.empty();

    assertThat(freeze(spec(People.BY_ORG)))
        .isEqualTo(
            Activity.waiting(
                "the record schema of record set \"people\", which its source registers when it starts (or name a file: record.set.people.schema.file)"));
  }

  @Test
  void waitsForTheSourceTopic() {
    cluster.topics.clear();

    assertThat(freeze(spec(People.BY_ORG)))
        .isEqualTo(
            Activity.waiting(
                "topic %s of record set \"people\", which is not there (create it, or start its source)"
                    .formatted(People.TOPIC)));
  }

  private static final String TABLE =
      """
      name: %s
      source: people
      kind: index
      key: [org]
      target: dynamodb
      table: Orgs
      """;

  @Test
  void givesATableToTheEarlierOfTwoSpecs() {
    ViewSpec earlier = spec(TABLE.formatted("b"), 10);
    ViewSpec later = spec(TABLE.formatted("a"), 11);
    specs.put("a", later);
    specs.put("b", earlier);

    assertThat(answer(later))
        .isInstanceOfSatisfying(
            Finding.Refused.class,
            refused -> assertThat(refused.reason()).contains("Orgs", "taken by view \"b\""));
    assertThat(answer(earlier)).isInstanceOf(Finding.Frozen.class);
  }

  @Test
  void doesNotTakeATableWhoseRowsAreNotGone() {
    PublishedGeneration old = frozen(spec(TABLE.formatted("dropped"))).published();
    generations.put(old.key(), old);

    assertThat(answer(spec(TABLE.formatted("a")))).isInstanceOf(Finding.Refused.class);
  }

  private static ViewSpec replay() {
    ViewSpec spec = spec(People.BY_ORG);
    return new ViewSpec(
        spec.view(),
        spec.definition(),
        7,
        new BuildRequest(4, BuildMode.REPLAY),
        1,
        Optional.empty());
  }

  @Test
  void replaysATopicThatHoldsEverything() {
    cluster.beginnings.put(0, 0L);

    assertThat(answer(replay())).isInstanceOf(Finding.Frozen.class);
  }

  @Test
  void replaysNoTopicOfWhichRecordsAreDeleted() {
    cluster.beginnings.putAll(Map.of(0, 0L, 4, 17L));

    assertRefused(
        replay(),
        People.TOPIC,
        "partition 4",
        "before offset 17",
        "rebuild with an ad-hoc snapshot");
    assertThat(answer(spec(People.BY_ORG))).isInstanceOf(Finding.Frozen.class);
  }

  @Test
  void replaysNoCompactedTopic() {
    cluster.topics.put(
        People.TOPIC, new TopicSpec(People.TOPIC, 6, Map.of("cleanup.policy", "compact")));

    assertRefused(replay(), People.TOPIC, "cleanup.policy", "rebuild with an ad-hoc snapshot");
  }
}
