package io.indexview.streams.controller.actions;

import static io.indexview.streams.controller.actions.Installation.APP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.SourceState;
import io.indexview.streams.People;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.Finding;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
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

  private final Installation all = new Installation();

  private void trimmed() {
    for (int i = 0; i < 5; i++) {
      all.log.add(People.TOPIC, 0, "k", "v");
    }
    all.log.trim(People.TOPIC, 0, 3);
  }

  private List<Finding> atStart() {
    List<Finding> found = new ArrayList<>();
    RecordSetWatch.tellLostAtStart(all.context(), lost -> found.add(broken(lost)));
    return found;
  }

  private static Finding broken(EventsLost lost) {
    return new Finding.RecordSetBroken(lost.recordSet(), lost.foundAtMs(), lost.reason());
  }

  private RecordSetWatch watch() {
    return RecordSetWatch.all(all.context()).get(0);
  }

  private static void assertBroken(List<Finding> told) {
    assertThat(told)
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
  void tellsWhatANewAppCannotKnow() {
    trimmed();

    assertBroken(atStart());
  }

  @Test
  void findsNothingLostIfTheSourcePublishedEverythingAgainSince() {
    trimmed();
    all.sourcePartition("0", 1, Installation.forced(1, 0, 3, 5));
    assertThat(atStart()).isEmpty();

    all.sourcePartition("0", 1, Installation.forced(1, 0, 2, 5));
    assertBroken(atStart());
  }

  /** Nobody commits anything where no event comes any more. */
  @Test
  void findsNothingLostAgainWhereEverythingWasPublishedBehindTheGap() {
    trimmed();
    all.log.commit(APP, People.TOPIC, 0, 2);
    all.sourcePartition("0", 1, Installation.forced(1, 0, 3, 5));
    assertThat(atStart()).isEmpty();
    all.advance(watch());
    assertThat(all.told).isEmpty();

    all.sourcePartition("0", 1, Installation.forced(1, 0, 2, 5));
    assertBroken(atStart());
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
    assertThat(all.told).isEmpty();

    trimmed();
    all.advance(watch);
    all.advance(watch);
    assertBroken(all.told);
  }

  @Test
  void tellsThatEverythingWasPublishedAgainWhenTheAppHasTakenItIn() {
    RecordSetWatch watch = watch();
    all.log.add(People.TOPIC, 0, "k", "v");
    all.sourcePartition("0", 1, Installation.forced(77, 0, 0, 1));
    all.advance(watch);
    assertThat(all.told).isEmpty();

    all.log.commitAll(APP, People.TOPIC);
    all.advance(watch);
    assertThat(all.told).as("what was not published again still stands").isEmpty();

    all.purged(0);
    all.advance(watch);
    all.advance(watch);
    assertThat(all.told).containsExactly(new Finding.RecordSetWhole("people", 77));
  }

  @Test
  void tellsThatASourceNeedsASnapshotUntilTheAppHasTakenItIn() {
    RecordSetWatch watch = watch();
    all.log.add(People.TOPIC, 0, "k", "v");
    all.log.commitAll(APP, People.TOPIC);
    all.needSnapshot(new SourceState.SnapshotNeeded(50, "the index is lost"));
    all.sourcePartition("0", 1, Installation.scan(40, 0, 1));
    all.advance(watch);
    all.advance(watch);
    assertThat(all.told)
        .containsExactly(new Finding.RecordSetBroken("people", 50, "the index is lost"));

    all.needSnapshot(null);
    all.sourcePartition("0", 1, Installation.forced(60, 0, 0, 1));
    all.purged(0);
    all.advance(watch);
    assertThat(all.told).last().isEqualTo(new Finding.RecordSetWhole("people", 60));
  }

  @Test
  void takesAnOrdinaryLookForNoNewBeginning() {
    all.sourcePartition("0", 1, Installation.scan(77, 0, 0));
    all.advance(watch());

    assertThat(all.told).isEmpty();
  }

  @Test
  void recordSetWithoutTopicHoldsUpNoOtherOne() {
    all.set("record.sets", "cars,people");
    all.log.commit(APP, People.TOPIC, 0, 2);
    trimmed();

    List<Finding> told = new ArrayList<>();
    assertThatThrownBy(
            () -> RecordSetWatch.tellLostAtStart(all.context(), lost -> told.add(broken(lost))))
        .isInstanceOf(UnknownTopicOrPartitionException.class);
    assertBroken(told);

    List<Activity> watches = List.copyOf(RecordSetWatch.all(all.context()));
    new ActionRunner(NO_ACTIONS, all.context().clock(), watches).run(Map.of(), all.told);
    assertBroken(all.told);
  }
}
