package io.indexview.streams.task;

import static io.indexview.streams.People.person;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.Op;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.RepairProgress;
import io.indexview.schemas.control.UnexpectedRow;
import io.indexview.schemas.control.ViewRepair;
import io.indexview.schemas.control.ViewRepair.Repaired;
import io.indexview.schemas.fixtures.LogLines;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.schemas.serde.MessageWriter;
import io.indexview.streams.People;
import io.indexview.streams.task.TaskWorld.Row;
import io.indexview.views.layout.UnexpectedRemoval;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RowRepairsTest extends RecordSetTaskScenario {
  private static final String BY_TAG = People.BY_TAG_AND_AGE;
  private PublishedGeneration published;
  private int before;

  @BeforeEach
  void build() {
    world.restored = true;
    fill();
    published = publish(BY_TAG, 1);
    publish(People.BY_ORG, 1);
    world.settle();
    before = world.log.size();
  }

  private void ask(Repaired... records) {
    ask(0, records);
  }

  private void ask(int batch, Repaired... records) {
    world.ask(
        new ViewRepair(published.view(), 1, "v1", "v1-a", batch, 1, List.of(records), List.of()));
  }

  private static Repaired record(int i, byte[]... extraRows) {
    return new Repaired(key(i), 0, List.of(extraRows));
  }

  private List<Row> newRows() {
    return news(Row.class);
  }

  private <T> List<T> news(Class<T> kind) {
    return world.log.subList(before, world.log.size()).stream()
        .filter(kind::isInstance)
        .map(kind::cast)
        .toList();
  }

  private byte[] rowKeyOf(int i) {
    return Stream.of(i)
        .flatMap(unused -> world.logged(Row.class).stream())
        .filter(row -> row.generation().view().equals(published.view()))
        .map(Row::key)
        .filter(key -> new String(key, UTF_8).endsWith(key(i)))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void writesAllRowsOfARecordAnewAndNoOthers() {
    long revision = world.entry(key(4)).revision();

    ask(record(4));
    world.settle();

    assertThat(newRows())
        .hasSize(2)
        .allSatisfy(
            row -> {
              assertThat(row.generation().view()).isEqualTo(published.view());
              assertThat(row.value()).isNotNull();
              assertThat(new String(row.key(), UTF_8)).endsWith(key(4));
              assertThat(row.revision()).isGreaterThan(revision);
            });
    assertThat(world.entry(key(4)).revision()).isEqualTo(newRows().get(0).revision());
    assertThat(news(RepairProgress.class))
        .containsExactly(
            new RepairProgress(
                published.view(),
                1,
                TaskWorld.PARTITION,
                "v1-a",
                0,
                news(RepairProgress.class).get(0).reportedAtMs()));
    assertExact(BY_TAG, 1);
  }

  @Test
  void risesAboveWhateverTheTargetHolds() {
    long planted = world.nowMs * 1_000;

    ask(new Repaired(key(4), planted, List.of()));
    world.settle();

    assertThat(newRows()).isNotEmpty().allMatch(row -> row.revision() == planted + 1);
    upsert(4, 2, person("Ann", "org9", 31, "red"));
    world.settle();
    assertThat(world.entry(key(4)).revision()).isEqualTo(planted + 2);
    assertExact(BY_TAG, 1);
  }

  @Test
  void doesNotFollowARevisionThatNoneCanBeAbove() {
    ask(new Repaired(key(4), Long.MAX_VALUE, List.of()));
    world.settle();

    assertThat(newRows())
        .isNotEmpty()
        .allMatch(row -> row.revision() < OrderGuard.MAX_REVISION_FOUND);
  }

  @Test
  void deletesExtraRowsButNoneThatTheRecordHas() {
    byte[] standing = rowKeyOf(4);
    upsert(4, 2, person("Ann", "org1", 99, "blue"));
    world.settle();
    before = world.log.size();
    byte[] stands =
        world.logged(Row.class).stream()
            .filter(row -> row.value() != null)
            .map(Row::key)
            .filter(key -> new String(key, UTF_8).endsWith(key(4)))
            .filter(key -> new String(key, UTF_8).contains("blue"))
            .findFirst()
            .orElseThrow();

    ask(record(4, standing, stands));
    world.settle();

    assertThat(newRows()).hasSize(2);
    assertThat(newRows().stream().filter(row -> row.value() == null).map(Row::key))
        .containsExactly(standing);
    assertThat(newRows().stream().filter(row -> row.value() != null).map(Row::key))
        .containsExactly(stands);
    assertExact(BY_TAG, 1);
  }

  @Test
  void deletesNoRowOfAnotherRecordOrViewAndNoGarbage() {
    byte[] ofOther = rowKeyOf(5);
    byte[] cut = Arrays.copyOf(rowKeyOf(4), 9);
    byte[] ofView = rowKeyOf(4).clone();
    ofView[4]++;

    ask(record(4, ofOther, cut, ofView, new byte[0]));
    world.settle();

    assertThat(newRows()).hasSize(2).allMatch(row -> row.value() != null);
    assertExact(BY_TAG, 1);
  }

  @Test
  void deletesRowsOfADeletedRecord() {
    byte[] gone = rowKeyOf(4);
    records.remove(key(4));
    world.event(key(4), Op.DELETE, 2, null);
    world.settle();
    before = world.log.size();

    ask(record(4, gone));
    world.settle();

    assertThat(newRows()).singleElement().satisfies(row -> assertThat(row.key()).isEqualTo(gone));
    assertThat(newRows().get(0).value()).isNull();
    assertThat(newRows().get(0).revision()).isEqualTo(world.entry(key(4)).revision());
    assertExact(BY_TAG, 1);
  }

  @Test
  void leavesAloneWhatItDoesNotKnow() {
    ask(new Repaired("/p/of-another-task", 0, List.of(rowKeyOf(4))));
    world.settle();

    assertThat(newRows()).isEmpty();
    assertThat(news(RepairProgress.class)).hasSize(1);
    assertThat(world.entry("/p/of-another-task")).isNull();
  }

  private byte[] rowKeyOf(String primaryKey) {
    byte[] key = rowKeyOf(4).clone();
    byte[] owner = key(4).getBytes(UTF_8);
    byte[] other = primaryKey.getBytes(UTF_8);
    assertThat(other).hasSameSizeAs(owner);
    System.arraycopy(other, 0, key, key.length - other.length, other.length);
    return key;
  }

  @Test
  void removesRowsOfARecordThatNobodyKnows() {
    String nobody = key(4).replace('4', 'x');
    long planted = world.nowMs + 3_600_000;
    byte[] row = rowKeyOf(nobody);

    ask(new Repaired(nobody, planted, List.of(row, rowKeyOf(4))));
    world.settle();

    assertThat(newRows())
        .singleElement()
        .satisfies(
            removed -> {
              assertThat(removed.key()).isEqualTo(row);
              assertThat(removed.value()).isNull();
              assertThat(removed.revision()).isEqualTo(planted + 1);
            });
    assertThat(world.entry(nobody).deleted()).isTrue();

    before = world.log.size();
    records.put(nobody, person("Ann", "org1", 30, "red"));
    world.event(nobody, Op.UPDATE, 1, person("Ann", "org1", 30, "red"));
    world.settle();
    assertThat(newRows()).isNotEmpty().allMatch(added -> added.revision() > planted + 1);
    assertExact(BY_TAG, 1);
  }

  @Test
  void leavesRowsOfNobodyThatMayBeOfAnotherTask() {
    String nobody = key(4).replace('4', 'x');
    for (int partitions : new int[] {0, 2}) {
      world.ask(
          new ViewRepair(
              published.view(),
              1,
              "v" + partitions,
              "try",
              0,
              partitions,
              List.of(new Repaired(nobody, 0, List.of(rowKeyOf(nobody)))),
              List.of()));
    }
    world.settle();

    assertThat(newRows()).isEmpty();
    assertThat(news(RepairProgress.class)).hasSize(2);
    assertThat(world.entry(nobody)).isNull();
  }

  /** Each batch by another task, and each once. */
  @Test
  void tellsTheSinkWhatIsUnexpectedIfTheBatchIsItsOwn() throws Exception {
    List<UnexpectedRow> unexpected = List.of(new UnexpectedRow("/IDX/x", "00ff"));
    for (int batch = 0; batch < 8; batch++) {
      world.ask(new ViewRepair(published.view(), 1, "v1", "try", batch, 4, List.of(), unexpected));
    }
    world.settle();

    assertThat(news(RepairProgress.class)).hasSize(8);
    assertThat(newRows())
        .as("batches 3 and 7")
        .hasSize(8 / 4)
        .allSatisfy(
            row -> {
              assertThat(row.value()).isNull();
              GenericRecord command =
                  new AvroDeserializer(world.registry, ControlSchemas.VIEW_TOPIC_CONTROL)
                      .deserialize("commands", row.key());
              assertThat(command.get("command").toString()).isEqualTo(UnexpectedRemoval.COMMAND);
              UnexpectedRemoval sent =
                  UnexpectedRemoval.fromJson(command.get("description").toString());
              assertThat(sent.rows()).isEqualTo(unexpected);
              assertThat(sent.generation().view()).isEqualTo(published.view());
            });
    assertThat(TaskWorld.PARTITION).isEqualTo(3);
  }

  @Test
  void tellsOfAnOutageAfterOneInWhichARepairWasWithdrawn() {
    List<UnexpectedRow> unexpected = List.of(new UnexpectedRow("/IDX/x", "00ff"));
    try (LogLines log = LogLines.of(RegistryRetry.class)) {
      for (int outage = 0; outage < 2; outage++) {
        world.registry.readOnly.set(false);
        world.ask(new ViewRepair(published.view(), 1, "v1", "try", 3, 4, List.of(), unexpected));
        world.registry.readOnly.set(true);
        for (int poll = 0; poll < 100; poll++) {
          world.poll();
          world.work(1);
        }
        world.repairs.clear();
        world.poll();
        world.work(1);
        world.nowMs += RegistryRetry.PAUSE.toMillis();
      }

      assertThat(log.get())
          .hasSize(2)
          .allSatisfy(
              line ->
                  assertThat(line).contains("waits for the schema registry to report a repair"));
    }
  }

  @Test
  void saysNothingOfAGenerationThatItDoesNotWrite() {
    world.ask(
        new ViewRepair(published.view(), 7, "v1", "v1-a", 0, 1, List.of(record(4)), List.of()));
    world.settle();

    assertThat(newRows()).isEmpty();
    assertThat(news(RepairProgress.class)).isEmpty();
  }

  @Test
  void findsRecordsWithFramedKeysByTheirText() {
    TaskWorld framed = new TaskWorld();
    framed.restored = true;
    MessageWriter keys = new MessageWriter(framed.registry, true);
    Schema text = Schema.create(Schema.Type.STRING);
    for (int i = 0; i < RECORDS; i++) {
      framed.event(
          keys.write(People.TOPIC, text, "k" + i),
          framed.people.upsert(1, person("Ann", "org1", 30, "red")));
    }
    framed.publish(framed.people.published(People.generation(BY_TAG, 1, People.RECORD_SET)));
    framed.settle();
    int built = framed.log.size();

    framed.ask(
        new ViewRepair(
            published.view(),
            1,
            "v1",
            "v1-a",
            0,
            1,
            List.of(
                new Repaired("k4", 0, List.of()),
                new Repaired("k8", 0, List.of()),
                new Repaired("unknown", 0, List.of())),
            List.of()));
    framed.settle();

    assertThat(framed.log.subList(built, framed.log.size()).stream().filter(Row.class::isInstance))
        .hasSize(2);
    assertThat(framed.logged(RepairProgress.class)).hasSize(1);
  }

  /** Its rows would stay if the record went before the build came by. */
  @Test
  void leavesRecordsThatAreNotBuiltToTheBuild() {
    PublishedGeneration next = publish(BY_TAG, 2);
    world.poll();
    world.work(1);

    world.ask(new ViewRepair(next.view(), 2, "v1", "v1-a", 0, 1, List.of(record(9)), List.of()));
    world.poll();
    world.work(1);
    world.commit();

    assertThat(newRows()).allMatch(row -> new String(row.key(), UTF_8).endsWith(key(0)));
    records.remove(key(9));
    world.event(key(9), Op.DELETE, 2, null);
    world.settle();
    assertExact(BY_TAG, 2);
  }

  @Test
  void beginsAgainAfterItWasKilled() {
    ask(record(3), record(4), record(5));
    world.poll();
    world.work(2);
    world.crash();
    world.settle();

    assertThat(newRows()).hasSize(6);
    assertThat(news(RepairProgress.class)).hasSize(1);
    assertExact(BY_TAG, 1);
  }

  @Test
  void finishedBatchesAreNotRepeatedAfterARestart() {
    ask(0, record(3));
    ask(1, record(4));
    world.settle();
    assertThat(news(RepairProgress.class)).extracting(RepairProgress::batch).containsExactly(0, 1);
    before = world.log.size();

    world.repairs.clear();
    world.crash();
    world.settle();

    assertThat(newRows()).isEmpty();
    assertThat(news(RepairProgress.class)).isEmpty();
  }

  @Test
  void passesOverWhatCannotBeRead() {
    world.repairs.put("by-org|v|0", new byte[] {1, 2, 3});
    ask(record(4));
    world.settle();

    assertThat(newRows()).hasSize(2);
  }
}
