package io.indexview.streams.task;

import static io.indexview.streams.People.person;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.KeyScope;
import io.indexview.schemas.control.PublishedAgain;
import io.indexview.schemas.control.PurgeProgress;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.streams.People;
import io.indexview.streams.task.TaskWorld.Row;
import io.indexview.views.definition.ViewGeneration;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an ad-hoc snapshot did not name is gone. */
class AdHocSnapshotTest {
  private static final int RECORDS = 8;

  private final TaskWorld world = new TaskWorld();
  private final Map<String, GenericRecord> records = new HashMap<>();

  /** Records of other producers. */
  private final Set<String> unnamed = new HashSet<>();

  private static String key(int i) {
    return "/p/%02d".formatted(i);
  }

  @BeforeEach
  void fill() {
    for (int i = 0; i < RECORDS; i++) {
      records.put(key(i), person("Ann", "org" + i, 30, "red", "tag" + i));
      world.event(key(i), Op.UPDATE, 1, records.get(key(i)));
    }
    world.publish(world.people.published(People.generation(People.BY_ORG)));
    world.settle();
  }

  /** The sources publish all records but some. */
  private void publishAgain(int... lost) {
    for (int i : lost) {
      records.remove(key(i));
    }
    records.forEach(
        (key, person) -> {
          if (unnamed.contains(key)) {
            return;
          }
          Origin origin =
              new Origin.SnapshotRead(
                  "s1", People.version("s1", 1).sequence(), Origin.Base.ABSENT, true);
          world.event(
              key.getBytes(StandardCharsets.UTF_8), world.people.event(Op.READ, origin, person));
        });
  }

  /** The source says that it published everything since an offset, and the app takes it in. */
  private void snapshot(long begin) {
    world.adHocSnapshot("store", "0", 1, world.nowMs, begin, world.end());
    world.settle();
  }

  private void assertExact(String yaml) {
    ViewGeneration generation = People.generation(yaml);
    PublishedRows rows = PublishedRows.of(world, generation);
    assertThat(rows.rows())
        .isEqualTo(PublishedRows.expected(generation, records, new ArrayList<>()));
    TaskProgress report = world.report(generation.view(), 1);
    assertThat(report.phase()).isEqualTo(TaskProgress.Phase.BUILT);
    assertThat(report.rows()).isEqualTo(rows.rows().size());
    assertThat(report.keyBytes()).isEqualTo(rows.keyBytes());
  }

  private long deleted() {
    return world.metrics.recordSet("people").unnamed();
  }

  /** On a topic that no source speaks for, changes come without a version. */
  @Test
  void deletesWhatAnOperatorDidNotPublishAgain() {
    world.event(key(3).getBytes(StandardCharsets.UTF_8), new byte[] {1});
    world.event("/p/gone".getBytes(StandardCharsets.UTF_8), new byte[] {1});
    world.settle();
    assertThat(world.report("by-org", 1).failedRecords()).isEqualTo(2);
    final long begin = world.end();
    records.remove(key(2));
    records.forEach(
        (key, person) ->
            world.event(
                key.getBytes(StandardCharsets.UTF_8),
                world.people.event(Op.READ, Origin.Unordered.INSTANCE, person)));
    PublishedAgain reported =
        new PublishedAgain(
            People.TOPIC,
            world.topicId,
            world.nowMs,
            world.nowMs,
            Map.of(TaskWorld.PARTITION, begin),
            Map.of(TaskWorld.PARTITION, world.end()));
    world.sourceStates.put(
        reported.key(),
        new AvroSerializer<GenericRecord>(world.registry, false)
            .serialize("source-states", reported.toAvro()));
    world.event(key(5).getBytes(StandardCharsets.UTF_8), new byte[] {1});
    world.settle();

    assertExact(People.BY_ORG);
    assertThat(deleted()).isEqualTo(1);
    assertThat(world.logged(PurgeProgress.class)).isNotEmpty();
    assertThat(world.report("by-org", 1).failedRecords()).as("after the end").isEqualTo(1);
  }

  @Test
  void deletesWhatWasNotNamed() {
    long begin = world.end();
    publishAgain(2, 5);
    world.adHocSnapshot("store", "0", 1, world.nowMs, begin, world.end());
    int rows = world.logged(Row.class).size();
    world.settle();

    assertExact(People.BY_ORG);
    assertThat(world.logged(Row.class)).hasSize(rows + 2);
    assertThat(deleted()).isEqualTo(2);

    world.event(key(2), Op.UPDATE, 1, person("Ann", "late", 30));
    world.settle();
    assertExact(People.BY_ORG);
    records.put(key(2), person("Ann", "back", 30));
    world.event(key(2), Op.CREATE, 2, records.get(key(2)));
    world.settle();
    assertExact(People.BY_ORG);
  }

  @Test
  void leavesTheRowsOfARecordThatItNamesByAnEventThatCannotBeRead() {
    long begin = world.end();
    GenericRecord known = records.get(key(2));
    publishAgain(2);
    world.event(key(2).getBytes(StandardCharsets.UTF_8), new byte[] {1});
    snapshot(begin);
    records.put(key(2), known);
    assertExact(People.BY_ORG);
    assertThat(world.report("by-org", 1).failedRecords()).isEqualTo(1);
  }

  @Test
  void waitsUntilEveryEventOfItIsProcessedAndCommitted() {
    long begin = world.end();
    publishAgain(2);
    world.adHocSnapshot("store", "0", 1, world.nowMs, begin, world.end());
    world.poll();
    assertThat(world.work(RECORDS)).isFalse();
    world.processAll();
    world.poll();
    assertThat(world.work(RECORDS)).isFalse();
    world.commit();
    world.poll();
    assertThat(world.work(RECORDS)).isTrue();
    assertThat(deleted()).isEqualTo(1);
  }

  @Test
  void keepsWhatIsTouchedMeanwhile() {
    long begin = world.end();
    publishAgain(2, 5);
    world.adHocSnapshot("store", "0", 1, world.nowMs, begin, world.end());
    world.processAll();
    world.commit();
    world.poll();
    records.put(key(5), person("Ann", "new", 30));
    world.event(key(5), Op.UPDATE, 2, records.get(key(5)));
    world.processAll();
    world.settle();

    assertExact(People.BY_ORG);
    assertThat(deleted()).isEqualTo(1);
  }

  /** The source's index knows nothing of the record: it takes the late delete of another shard. */
  @Test
  void judgesAnEventAfterItAsTheIndexDoesBeforeTheCleanUpComes() {
    long begin = world.end();
    publishAgain(2, 5);
    world.adHocSnapshot("store", "0", 1, world.nowMs, begin, world.end());
    world.processAll();
    world.commit();
    world.poll();
    reported(key(5), Op.CREATE, "s2", person("Ann", "moved", 30));
    reported(key(5), Op.DELETE, "s1", null);
    reported(key(2), Op.DELETE, "s0", null);
    world.processAll();

    assertThat(world.entry(key(5)).deleted()).isTrue();
    assertThat(world.entry(key(2)).version()).isEqualTo(People.version("s0", 1));
    world.settle();
    assertExact(People.BY_ORG);
  }

  @Test
  void judgesEventsAfterItSoWhenItIsReadBeforeTheEventsThatItFollows() {
    long begin = world.end();
    publishAgain(5);
    long end = world.end();
    reported(key(5), Op.CREATE, "s2", person("Ann", "moved", 30));
    reported(key(5), Op.DELETE, "s1", null);
    world.adHocSnapshot("store", "0", 1, world.nowMs, begin, end);
    world.poll();
    assertThat(world.entry(key(5)).deleted()).isFalse();
    world.commit();
    world.crash();
    world.poll();
    world.settle();

    assertThat(world.entry(key(5)).deleted()).isTrue();
    assertExact(People.BY_ORG);
  }

  private void reported(String key, Op op, String epoch, GenericRecord person) {
    world.event(
        key.getBytes(StandardCharsets.UTF_8),
        world.people.event(op, new Origin.Versioned(People.version(epoch, 1)), person));
  }

  @Test
  void resumesWhereverItIsKilled() {
    long begin = world.end();
    publishAgain(1, 2, 5, 6);
    world.adHocSnapshot("store", "0", 1, world.nowMs, begin, world.end());
    world.processAll();
    world.commit();
    int rows = world.logged(Row.class).size();
    for (int i = 0; i < 20; i++) {
      world.outputsUntilCrash = i % 3;
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

    assertExact(People.BY_ORG);
    assertThat(world.logged(Row.class)).hasSize(rows + 4);
  }

  @Test
  void handlesEachAdHocSnapshotOnce() {
    long begin = world.end();
    long startedAt = world.nowMs;
    publishAgain(2);
    world.adHocSnapshot("store", "0", 1, startedAt, begin, world.end());
    world.settle();
    records.put(key(2), person("Ann", "back", 30));
    world.event(key(2), Op.CREATE, 2, records.get(key(2)));
    world.settle();
    world.crash();
    world.poll();
    assertThat(world.work(1)).isFalse();

    long later = world.end();
    publishAgain(2);
    world.adHocSnapshot("store", "0", 1, startedAt + 1, later, world.end());
    world.settle();
    assertExact(People.BY_ORG);
  }

  @Test
  void goesOnWhileALaterSnapshotIsNotReadYet() {
    long begin = world.end();
    publishAgain(2, 5);
    world.adHocSnapshot("store", "0", 1, world.nowMs, begin, world.end());
    world.processAll();
    world.commit();
    world.poll();
    world.work(4);
    long later = world.end();
    publishAgain();
    world.adHocSnapshot("store", "0", 1, world.nowMs, later, world.end());
    world.poll();
    while (world.work(2)) {
      world.poll();
    }
    world.commit();
    assertThat(deleted()).isEqualTo(2);
    assertThat(world.logged(PurgeProgress.class))
        .last()
        .satisfies(done -> assertThat(done.begins()).containsValue(begin));

    world.settle();
    assertExact(People.BY_ORG);
    assertThat(world.logged(PurgeProgress.class))
        .last()
        .satisfies(done -> assertThat(done.begins()).containsValue(later));
  }

  @Test
  void deletesAlsoWhenAnotherSourceComesBeforeItIsRead() {
    long begin = world.end();
    publishAgain(2);
    world.adHocSnapshot("store", "0", 1, world.nowMs, begin, world.end());
    world.poll();
    world.say("other", "0", 1, Optional.empty());
    world.settle();

    assertThat(deleted()).isEqualTo(1);
    assertExact(People.BY_ORG);
  }

  @Test
  void needsEverySourcePartitionOfEverySource() {
    long begin = world.end();
    publishAgain(2);
    world.say("other", "0", 1, Optional.empty());
    world.adHocSnapshot("store", "0", 2, world.nowMs, begin + 1, world.end());
    world.settle();
    assertThat(deleted()).isZero();
    world.adHocSnapshot("store", "1", 2, world.nowMs, begin, world.end());
    world.settle();
    assertThat(deleted()).isZero();

    world.adHocSnapshot("other", "0", 1, world.nowMs, begin + 2, world.end());
    world.settle();
    assertThat(deleted()).isEqualTo(1);
    assertExact(People.BY_ORG);
  }

  @Test
  void deletesNothingWhileASourceCannotBeUnderstood() {
    world.sourceStates.put("other|" + People.TOPIC + "|0", new byte[] {1});
    long begin = world.end();
    publishAgain(2);
    snapshot(begin);
    assertThat(deleted()).isZero();

    world.sourceStates.remove("other|" + People.TOPIC + "|0");
    world.settle();
    assertExact(People.BY_ORG);
  }

  @Test
  void deletesNothingForOffsetsOfAnEarlierTopicOfTheName() {
    long begin = world.end();
    publishAgain(2);
    world.scannedAt = "topic-0";
    snapshot(begin);
    assertThat(deleted()).isZero();

    world.scannedAt = null;
    snapshot(begin);
    assertThat(deleted()).isZero();

    world.scannedAt = "topic-1";
    world.topicId = null;
    snapshot(begin);
    assertThat(deleted()).isZero();

    world.topicId = "topic-1";
    world.settle();
    assertThat(deleted()).isEqualTo(1);
    assertExact(People.BY_ORG);
  }

  @Test
  void leavesAloneWhatTheSourceDoesNotAnswerFor() {
    for (String key : List.of("/pq", "/other/1", "/p/1.lob", "p/1")) {
      records.put(key, person("Ann", "foreign", 30));
      world.event(key, Op.CREATE, 1, records.get(key));
    }
    world.settle();
    world.scope = new KeyScope("/p", ".lob");
    long begin = world.end();
    List.of("/pq", "/other/1", "/p/1.lob", "p/1").forEach(unnamed::add);
    publishAgain(2);
    snapshot(begin);

    assertThat(deleted()).isEqualTo(1);
    assertExact(People.BY_ORG);
  }

  @Test
  void answersForTheKeysOfAllSourcePartitions() {
    long begin = world.end();
    publishAgain(2, 5);
    world.scope = new KeyScope(key(2), null);
    world.adHocSnapshot("store", "0", 2, world.nowMs, begin, world.end());
    world.scope = new KeyScope(key(5), null);
    world.adHocSnapshot("store", "1", 2, world.nowMs, begin, world.end());
    world.settle();

    assertThat(deleted()).isEqualTo(2);
    assertExact(People.BY_ORG);
  }

  @Test
  void deletesNothingIfTheSourceDoesNotTellItsKeys() {
    world.publish(
        world.people.published(People.generation(People.BY_TAG_AND_AGE), BuildMode.SNAPSHOT));
    long begin = world.end();
    publishAgain(2);
    world.nowMs = Math.max(world.nowMs, People.CREATED_AT + 1);
    world.scope = null;
    snapshot(begin);

    assertThat(deleted()).isZero();
    assertThat(world.report("by-tag-and-age", 1).reason())
        .contains("source store does not tell which keys");
  }

  @Test
  void tellsThatItIsDoneWithTheDeletionsAndAgainAfterARestart() {
    long begin = world.end();
    publishAgain(2);
    world.adHocSnapshot("store", "0", 1, world.nowMs, begin, world.end());
    world.poll();
    world.commit();
    assertThat(world.logged(PurgeProgress.class)).isEmpty();
    world.settle();

    List<PurgeProgress> reported = world.logged(PurgeProgress.class);
    assertThat(reported).hasSize(1);
    assertThat(reported.get(0).key()).isEqualTo("purge|people|3");
    assertThat(reported.get(0).begins()).isEqualTo(Map.of("store|0|/p|", begin));
    world.crash();
    world.poll();
    world.commit();
    assertThat(world.logged(PurgeProgress.class))
        .hasSize(2)
        .allMatch(done -> done.topicId().equals("topic-1"));
  }

  @Test
  void leavesOutSourcePartitionsOfASourceThatWasCutAnew() {
    world.say("store", "old-1", 2, Optional.empty());
    world.nowMs += 30_000;
    long begin = world.end();
    publishAgain(2);
    snapshot(begin);

    assertExact(People.BY_ORG);
  }

  @Test
  void buildsAGenerationOnlyAfterTheAdHocSnapshotThatItWasCreatedAfter() {
    world.publish(
        world.people.published(People.generation(People.BY_TAG_AND_AGE), BuildMode.SNAPSHOT));
    world.settle();
    TaskProgress report = world.report("by-tag-and-age", 1);
    assertThat(report.phase()).isEqualTo(TaskProgress.Phase.BUILDING);
    assertThat(report.done()).isZero();
    assertThat(report.reason()).contains("every source of topic");

    long begin = world.end();
    publishAgain(2);
    world.nowMs = Math.max(world.nowMs, People.CREATED_AT + 1);
    world.adHocSnapshot("store", "0", 1, world.nowMs, begin, world.end());
    world.poll();
    world.commit();
    assertThat(world.report("by-tag-and-age", 1).reason()).contains("ad-hoc snapshot is processed");
    int rows = world.logged(Row.class).size();
    world.settle();

    assertExact(People.BY_TAG_AND_AGE);
    assertExact(People.BY_ORG);
    assertThat(world.logged(Row.class)).hasSize(rows + 1 + 2 * (RECORDS - 1));
  }

  @Test
  void waitsToHearOfTheSourcesSinceAGenerationWasCreated() {
    world.adHocSnapshot("store", "0", 1, world.nowMs, 0, world.end());
    world.settle();
    world.publish(
        world.people.published(People.generation(People.BY_TAG_AND_AGE), BuildMode.SNAPSHOT));
    world.settle();
    assertThat(world.report("by-tag-and-age", 1).reason()).contains("hear of source store");

    world.nowMs = Math.max(world.nowMs, People.CREATED_AT + 1);
    world.adHocSnapshot("store", "0", 1, world.nowMs, 0, world.end());
    world.settle();
    assertExact(People.BY_TAG_AND_AGE);
  }
}
