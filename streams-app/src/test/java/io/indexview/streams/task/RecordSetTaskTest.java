package io.indexview.streams.task;

import static io.indexview.streams.People.person;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.indexview.schemas.change.Op;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.streams.People;
import io.indexview.streams.derive.DeadLetterReason;
import io.indexview.streams.task.TaskWorld.Row;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

class RecordSetTaskTest extends RecordSetTaskScenario {
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
              assertThat(row.revision()).isLessThan(derivedAt);
              assertThat(row.timestampMs()).isLessThan(derivedAt);
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
    world.scanned = 0;
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
  void countsARecordThatCannotBeDerivedAndSendsOneDeadLetter() {
    fill();
    upsert(3, 2, person("Ann", "Support", 30, "a", "b", "c", "d", "e", "f"));
    publish(People.BY_TAG_AND_AGE, 1);
    world.settle();

    assertExact(People.BY_TAG_AND_AGE, 1);
    assertThat(world.report("by-tag-and-age", 1).failedRecords()).isEqualTo(1);
    assertThat(world.report("by-tag-and-age", 1).reason()).contains("maxRowsPerRecord");
    assertThat(world.metrics.view("by-tag-and-age", 1).figures().failedRecords()).isEqualTo(1);
    assertThat(world.logged(DeadLetterReason.class)).hasSize(1);
    assertThat(world.logged(DeadLetterReason.class).get(0).view()).isEqualTo("by-tag-and-age");

    upsert(3, 3, person("Ann", "Support", 30, "a"));
    world.settle();
    assertExact(People.BY_TAG_AND_AGE, 1);
    assertThat(world.report("by-tag-and-age", 1).failedRecords()).isZero();
    assertThat(world.report("by-tag-and-age", 1).reason()).isEmpty();
  }

  /** A view is not to be called right by whoever sees only that the event is taken in. */
  @Test
  void tellsInTheTransactionOfTheEventThatARecordCannotBeDerivedAnyMore() {
    fill();
    publish(People.BY_TAG_AND_AGE, 1);
    world.settle();
    assertThat(world.report("by-tag-and-age", 1).failedRecords()).isZero();

    upsert(3, 2, person("Ann", "Support", 30, "a", "b", "c", "d", "e", "f"));
    world.commit();

    assertThat(world.report("by-tag-and-age", 1).failedRecords()).isEqualTo(1);
    int reported = world.logged(TaskProgress.class).size();
    upsert(4, 2, person("Bob", "Support", 30, "a", "b", "c", "d", "e", "f"));
    world.commit();
    assertThat(world.logged(TaskProgress.class)).as("one is enough").hasSize(reported);
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
}
