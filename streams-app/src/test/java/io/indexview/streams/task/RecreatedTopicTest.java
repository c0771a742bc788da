package io.indexview.streams.task;

import static io.indexview.streams.People.person;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.Op;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.KeyScope;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.streams.People;
import io.indexview.streams.state.InMemoryEntries;
import io.indexview.streams.task.TaskServices.TopicIdentity;
import io.indexview.views.definition.ViewGeneration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Offsets of a topic say nothing of those of the one that is created in its place. */
class RecreatedTopicTest {
  private static final int RECORDS = 8;

  private final TaskWorld world = new TaskWorld();
  private final Map<String, GenericRecord> records = new HashMap<>();
  private long sequence;

  private static String key(int i) {
    return "/p/%02d".formatted(i);
  }

  @BeforeEach
  void fill() {
    for (int i = 0; i < RECORDS; i++) {
      records.put(key(i), person("Ann", "org" + i, 30, "red"));
    }
    world.publish(world.people.published(People.generation(People.BY_ORG)));
    // The first topic is longer than the second.
    for (int i = 0; i < 5; i++) {
      tellAll();
    }
    world.settle();
  }

  private void tellAll() {
    sequence++;
    records.forEach((key, person) -> world.event(key, Op.UPDATE, sequence, person));
  }

  private void adHocSnapshot(long begin) {
    tellAll();
    world.adHocSnapshot("store", "0", 1, world.nowMs, begin, world.end());
  }

  private void createAnew() {
    world.createTopicAnew();
    world.topicId = "topic-2";
    world.scannedAt = "topic-2";
    world.sourceStates.clear();
  }

  /** The id that the app is given is still that of the one before. */
  private void createAnewUnnoticed() {
    String before = world.topicId;
    createAnew();
    world.topicId = before;
  }

  private void askForReplay() {
    world.publish(
        world.people.published(
            People.generation(People.BY_ORG, 2, People.RECORD_SET),
            BuildMode.REPLAY,
            ++world.nowMs));
  }

  private void assertExact(int generation) {
    ViewGeneration view = People.generation(People.BY_ORG, generation, People.RECORD_SET);
    assertThat(PublishedRows.of(world, view).rows())
        .isEqualTo(PublishedRows.expected(view, records, new ArrayList<>()));
  }

  private long deleted() {
    return world.metrics.recordSet("people").unnamed();
  }

  @Test
  void isReplayedWithoutThePurgesOfTheOneBefore() {
    adHocSnapshot(world.end());
    world.settle();
    createAnew();
    world.restart(new InMemoryEntries());
    tellAll();
    world.settle();
    askForReplay();
    world.settle();

    assertExact(1);
    assertExact(2);
    assertThat(world.rememberedSnapshots()).isEmpty();
  }

  @Test
  void isNotReplayedForWhoAskedForTheOneBefore() {
    askForReplay();
    world.poll();
    world.work(2);
    createAnew();
    world.settle();

    assertThat(world.report("by-org", 2).phase()).isEqualTo(TaskProgress.Phase.FAILED);
    assertThat(world.report("by-org", 2).reason()).contains("created anew", "ad-hoc snapshot");
    assertExact(1);
  }

  @Test
  void isNotReplayedBeforeAnEventOfItCame() {
    askForReplay();
    createAnew();
    world.settle();

    assertThat(world.report("by-org", 2).phase()).isEqualTo(TaskProgress.Phase.FAILED);
    assertThat(world.report("by-org", 2).reason()).contains("created anew", "ad-hoc snapshot");
    assertExact(1);
  }

  @Test
  void isNotReplayedForWhoAskedForTheOneBeforeThoughOnlyTheNextStartNotices() {
    askForReplay();
    world.poll();
    world.work(2);
    world.commit();
    createAnew();
    world.crash();
    tellAll();
    world.settle();

    assertThat(world.report("by-org", 2).phase()).isEqualTo(TaskProgress.Phase.FAILED);
    assertExact(1);
  }

  @Test
  void isNotPurgedForTheOneBefore() {
    adHocSnapshot(world.end());
    world.processAll();
    world.commit();
    world.poll();
    world.work(1);
    world.commit();
    createAnew();
    world.restart(new InMemoryEntries());
    tellAll();
    world.settle();

    assertThat(deleted()).isZero();
    assertExact(1);
  }

  @Test
  void isNotPurgedForTheOneBeforeThoughNobodyHasNoticedYet() {
    String before = world.topicId;
    adHocSnapshot(world.end());
    world.processAll();
    world.commit();
    world.poll();
    createAnew();
    world.topicId = before;
    tellAll();
    world.processAll();

    assertThat(world.work(RECORDS)).isFalse();
    world.topicId = "topic-2";
    world.settle();
    assertThat(deleted()).isZero();
    assertExact(1);
  }

  @Test
  void purgesWhatOnlyTheOneBeforeHad() {
    createAnew();
    world.restart(new InMemoryEntries());
    records.remove(key(2));
    adHocSnapshot(0);
    world.settle();

    assertThat(deleted()).isEqualTo(1);
    assertExact(1);
    world.crash();
    records.remove(key(3));
    adHocSnapshot(world.end());
    world.settle();
    assertExact(1);
  }

  @Test
  void purgesWhatOnlyTheOneBeforeHadThoughTheAppWentOnMeanwhile() {
    createAnew();
    world.poll();
    records.remove(key(2));
    adHocSnapshot(0);
    world.settle();

    assertThat(deleted()).isEqualTo(1);
    assertExact(1);
  }

  @Test
  void purgesWhatOnlyTheOneBeforeHadWhereNothingComes() {
    createAnew();
    world.crash();
    records.clear();
    adHocSnapshot(0);
    world.settle();

    assertThat(deleted()).isEqualTo(RECORDS);
    assertExact(1);
  }

  @Test
  void waitsForTheNextEventWhereNothingComesSinceItNoticed() {
    createAnew();
    world.poll();
    records.clear();
    adHocSnapshot(0);
    world.publish(
        world.people.published(
            People.generation(People.BY_ORG, 2, People.RECORD_SET), BuildMode.SNAPSHOT, 1));
    world.settle();
    assertThat(deleted()).isZero();
    assertThat(world.report("by-org", 2).reason())
        .contains("created anew", "partition 3", "next event", "once more");

    records.put(key(2), person("Ann", "org2", 30, "red"));
    tellAll();
    world.settle();
    assertThat(deleted()).isEqualTo(RECORDS - 1);
    assertExact(1);
    assertExact(2);
  }

  @Test
  void wantsAnotherAdHocSnapshotIfItMistookWhatCameAfterAnEmptyOne() {
    createAnewUnnoticed();
    records.clear();
    adHocSnapshot(0);
    records.put(key(2), person("Ann", "org2", 30, "red"));
    tellAll();
    world.processAll();
    world.commit();
    world.topicId = "topic-2";
    world.settle();
    assertThat(deleted()).isZero();

    adHocSnapshot(world.end());
    world.settle();
    assertThat(deleted()).isEqualTo(RECORDS - 1);
    assertExact(1);
  }

  @Test
  void purgesThoughOffsetsAreMissingSinceItNoticed() {
    createAnewUnnoticed();
    tellAll();
    world.processAll();
    world.commit();
    world.topicId = "topic-2";
    world.poll();
    long begin = world.end();
    world.missed(key(2), Op.UPDATE, ++sequence, records.remove(key(2)));
    adHocSnapshot(begin);
    world.settle();

    assertThat(deleted()).isEqualTo(1);
    assertExact(1);
  }

  @Test
  void wantsAnotherAdHocSnapshotIfItNoticedTooLate() {
    createAnewUnnoticed();
    records.remove(key(2));
    adHocSnapshot(0);
    world.processAll();
    world.commit();
    world.topicId = "topic-2";
    world.publish(
        world.people.published(
            People.generation(People.BY_ORG, 2, People.RECORD_SET), BuildMode.SNAPSHOT, 1));
    world.settle();
    assertThat(deleted()).isZero();
    assertThat(world.report("by-org", 2).reason()).contains("created anew", "once more");

    adHocSnapshot(world.end());
    world.settle();
    assertThat(deleted()).isEqualTo(1);
    assertExact(1);
    assertExact(2);
  }

  @Test
  void purgesWhatOnlyTheOneBeforeHadThoughTheTaskStartsBeforeItsFirstEvent() {
    createAnew();
    world.poll();
    world.commit();
    world.crash();
    records.remove(key(2));
    adHocSnapshot(0);
    world.settle();

    assertThat(deleted()).isEqualTo(1);
    assertExact(1);
  }

  /** An answer that is not here yet is waited for: events would be taken for those of before. */
  @Test
  void isNoticedBeforeItsFirstEventByATaskThatStarts() {
    boolean[] isAnswered = {false};
    world.topics =
        new TopicIdentity() {
          @Override
          public Optional<String> of(String topic) {
            return isAnswered[0] ? now(topic) : Optional.empty();
          }

          @Override
          public Optional<String> now(String topic) {
            return world.idOf(topic);
          }
        };
    createAnew();
    world.crash();
    records.remove(key(2));
    adHocSnapshot(0);
    world.processAll();
    world.commit();
    isAnswered[0] = true;
    world.settle();

    assertThat(deleted()).isEqualTo(1);
    assertExact(1);
  }

  @Test
  void wantsAnotherAdHocSnapshotIfOnlyTheNextStartNotices() {
    createAnewUnnoticed();
    records.remove(key(2));
    adHocSnapshot(0);
    world.processAll();
    world.commit();
    world.topicId = "topic-2";
    world.crash();
    world.settle();
    world.crash();
    world.settle();
    assertThat(deleted()).isZero();

    adHocSnapshot(world.end());
    world.settle();
    assertThat(deleted()).isEqualTo(1);
    assertExact(1);
  }

  @Test
  void isKnownByWhatAnEarlierReleaseRemembered() {
    byte[] remembered = world.memory().get("topic-incarnation");
    world.remember("topic-incarnation", Arrays.copyOf(remembered, remembered.length - 2));
    createAnew();
    world.crash();
    records.remove(key(2));
    adHocSnapshot(0);
    world.settle();

    assertThat(deleted()).isEqualTo(1);
    assertExact(1);
  }

  @Test
  void purgesAlsoWhereAnEarlierReleaseDidNotRememberThatNothingCame() {
    createAnew();
    world.poll();
    world.commit();
    byte[] remembered = world.memory().get("topic-incarnation");
    world.remember("topic-incarnation", Arrays.copyOf(remembered, remembered.length - 2));
    world.crash();
    records.remove(key(2));
    adHocSnapshot(0);
    world.settle();

    assertThat(deleted()).isEqualTo(1);
    assertExact(1);
  }

  @Test
  void remembersOnlyTheNewestSnapshotOnceNoReplayIsPossible() {
    adHocSnapshot(world.end());
    world.settle();
    // One that knows fewer keys does not cover the one before.
    world.scope = new KeyScope(key(1), null);
    adHocSnapshot(world.end());
    world.settle();
    assertThat(world.rememberedSnapshots()).hasSize(2);
    world.topic.begin = 3;
    askForReplay();
    world.settle();

    assertThat(world.rememberedSnapshots()).hasSize(1);
  }

  @Test
  void remembersNoSnapshotThatALaterOneCovers() {
    adHocSnapshot(world.end());
    world.settle();
    assertThat(world.rememberedSnapshots()).hasSize(1);
    for (int i : List.of(1, 2, 3)) {
      records.remove(key(i));
      adHocSnapshot(world.end());
      world.settle();
    }

    assertExact(1);
    assertThat(world.rememberedSnapshots()).hasSize(1);
  }

  @Test
  void losesWhatWasNotReadOfTheOneBeforeIfNobodyScansAgain() {
    world.hasSource = false;
    world.restart(new InMemoryEntries());
    createAnew();
    long createdMs = world.nowMs;
    world.settle();
    world.restart(new InMemoryEntries());
    world.settle();

    assertThat(world.logged(EventsLost.class))
        .singleElement()
        .satisfies(
            loss -> {
              assertThat(loss.ofState()).isFalse();
              assertThat(loss.reason()).contains("deleted and created anew", "had not read");
              assertThat(loss.topicId()).isEqualTo(world.topicId);
              assertThat(loss.foundAtMs()).isBetween(createdMs, world.nowMs);
            });
  }

  /** What is committed before the first report is the new topic's id. */
  @Test
  void losesWhatWasNotReadAlsoIfTheTaskEndsBeforeItTellsOfIt() {
    world.hasSource = false;
    createAnew();
    world.restart(new InMemoryEntries());
    world.commit();
    world.restart(new InMemoryEntries());
    world.settle();

    assertThat(world.logged(EventsLost.class)).hasSize(1);
  }

  @Test
  void losesNothingIfSourcesScanAgain() {
    createAnew();
    world.settle();
    world.hasSource = false;
    world.restart(new InMemoryEntries());
    world.settle();

    assertThat(world.logged(EventsLost.class)).isEmpty();
  }
}
