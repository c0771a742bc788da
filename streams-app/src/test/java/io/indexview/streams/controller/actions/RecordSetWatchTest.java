package io.indexview.streams.controller.actions;

import static io.indexview.streams.controller.actions.Installation.APP;
import static io.indexview.streams.controller.actions.Installation.MEMORY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.PublishedAgain;
import io.indexview.schemas.control.PurgeProgress;
import io.indexview.schemas.control.SourceRequest;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.streams.People;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;

class RecordSetWatchTest {
  private static final ActionRunner.Factory NO_ACTIONS =
      new ActionRunner.Factory() {
        @Override
        public Activity begin(Action action) {
          throw new AssertionError("nobody wants anything");
        }

        @Override
        public void keep(Collection<Action> wanted) {
          assertThat(wanted).isEmpty();
        }
      };

  private static final long LATER = Installation.NOW_MS + 3_600_000;

  private final Installation all = new Installation();
  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();

  private void trimmed() {
    for (int i = 0; i < 5; i++) {
      all.log.add(People.TOPIC, 0, "k", "v");
    }
    all.log.trim(People.TOPIC, 0, 3);
  }

  private List<Finding> atStart() {
    List<Finding> found = new ArrayList<>();
    RecordSetWatch.tellLostAtStart(all.context(), registry, lost -> found.add(broken(lost)));
    return found;
  }

  private static Finding broken(EventsLost lost) {
    return new Finding.RecordSetBroken(lost.recordSet(), lost.foundAtMs(), lost.reason());
  }

  /** But for what every watch tells once after it began: nothing hinders the record set. */
  private List<Finding> findings() {
    return all.findings.stream().filter(finding -> !finding.equals(hindered(""))).toList();
  }

  private static Finding hindered(String reason) {
    return new Finding.RecordSetHindered("people", reason);
  }

  private RecordSetWatch watch() {
    return RecordSetWatch.all(all.context(), registry).get(0);
  }

  private static void assertBroken(List<Finding> findings) {
    assertThat(findings)
        .singleElement()
        .isInstanceOfSatisfying(
            Finding.RecordSetBroken.class,
            broken -> {
              assertThat(broken.recordSet()).isEqualTo("people");
              assertThat(broken.sinceMs())
                  .isBetween(Installation.NOW_MS, Installation.NOW_MS + 1_000);
              assertThat(broken.reason()).contains("partitions [0] of topic " + People.TOPIC);
            });
  }

  @Test
  void findsNothingLostWhereEverythingWasRead() {
    trimmed();
    all.log.commit(APP, People.TOPIC, 0, 3);

    assertThat(atStart()).isEmpty();
  }

  @Test
  void tellsWhatWasTrimmedWhileTheAppDidNotRun() {
    trimmed();
    all.log.commit(APP, People.TOPIC, 0, 2);

    assertBroken(atStart());
  }

  @Test
  void tellsThatTheMemoryOfWhatWasProcessedIsGone() {
    all.log.add(People.TOPIC, 0, "k", "v");
    all.log.commit(APP, People.TOPIC, 0, 1);
    assertThat(atStart()).as("remembered").isEmpty();

    all.createTopic(MEMORY, 2);
    all.log.add(MEMORY, 1, "k", "v");
    assertForgotten(atStart());
    all.cluster.delete(MEMORY);
    assertForgotten(atStart());
  }

  @Test
  void tellsThatTheMemoryOfATaskThatReportedIsGoneWithItsOffsets() {
    all.progress.put("task|people|1|by-org|1", Optional.empty());
    all.log.add(MEMORY, 1, "k", "v");
    assertThat(atStart()).as("remembered").isEmpty();

    all.createTopic(MEMORY, 2);
    assertForgotten(atStart());
  }

  @Test
  void believesOneBrokerAloneNotThatItsMemoryIsGone() {
    all.log.commit(APP, People.TOPIC, 1, 3);
    all.cluster.unheard.add(MEMORY);
    assertThatThrownBy(this::atStart).isInstanceOf(UnknownTopicOrPartitionException.class);
  }

  @Test
  void isNotHeldUpByAnotherRecordSetWhoseTopicDoesNotAnswer() {
    String cars = "indexview.changes.cars";
    all.set("record.sets", "people,cars");
    all.createTopic(cars, 2);
    all.log.remove(cars);
    trimmed();
    all.log.commit(APP, People.TOPIC, 0, 2);
    ActionRunner runner =
        new ActionRunner(
            NO_ACTIONS,
            all.context().time(),
            List.copyOf(RecordSetWatch.all(all.context(), registry)));

    runner.run(Map.of(), all.findings);

    assertBroken(findings());
  }

  private static void assertForgotten(List<Finding> findings) {
    assertThat(findings)
        .singleElement()
        .isInstanceOfSatisfying(
            Finding.RecordSetBroken.class,
            broken -> assertThat(broken.reason()).contains("state of record set people", MEMORY));
  }

  @Test
  void tellsWhatANewAppCannotKnow() {
    trimmed();

    assertBroken(atStart());
  }

  @Test
  void findsNothingLostIfTheSourcePublishedEverythingAgainSince() {
    trimmed();
    all.sourcePartition("0", 1, Installation.adHoc(1, 0, 3, 5));
    assertThat(atStart()).isEmpty();

    all.sourcePartition("0", 1, Installation.adHoc(1, 0, 2, 5));
    assertBroken(atStart());
  }

  /** Nobody commits anything where no event comes any more. */
  @Test
  void findsNothingLostAgainWhereEverythingWasPublishedBehindTheGap() {
    trimmed();
    all.log.commit(APP, People.TOPIC, 0, 2);
    all.sourcePartition("0", 1, Installation.adHoc(1, 0, 3, 5));
    assertThat(atStart()).isEmpty();
    all.advance(watch());
    assertThat(findings()).isEmpty();

    all.sourcePartition("0", 1, Installation.adHoc(1, 0, 2, 5));
    assertBroken(atStart());
  }

  @Test
  void findsNothingLostIfTheAppReadOnSinceTheRoundBegan() {
    all.log.commit(APP, People.TOPIC, 0, 2);
    all.log.committedInRound(APP);
    all.log.commit(APP, People.TOPIC, 0, 3);
    trimmed();

    watch().advance(all.findings::add);

    assertThat(findings()).isEmpty();
  }

  @Test
  void findsNothingLostIfTheSourcePublishedEverythingAgainSinceTheRoundBegan() {
    all.log.commit(APP, People.TOPIC, 0, 2);
    assertThat(all.observed.sources(People.TOPIC).bySource()).isEmpty();
    trimmed();
    all.sourcePartition("0", 1, Installation.adHoc(1, 0, 3, 5));

    watch().advance(all.findings::add);

    assertThat(findings()).isEmpty();
  }

  @Test
  void takesATopicThatIsEverythingAsItIs() {
    all.set("record.set.people.complete", "topic");
    trimmed();

    assertThat(atStart()).isEmpty();
  }

  @Test
  void doesNotTakeAnAppWhoseOffsetsWereForgottenForNew() {
    all.set("record.set.people.complete", "topic");
    all.cluster.add("indexview-records-people-changelog", 2);
    trimmed();

    assertBroken(atStart());
  }

  @Test
  void tellsOnceWhatIsTrimmedWhileTheAppRuns() {
    RecordSetWatch watch = watch();
    all.log.commit(APP, People.TOPIC, 0, 2);
    all.advance(watch);
    assertThat(findings()).isEmpty();

    trimmed();
    all.advance(watch);
    all.advance(watch);
    assertBroken(findings());
  }

  @Test
  void tellsThatEverythingWasPublishedAgainWhenTheAppHasTakenItIn() {
    RecordSetWatch watch = watch();
    all.addRecords();
    all.sourcePartition("0", 1, Installation.adHoc(77, 0, 0, 1));
    all.advance(watch);
    assertThat(findings()).isEmpty();

    all.log.commitAll(APP, People.TOPIC);
    all.advance(watch);
    assertThat(findings()).as("what was not published again still stands").isEmpty();

    all.purged(0);
    all.advance(watch);
    all.advance(watch);
    assertThat(findings()).containsExactly(new Finding.RecordSetWhole("people", 77));
  }

  @Test
  void believesAnOperatorThatEverythingWasPublishedAgain() {
    all.set("record.set.people.complete", "topic");
    RecordSetWatch watch = watch();
    all.log.add(People.TOPIC, 0, "k", "v");
    all.log.commitAll(APP, People.TOPIC);
    String id = all.cluster.topicId(People.TOPIC).orElseThrow();
    PublishedAgain again =
        new PublishedAgain(People.TOPIC, id, 60, 70, Map.of(0, 0L, 1, 0L), Map.of(0, 1L, 1, 0L));
    SourceState operator = SourceState.of(again.toAvro());
    all.sources.put(operator.key(), operator);
    all.advance(watch);
    assertThat(findings()).as("not taken in yet").isEmpty();

    for (int partition : List.of(0, 1)) {
      PurgeProgress done =
          new PurgeProgress("people", partition, id, Map.of("|operator|0|*|", 0L), 80);
      all.progress.put(done.key(), Optional.of(done));
    }
    all.advance(watch);
    assertThat(findings()).containsExactly(new Finding.RecordSetWhole("people", 60));
  }

  @Test
  void tellsThatASourceNeedsASnapshotUntilTheAppHasTakenItIn() {
    RecordSetWatch watch = watch();
    all.addRecords();
    all.log.commitAll(APP, People.TOPIC);
    all.needSnapshot(new SourceState.SnapshotNeeded(50, "the index is lost"));
    all.sourcePartition("0", 1, Installation.scan(40, 0, 1));
    all.advance(watch);
    all.advance(watch);
    assertThat(findings())
        .containsExactly(new Finding.RecordSetBroken("people", 50, "the index is lost"));

    all.needSnapshot(null);
    all.sourcePartition("0", 1, Installation.adHoc(60, 0, 0, 1));
    all.purged(0);
    all.advance(watch);
    assertThat(findings()).last().isEqualTo(new Finding.RecordSetWhole("people", 60));
  }

  @Test
  void asksAllSourcesOfTheTopicWhenOneNeedsASnapshot() {
    RecordSetWatch watch = watch();
    Optional<String> id = all.cluster.topicId(People.TOPIC);
    all.requests.put(People.TOPIC, new SourceRequest(People.TOPIC, Long.MAX_VALUE - 9, 40));
    all.say("other", id, "0", 1, Installation.adHoc(45, 1, 0, 0), null);
    all.needSnapshot(new SourceState.SnapshotNeeded(50, "the index is lost"));
    all.sourcePartition("0", 1, Installation.scan(40, 0, 1));
    all.advance(watch);
    all.advance(watch);

    assertThat(all.log.written).hasSize(1);
    SourceRequest sent = sent();
    assertThat(sent.number()).isEqualTo(Long.MAX_VALUE - 8);

    all.requests.put(People.TOPIC, sent);
    all.advance(watch());
    assertThat(all.log.written).as("also after a restart").hasSize(1);
  }

  @Test
  void asksTheOthersAlsoWhenTheSourceHasMadeItsSnapshotBeforeAnybodyLooked() {
    Optional<String> id = all.cluster.topicId(People.TOPIC);
    all.say("other", id, "0", 1, null, Installation.scan(40, 0, 1));
    all.lastSnapshotNeeded =
        Optional.of(new SourceState.SnapshotNeeded(LATER, "the index is lost"));
    all.sourcePartition("0", 1, Installation.adHoc(LATER, 0, 0, 1));
    all.advance(watch());

    assertThat(findings())
        .containsExactly(new Finding.RecordSetBroken("people", LATER, "the index is lost"));
    assertThat(all.log.written).hasSize(1);
    all.requests.put(People.TOPIC, sent());
    all.advance(watch());
    assertThat(all.log.written).as("once, though the source's clock is ahead").hasSize(1);

    all.requests.clear();
    all.lastSnapshotNeeded = Optional.empty();
    all.say("other", id, "0", 1, Installation.adHoc(LATER + 1, 1, 0, 1), null);
    all.advance(watch());
    assertThat(all.log.written).as("the other one has made one since").hasSize(1);
  }

  private SourceRequest sent() {
    return SourceRequest.of(
        new AvroDeserializer(registry)
            .deserialize("indexview.source-requests", all.log.written.get(0).value()));
  }

  @Test
  void asksNobodyWhenItsOnlySourceMakesASnapshotByItself() {
    all.needSnapshot(new SourceState.SnapshotNeeded(50, "the index is lost"));
    all.sourcePartition("0", 1, Installation.scan(40, 0, 1));
    all.advance(watch());

    assertThat(all.log.written).isEmpty();
  }

  @Test
  void tellsWhatHindersASourceAsLongAsItStands() {
    RecordSetWatch watch = watch();
    all.sourcePartition("0", 1, Installation.scan(40, 0, 1));
    all.advance(watch);
    assertThat(all.findings)
        .as("it may stand since before the start")
        .containsExactly(hindered(""));

    all.problem = Optional.of("bucket-1 drops events");
    all.sourcePartition("0", 1, Installation.scan(40, 0, 1));
    all.advance(watch);
    all.advance(watch);
    assertThat(findings())
        .containsExactly(hindered("source kv cannot be complete: bucket-1 drops events"));

    all.problem = Optional.of("bucket-2 drops events");
    all.sourcePartition("0", 1, Installation.scan(45, 0, 1));
    all.advance(watch);
    assertThat(findings())
        .last()
        .isEqualTo(hindered("source kv cannot be complete: bucket-2 drops events"));

    all.problem = Optional.empty();
    all.sourcePartition("0", 1, Installation.scan(50, 1, 2));
    all.advance(watch);
    assertThat(all.findings).hasSize(4).last().isEqualTo(hindered(""));
  }

  @Test
  void tellsAHindranceOnceWhicheverSourcePartitionSpokeLastAndHoweverOftenItsNumbersChange() {
    RecordSetWatch watch = watch();
    for (int i = 0; i < 4; i++) {
      all.problem = Optional.of("bucket, %1$d objects of %1$dKiB wait %1$d.5s".formatted(i));
      all.sourcePartition(i % 2 == 0 ? "a" : "b", 2, Installation.scan(40, 0, 1));
      all.advance(watch);
    }
    assertThat(findings())
        .containsExactly(
            hindered("source kv cannot be complete: bucket, 0 objects of 0KiB wait 0.5s"));

    all.problem = Optional.empty();
    all.sourcePartition("a", 2, Installation.scan(40, 0, 1));
    all.advance(watch);
    assertThat(findings())
        .last()
        .isEqualTo(hindered("source kv cannot be complete: bucket, 3 objects of 3KiB wait 3.5s"));
  }

  @Test
  void tellsThatSourceAndAppAreGivenDifferentRetentionsOfTombstones() {
    RecordSetWatch watch = watch();
    all.tombstoneRetention = Optional.of(all.config().tombstoneRetention());
    all.sourcePartition("0", 1, Installation.scan(40, 0, 1));
    all.advance(watch);
    assertThat(findings()).isEmpty();

    all.tombstoneRetention = Optional.of(Duration.ofDays(3));
    all.sourcePartition("0", 1, Installation.scan(40, 0, 1));
    all.advance(watch);
    assertThat(findings())
        .singleElement()
        .isInstanceOfSatisfying(
            Finding.RecordSetHindered.class,
            hindered ->
                assertThat(hindered.reason())
                    .contains("259200000 in source kv", "1296000000 in the application")
                    .contains("give both the same value"));

    all.tombstoneRetention = Optional.of(Duration.ofDays(5));
    all.sourcePartition("0", 1, Installation.scan(40, 0, 1));
    all.advance(watch);
    assertThat(findings()).hasSize(2);

    all.tombstoneRetention = Optional.of(Duration.ofDays(3));
    all.sourcePartition("0", 1, Installation.scan(40, 0, 1));
    all.set("tombstone.retention.ms", "259200000");
    RecordSetWatch restarted = watch();
    all.advance(restarted);
    assertThat(all.findings).last().isEqualTo(hindered(""));
  }

  @Test
  void takesAnOrdinaryScanForNoNewBeginning() {
    all.sourcePartition("0", 1, Installation.scan(77, 0, 0));
    all.advance(watch());

    assertThat(findings()).isEmpty();
  }

  @Test
  void tellsThatATopicDoesNotFitAsLongAsItIsSo() {
    RecordSetWatch watch = watch();
    trimmed();
    all.log.commit(APP, People.TOPIC, 0, 2);
    all.cluster.add(People.TOPIC, 3);
    assertThat(atStart()).as("it is not read").isEmpty();
    all.advance(watch);
    all.advance(watch);
    assertThat(findings())
        .singleElement()
        .isInstanceOfSatisfying(
            Finding.RecordSetHindered.class,
            hindered -> assertThat(hindered.reason()).contains("3 partitions", "state has 2"));

    all.findings.clear();
    all.cluster.delete(People.TOPIC);
    assertThat(atStart()).isEmpty();
    all.advance(watch);
    assertThat(findings()).as("for another reason").hasSize(1);
    all.cluster.add(People.TOPIC, 2);
    all.findings.clear();
    all.advance(watch);
    assertThat(all.findings).contains(hindered(""));
    assertThat(findings()).singleElement().isInstanceOf(Finding.RecordSetBroken.class);
  }

  @Test
  void recordSetWithoutTopicHoldsUpNoOtherOne() {
    all.set("record.sets", "cars,people");
    all.log.commit(APP, People.TOPIC, 0, 2);
    trimmed();

    List<Finding> findings = new ArrayList<>();
    assertThatThrownBy(
            () ->
                RecordSetWatch.tellLostAtStart(
                    all.context(), registry, lost -> findings.add(broken(lost))))
        .isInstanceOf(UnknownTopicOrPartitionException.class);
    assertBroken(findings);

    List<Activity> watches = List.copyOf(RecordSetWatch.all(all.context(), registry));
    new ActionRunner(NO_ACTIONS, all.context().time(), watches).run(Map.of(), all.findings);
    assertBroken(findings());
  }
}
