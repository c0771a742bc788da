package io.indexview.streams.task;

import static io.indexview.streams.People.person;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.indexview.schemas.change.Op;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.streams.People;
import io.indexview.streams.derive.Problem;
import io.indexview.streams.task.TaskWorld.Row;
import io.indexview.views.definition.ViewGeneration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

class RecordSetTaskTest {
  private static final int RECORDS = 10;

  private final TaskWorld world = new TaskWorld();
  private final Map<String, GenericRecord> records = new HashMap<>();

  private static String key(int i) {
    return "/p/%02d".formatted(i);
  }

  private void upsert(int i, long sequence, GenericRecord person) {
    records.put(key(i), person);
    world.event(key(i), Op.UPDATE, sequence, person);
    world.processAll();
  }

  private void fill() {
    for (int i = 0; i < RECORDS; i++) {
      upsert(i, 1, person("Ann", "org" + i % 3, 30, "red", "tag" + i));
    }
    world.poll();
    world.commit();
  }

  private PublishedGeneration publish(String yaml, int number) {
    PublishedGeneration generation =
        world.people.published(People.generation(yaml, number, People.RECORD_SET));
    world.publish(generation);
    return generation;
  }

  private void assertExact(String yaml, int number) {
    ViewGeneration generation = People.generation(yaml, number, People.RECORD_SET);
    List<String> failed = new ArrayList<>();
    PublishedRows rows = PublishedRows.of(world, generation);
    assertThat(rows.rows()).isEqualTo(PublishedRows.expected(generation, records, failed));
    TaskProgress report = world.report(generation.view(), number);
    assertThat(report.phase()).isEqualTo(TaskProgress.Phase.BUILT);
    assertThat(report.partition()).isEqualTo(TaskWorld.PARTITION);
    assertThat(report.done()).isEqualTo(report.estimated());
    assertThat(report.rows()).isEqualTo(rows.rows().size());
    assertThat(report.keyBytes()).isEqualTo(rows.keyBytes());
    assertThat(report.failedRecords()).isEqualTo(failed.size());
  }

  private List<String> emittedKeys() {
    return world.logged(Row.class).stream().map(row -> new String(row.key())).toList();
  }

  @Test
  void buildsAViewFromRecordsThatWereThereBefore() {
    fill();
    long derivedAt = world.nowMs;
    publish(People.BY_ORG, 1);
    world.settle();

    assertExact(People.BY_ORG, 1);
    assertThat(world.report("by-org", 1).done()).isEqualTo(RECORDS);
    assertThat(world.logged(Row.class))
        .hasSize(RECORDS)
        .allSatisfy(
            row -> {
              assertThat(row.stamp().revision()).isLessThan(derivedAt);
              assertThat(row.stamp().timestampMs()).isLessThan(derivedAt);
            });
  }

  @Test
  void leavesDeletedRecordsOut() {
    fill();
    world.event(key(4), Op.DELETE, 2, null);
    records.remove(key(4));
    world.processAll();
    publish(People.BY_ORG, 1);
    world.settle();

    assertExact(People.BY_ORG, 1);
    assertThat(world.report("by-org", 1).done()).isEqualTo(RECORDS - 1);
  }

  @Test
  void resumesExactlyWhereverItIsKilled() {
    fill();
    publish(People.BY_ORG, 1);
    publish(People.BY_TAG_AND_AGE, 1);
    // Two rows, or three, and two reports for each record: some kills come while nothing is built.
    for (int outputs = 0; outputs < 4 * RECORDS; outputs++) {
      world.outputsUntilCrash = outputs % 7;
      try {
        world.poll();
        world.work(2);
        world.commit();
      } catch (CrashException e) {
        world.crash();
      }
    }
    world.outputsUntilCrash = -1;
    world.settle();

    assertExact(People.BY_ORG, 1);
    assertExact(People.BY_TAG_AND_AGE, 1);
    assertThat(world.report("by-org", 1).done()).isEqualTo(RECORDS);
    assertThat(emittedKeys()).doesNotHaveDuplicates();
  }

  @Test
  void leavesRecordsThatTheBuildHasNotReachedToIt() {
    fill();
    publish(People.BY_ORG, 1);
    world.poll();
    world.work(5);
    world.commit();
    assertThat(world.logged(Row.class)).hasSize(5);

    upsert(4, 2, person("Ann", "moved", 30));
    upsert(5, 2, person("Ann", "moved", 30));
    world.commit();
    assertThat(world.logged(Row.class)).hasSize(7);

    world.settle();
    assertThat(world.logged(Row.class)).hasSize(12);
    assertExact(People.BY_ORG, 1);
  }

  @Test
  void walksOnceForBuildsThatBeginTogether() {
    fill();
    publish(People.BY_ORG, 1);
    publish(People.BY_TAG_AND_AGE, 1);
    world.settle();

    assertThat(world.scanned).isEqualTo(RECORDS);
    assertExact(People.BY_ORG, 1);
    assertExact(People.BY_TAG_AND_AGE, 1);
  }

  @Test
  void finishesABuildBeforeItBeginsALaterOne() {
    fill();
    publish(People.BY_ORG, 1);
    world.poll();
    world.work(2);
    publish(People.BY_ORG, 2);
    world.poll();
    world.work(RECORDS);
    world.commit();

    assertExact(People.BY_ORG, 1);
    assertThat(world.report("by-org", 2).done()).isZero();
    assertThat(world.report("by-org", 2).estimated()).isEqualTo(RECORDS);
    world.settle();
    assertExact(People.BY_ORG, 2);
  }

  @Test
  void countsARecordThatCannotBeDerivedAndSendsOneLetter() {
    fill();
    upsert(3, 2, person("Ann", "Support", 30, "a", "b", "c", "d", "e", "f"));
    publish(People.BY_TAG_AND_AGE, 1);
    world.settle();

    assertExact(People.BY_TAG_AND_AGE, 1);
    assertThat(world.report("by-tag-and-age", 1).failedRecords()).isEqualTo(1);
    assertThat(world.report("by-tag-and-age", 1).reason()).contains("maxRowsPerRecord");
    assertThat(world.metrics.view("by-tag-and-age", 1).figures().failedRecords()).isEqualTo(1);
    assertThat(world.logged(Problem.class)).hasSize(1);
    assertThat(world.logged(Problem.class).get(0).view()).isEqualTo("by-tag-and-age");

    upsert(3, 3, person("Ann", "Support", 30, "a"));
    world.settle();
    assertExact(People.BY_TAG_AND_AGE, 1);
    assertThat(world.report("by-tag-and-age", 1).failedRecords()).isZero();
    assertThat(world.report("by-tag-and-age", 1).reason()).isEmpty();
  }

  @Test
  void printsFramedKeysAsEventsDo() {
    Schema schema = SchemaBuilder.record("Key").fields().requiredString("id").endRecord();
    GenericRecord id = new GenericData.Record(schema);
    id.put("id", "a/1");
    byte[] framed =
        new AvroSerializer<GenericRecord>(world.registry, true).serialize(People.TOPIC, id);
    world.event(framed, world.people.upsert(1, person("Ann", "Support", 30)));
    records.put("a/1", person("Ann", "Support", 30));
    world.processAll();
    publish(People.BY_ORG, 1);
    world.settle();

    assertExact(People.BY_ORG, 1);
  }

  @Test
  void stopsForEver() {
    fill();
    PublishedGeneration generation = publish(People.BY_ORG, 1);
    world.settle();
    int rows = world.logged(Row.class).size();
    world.publish(generation.toStopped());
    world.settle();

    assertThat(world.report("by-org", 1).phase()).isEqualTo(TaskProgress.Phase.STOPPED);
    assertThat(world.metrics.view("by-org", 1).figures().rows()).isZero();

    upsert(1, 2, person("Ann", "moved", 30));
    world.settle();
    assertThat(world.logged(Row.class)).hasSize(rows);
  }

  @Test
  void saysAgainAfterARestartThatItHasStopped() {
    world.publish(publish(People.BY_ORG, 1).toStopped());
    world.settle();
    world.log.clear();
    world.crash();
    world.settle();

    assertThat(world.report("by-org", 1).phase()).isEqualTo(TaskProgress.Phase.STOPPED);
  }

  @Test
  void neverWritesAStoppedGenerationOnAnInstanceThatLearnsOfTheStopLater() {
    fill();
    PublishedGeneration first = publish(People.BY_ORG, 1);
    world.settle();
    Map<String, byte[]> early = Map.copyOf(world.generations);
    PublishedGeneration second = publish(People.BY_ORG, 2);
    world.settle();
    world.publish(first.toStopped());
    world.publish(second.toStopped());
    world.settle();
    world.generations.remove(first.key());
    world.settle();
    world.generations.remove(second.key());
    world.settle();
    int rows = world.logged(Row.class).size();

    world.generations.putAll(early);
    world.crash();
    world.settle();

    assertThat(world.logged(Row.class)).hasSize(rows);
    assertThat(world.report("by-org", 1).phase()).isEqualTo(TaskProgress.Phase.STOPPED);
  }

  @Test
  void keepsRowsUpToDateOnAnInstanceThatLearnsOfTheGenerationLater() {
    fill();
    publish(People.BY_ORG, 1);
    world.settle();
    world.generations.clear();
    world.crash();
    upsert(1, 2, person("Ann", "moved", 30));
    world.settle();

    assertExact(People.BY_ORG, 1);
  }

  @Test
  void forgetsAGenerationThatIsGone() {
    fill();
    PublishedGeneration generation = publish(People.BY_ORG, 1);
    world.settle();
    world.log.clear();
    world.generations.remove(generation.key());
    world.settle();
    upsert(1, 2, person("Ann", "moved", 30));
    world.settle();

    assertThat(world.log).isEmpty();
  }

  @Test
  void reportsWhatItCannotReadAndGoesOnWithTheOthers() {
    fill();
    world.generations.put("broken|3", new byte[] {0, 0, 0, 0, 99, 1});
    world.generations.put("no generation", new byte[0]);
    PublishedGeneration fine = world.people.published(People.generation(People.BY_TAG_AND_AGE));
    world.publish(
        new PublishedGeneration(
            "lost",
            7,
            fine.definition(),
            fine.recordSet(),
            fine.sourceTopic(),
            fine.viewTopic(),
            new PublishedGeneration.SchemaIds(1, 4711, 1),
            1,
            1,
            fine.build(),
            false));
    publish(People.BY_ORG, 1);
    world.settle();

    assertExact(People.BY_ORG, 1);
    TaskProgress broken = world.report("broken", 3);
    assertThat(broken.phase()).isEqualTo(TaskProgress.Phase.FAILED);
    assertThat(broken.reason()).contains("99");
    assertThat(world.report("lost", 7).phase()).isEqualTo(TaskProgress.Phase.FAILED);
    assertThat(world.report("lost", 7).reason()).contains("4711");

    world.generations.put("broken|3", world.generations.get("by-org|1"));
    world.settle();
    assertThat(world.report("broken", 3).reason()).contains("under another name");
  }

  @Test
  void ignoresGenerationsOfOtherRecordSets() {
    PublishedGeneration other = world.people.published(People.generation(People.BY_ORG));
    world.publish(
        new PublishedGeneration(
            other.view(),
            other.generation(),
            other.definition(),
            "files",
            other.sourceTopic(),
            other.viewTopic(),
            other.schemas(),
            1,
            1,
            other.build(),
            false));
    fill();
    world.settle();

    assertThat(world.log).isEmpty();
  }

  @Test
  void goesOnWithEventsWhileTheRegistryIsAway() {
    fill();
    publish(People.BY_ORG, 1);
    world.settle();
    publish(People.BY_TAG_AND_AGE, 1);
    world.registry.down.set(true);
    world.poll();
    int asked = world.registry.refused.get();
    assertThat(asked).isPositive();
    upsert(1, 2, person("Ann", "moved", 30, "red"));
    world.poll();
    assertThat(world.registry.refused).hasValue(asked);
    world.commit();
    assertThat(world.logged(Row.class)).hasSize(RECORDS + 2);

    world.registry.down.set(false);
    world.settle();
    world.settle();
    assertExact(People.BY_ORG, 1);
    assertExact(People.BY_TAG_AND_AGE, 1);
  }

  @Test
  void cannotGoOnWithAGenerationWhoseSchemaIsLostWhileItWasAway() {
    fill();
    publish(People.BY_ORG, 1);
    world.settle();
    world.registry.lost.set(true);
    world.crash();
    upsert(1, 2, person("Ann", "moved", 30));
    world.settle();
    assertThat(world.report("by-org", 1).phase()).isEqualTo(TaskProgress.Phase.FAILED);
    int rows = world.logged(Row.class).size();

    // It has missed a change.
    world.registry.lost.set(false);
    world.crash();
    upsert(2, 2, person("Ann", "moved", 30));
    world.settle();
    assertThat(world.report("by-org", 1).phase()).isEqualTo(TaskProgress.Phase.FAILED);
    assertThat(world.logged(Row.class)).hasSize(rows);
  }

  @Test
  void reportsPhasesAtOnceAndFiguresNowAndThen() {
    fill();
    publish(People.BY_ORG, 1);
    world.poll();
    for (int i = 0; i < 6; i++) {
      world.work(1);
      world.poll();
    }
    world.work(RECORDS);
    world.commit();

    assertThat(world.logged(TaskProgress.class))
        .extracting(TaskProgress::phase, TaskProgress::done)
        .containsExactly(
            tuple(TaskProgress.Phase.BUILDING, 0L),
            tuple(TaskProgress.Phase.BUILDING, 5L),
            tuple(TaskProgress.Phase.BUILT, 10L));
  }

  @Test
  void buildsFromTheChangelogWhenItWasRestored() {
    fill();
    world.publish(world.people.published(People.generation(People.BY_ORG), BuildMode.CHANGELOG));
    world.settle();
    assertThat(world.logged(Row.class)).isEmpty();
    assertThat(world.report("by-org", 1).reason()).isEqualTo("waits for the changelog");

    world.restored = true;
    world.crash();
    world.settle();
    assertExact(People.BY_ORG, 1);
  }

  @Test
  void refusesModesThatItDoesNotKnow() {
    world.publish(world.people.published(People.generation(People.BY_ORG), BuildMode.REPLAY));
    world.settle();

    assertThat(world.report("by-org", 1).phase()).isEqualTo(TaskProgress.Phase.FAILED);
  }

  @Test
  void failsWhenWhatItRemembersWasWrittenByANewerRelease() {
    world.remember("state|by-org|1", new byte[] {9});

    assertThatThrownBy(world::crash).hasMessageContaining("format 9");
  }
}
