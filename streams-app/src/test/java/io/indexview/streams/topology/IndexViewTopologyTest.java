package io.indexview.streams.topology;

import static io.indexview.streams.People.BY_ORG;
import static io.indexview.streams.People.BY_TAG_AND_AGE;
import static io.indexview.streams.People.person;
import static io.indexview.streams.People.versioned;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.order.EntryCodec;
import io.indexview.streams.People;
import io.indexview.streams.generation.TopicFit.InPlace;
import io.indexview.streams.health.RecordSetCounters.Outcome;
import io.indexview.streams.topology.TopologyHarness.Written;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.streams.TopologyDescription;
import org.apache.kafka.streams.processor.TaskId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IndexViewTopologyTest {
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final String ANN = "/Corporate/people/1";

  @TempDir private Path stateDir;
  private TopologyHarness app;

  String stateStore() {
    return "rocksdb";
  }

  @BeforeEach
  void start() {
    app =
        new TopologyHarness(
            stateDir, TopologyHarness.stateStore(stateStore()), BY_ORG, BY_TAG_AND_AGE);
  }

  @AfterEach
  void stop() {
    app.close();
  }

  private void upsert(long sequence, GenericRecord person) {
    app.send(ANN, app.people.upsert(sequence, person));
  }

  private static List<String> changes(List<Written> rows) {
    return rows.stream()
        .map(row -> (row.value() == null ? "-" : "+") + row.key().get(0) + "|" + row.key().get(1))
        .toList();
  }

  private long count(Outcome outcome) {
    return app.metrics.recordSet("people").total(outcome);
  }

  @Test
  void topologyMatchesItsDescription() throws IOException {
    try (InputStream golden = getClass().getResourceAsStream("/topology.txt")) {
      assertThat(app.topology().describe().toString())
          .isEqualTo(new String(golden.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  @Test
  void aRecordSetThatIsSetAsideKeepsTheNumbersOfTheOthersTasks(@TempDir Path directory) {
    Map<String, String> three = Map.of("record.sets", "cars,people,zoos");
    try (TopologyHarness shop = new TopologyHarness(directory, three)) {
      for (boolean hasMemory : List.of(true, false)) {
        TopologyDescription without =
            shop.topology(Map.of("people", new InPlace("changelog", hasMemory))).describe();
        assertThat(numberOf("derive-rows-cars", without)).isEqualTo(2);
        assertThat(numberOf("derive-rows-zoos", without)).isEqualTo(4);
        assertThat(without.toString())
            .contains("read-changes-people (topics: [changelog])")
            .doesNotContain("records-people", "indexview.changes.people");
      }
      assertThat(numberOf("derive-rows-zoos", shop.topology().describe())).isEqualTo(4);
    }
  }

  /** Kafka Streams would derive all record sets once more in such a task. */
  @Test
  void refusesTasksThatOnlyAnInstanceWithMoreRecordSetsHas(@TempDir Path directory) {
    Map<String, String> two = Map.of("record.sets", "cars,people");
    try (TopologyHarness shop = new TopologyHarness(directory, two)) {
      IndexViewTopology wiring = shop.wiring(Map.of());
      wiring.topology();

      wiring.refuseUnknown(new TaskId(2, 0));
      wiring.refuseUnknown(new TaskId(3, 5));
      assertThatThrownBy(() -> wiring.refuseUnknown(new TaskId(4, 0)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("4_0")
          .hasMessageContaining("record.sets");
    }
  }

  private static int numberOf(String node, TopologyDescription topology) {
    return topology.subtopologies().stream()
        .filter(part -> part.nodes().stream().anyMatch(one -> one.name().equals(node)))
        .findFirst()
        .orElseThrow()
        .id();
  }

  @Test
  void emitsRowsWhenARecordIsCreated() {
    upsert(1, person("Ann", "Support", 30, "red", "blue"));

    List<Written> rows = app.rows("by-org");
    assertThat(changes(rows)).containsExactly("+Support|" + ANN);
    assertThat(rows.get(0).value().get("name")).hasToString("Ann");
    assertThat(rows.get(0).value().get("_revision"))
        .isEqualTo(TopologyHarness.START.toEpochMilli());
    assertThat(rows.get(0).headers())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "indexview.revision",
                Long.toString(TopologyHarness.START.toEpochMilli()),
                "indexview.generation",
                "1"));
    assertThat(changes(app.rows("by-tag-and-age"))).containsExactly("+red|30", "+blue|30");
    assertThat(count(Outcome.APPLIED)).isEqualTo(1);
  }

  @Test
  void movesARowWhenItsKeyFieldChanges() {
    upsert(1, person("Ann", "Support", 30, "red"));
    app.rows("by-org");
    app.rows("by-tag-and-age");

    upsert(2, person("Ann", "Sales", 30, "red"));

    List<Written> rows = app.rows("by-org");
    assertThat(changes(rows)).containsExactly("+Sales|" + ANN, "-Support|" + ANN);
    assertThat(rows.get(1).headers())
        .containsEntry(
            "indexview.revision", Long.toString(TopologyHarness.START.toEpochMilli() + 1))
        .containsEntry("indexview.generation", "1");
    assertThat(app.rows("by-tag-and-age")).isEmpty();
  }

  @Test
  void emitsNothingForRowsThatAreTheSame() {
    upsert(1, person("Ann", "Support", 30, "red", "blue"));
    app.rows("by-org");
    app.rows("by-tag-and-age");
    GenericRecord other = person("Ann", "Support", 30, "blue", "red", "green");
    other.put("note", "no view shows it");

    upsert(2, other);

    assertThat(app.rows("by-org")).isEmpty();
    assertThat(changes(app.rows("by-tag-and-age"))).containsExactly("+green|30");
    assertThat(count(Outcome.APPLIED)).isEqualTo(2);
  }

  @Test
  void dropsEveryRowWhenARecordIsDeletedAndRemembersTheDelete() {
    upsert(1, person("Ann", "Support", 30, "red"));
    app.rows("by-org");
    app.send(ANN, app.people.delete(3));

    assertThat(changes(app.rows("by-org"))).containsExactly("-Support|" + ANN);

    upsert(2, person("Ann", "Late", 30));
    assertThat(app.rows("by-org")).isEmpty();
    assertThat(count(Outcome.STALE)).isEqualTo(1);
    assertThat(EntryCodec.decode(app.state().get(ANN)).deleted()).isTrue();
  }

  @Test
  void remembersTheDeleteOfARecordThatItNeverSaw() {
    app.send(ANN, app.people.delete(3));
    upsert(2, person("Ann", "Late", 30, "red"));

    assertThat(app.rows("by-org")).isEmpty();
    assertThat(app.rows("by-tag-and-age")).isEmpty();
  }

  @Test
  void countsWhatTheGuardRefuses() {
    upsert(5, person("Ann", "Support", 30));
    upsert(5, person("Ann", "Support", 30));
    upsert(4, person("Ann", "Old", 30));
    app.send(
        ANN,
        app.people.event(
            Op.UPDATE,
            new Origin.SnapshotRead(
                "s1", null, Origin.Base.of(People.version("s1", 3), false), false),
            person("Ann", "Observed", 30)));
    app.send(ANN, null);

    assertThat(count(Outcome.DUPLICATE)).isEqualTo(1);
    assertThat(count(Outcome.STALE)).isEqualTo(1);
    assertThat(count(Outcome.SUPERSEDED)).isEqualTo(1);
    assertThat(count(Outcome.EMPTY)).isEqualTo(1);
    assertThat(changes(app.rows("by-org"))).containsExactly("+Support|" + ANN);
  }

  @Test
  void acceptsAnEpochThatWasNeverSeenAndRefusesOneThatWasLeft() {
    app.send(ANN, app.people.event(Op.CREATE, versioned("s1", 9), person("Ann", "A", 1)));
    app.send(ANN, app.people.event(Op.UPDATE, versioned("s2", 1), person("Ann", "B", 1)));
    app.send(ANN, app.people.event(Op.UPDATE, versioned("s1", 8), person("Ann", "C", 1)));

    assertThat(changes(app.rows("by-org"))).containsExactly("+A|" + ANN, "+B|" + ANN, "-A|" + ANN);
  }

  @Test
  void putsAnUnreadableRecordAsideAndGoesOn() {
    app.send(ANN, "garbage".getBytes(StandardCharsets.UTF_8));
    upsert(1, person("Ann", "Support", 30));

    List<Written> deadLetters = app.deadLetters();
    assertThat(deadLetters).hasSize(1);
    assertThat(deadLetters.get(0).headers())
        .containsEntry("indexview.stage", "decode")
        .containsEntry("indexview.topic", People.TOPIC)
        .containsEntry("indexview.partition", "0")
        .containsEntry("indexview.offset", "0")
        .hasEntrySatisfying("indexview.reason", reason -> assertThat(reason).contains("0x67"));
    GenericRecord deadLetter = deadLetters.get(0).value();
    assertThat(deadLetter.get("stage")).hasToString("decode");
    assertThat(deadLetter.get("recordSet")).hasToString("people");
    assertThat(deadLetter.get("offset")).isEqualTo(0L);
    assertThat(deadLetter.get("exception").toString()).endsWith("MalformedEventException");
    assertThat(deadLetter.get("value"))
        .isEqualTo(ByteBuffer.wrap("garbage".getBytes(StandardCharsets.UTF_8)));
    assertThat(changes(app.rows("by-org"))).containsExactly("+Support|" + ANN);
    assertThat(count(Outcome.DEAD)).isEqualTo(1);
  }

  @Test
  void putsARecordWithoutKeyAside() {
    app.send(null, app.people.upsert(1, person("Ann", "Support", 30)), TopologyHarness.START);

    assertThat(app.deadLetters()).hasSize(1);
    assertThat(app.state()).isEmpty();
  }

  @Test
  void takesTheRowsOfOneViewAwayWhenItCannotBeDerived() {
    upsert(1, person("Ann", "Support", 30, "a", "b"));
    app.rows("by-org");
    app.rows("by-tag-and-age");

    upsert(2, person("Ann", "Sales", 30, "a", "b", "c", "d", "e", "f"));

    assertThat(changes(app.rows("by-tag-and-age"))).containsExactly("-a|30", "-b|30");
    assertThat(changes(app.rows("by-org"))).containsExactly("+Sales|" + ANN, "-Support|" + ANN);
    List<Written> deadLetters = app.deadLetters();
    assertThat(deadLetters).hasSize(1);
    assertThat(deadLetters.get(0).value().get("stage")).hasToString("derive");
    assertThat(deadLetters.get(0).value().get("view")).hasToString("by-tag-and-age");
    app.passTime(POLL);
    assertThat(app.metrics.view("by-tag-and-age", 1).figures().failedRecords()).isEqualTo(1);
    assertThat(app.metrics.view("by-org", 1).figures().failedRecords()).isZero();

    upsert(3, person("Ann", "Sales", 30, "f"));

    assertThat(changes(app.rows("by-tag-and-age"))).containsExactly("+f|30");
    app.passTime(POLL);
    assertThat(app.metrics.view("by-tag-and-age", 1).figures().failedRecords()).isZero();
    assertThat(count(Outcome.APPLIED)).isEqualTo(2);
    assertThat(count(Outcome.DEAD)).isEqualTo(1);
  }

  @Test
  void keepsARecordThatIsTooLargeForTheStateWithoutItsValue() {
    upsert(1, person("Ann", "Support", 30));
    GenericRecord large = person("Ann", "Sales", 30);
    large.put("note", "x".repeat(1_100_000));
    app.rows("by-org");

    upsert(2, large);

    assertThat(changes(app.rows("by-org"))).containsExactly("-Support|" + ANN);
    assertThat(EntryCodec.decode(app.state().get(ANN)).value()).isNull();
    List<Written> deadLetters = app.deadLetters();
    assertThat(deadLetters).hasSize(1);
    assertThat(deadLetters.get(0).value().get("value")).isNull();
    assertThat(deadLetters.get(0).value().get("reason").toString()).contains("left out here");

    upsert(1, person("Ann", "Stale", 30));
    upsert(3, person("Ann", "Sales", 30));
    assertThat(changes(app.rows("by-org"))).containsExactly("+Sales|" + ANN);
  }

  @Test
  void derivesWithItsStateAfterARestart() {
    upsert(1, person("Ann", "Support", 30, "red"));
    app.rows("by-org");
    app.restart();

    upsert(1, person("Ann", "Support", 30, "red"));
    assertThat(app.rows("by-org")).isEmpty();
    upsert(2, person("Ann", "Sales", 30, "red"));
    assertThat(changes(app.rows("by-org"))).containsExactly("+Sales|" + ANN, "-Support|" + ANN);
    assertThat(app.rows("by-tag-and-age")).isEmpty();
  }

  @Test
  void purgesDeletionTombstonesOfThePast() {
    app.send(bytes("old"), app.people.delete(1), TopologyHarness.START);
    app.send(bytes("new"), app.people.delete(1), TopologyHarness.START.plus(Duration.ofDays(17)));
    assertThat(app.state()).containsOnlyKeys("old", "new");

    app.passTime(Duration.ofDays(17));

    assertThat(app.state()).containsOnlyKeys("new");
    assertThat(app.metrics.recordSet("people").purged()).isEqualTo(1);
  }

  private static byte[] bytes(String text) {
    return TopologyHarness.bytes(text);
  }

  @Test
  void neverWritesRecordValuesIntoReasons() {
    byte[] event = app.people.upsert(1, person("secret-name", "Support", 30));
    byte[] cut = Arrays.copyOf(event, event.length - 9);

    app.send(ANN, cut);

    assertThat(app.deadLetters().get(0).value().get("reason").toString())
        .doesNotContain("secret-name");
  }
}
