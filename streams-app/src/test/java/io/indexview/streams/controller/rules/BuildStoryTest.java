package io.indexview.streams.controller.rules;

import static io.indexview.streams.controller.rules.Story.BY_AGE;
import static io.indexview.streams.controller.rules.Story.BY_ORG;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.TaskProgress.Phase;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.streams.People;
import io.indexview.views.definition.RecordSet;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;

/** From a spec to a generation that serves it. */
class BuildStoryTest {

  @Test
  void specIsFrozenBuiltCheckedAndServed() {
    Story story = new Story().spec(BY_ORG);
    assertThat(story.state().state()).isEqualTo(State.BUILDING);
    assertThat(story.wanted(Action.Freeze.class).generation()).isEqualTo(1);

    story.frozen();
    assertThat(story.published()).hasAtLeastOneElementOfType(ControlRecord.Generation.class);
    assertThat(story.roles()).containsExactly("1 BUILDING");
    assertThat(story.state().sinkGroup()).isEqualTo("connect-kv");

    story.report(0, 1, Phase.BUILT, 0, "").report(1, 1, Phase.BUILDING, 0, "");
    assertThat(story.find(Action.CheckReady.class)).isEmpty();
    assertThat(story.pass(Duration.ofSeconds(1)).state().progress())
        .extracting(ViewState.Progress::built)
        .containsExactly(true, false);

    story.report(1, 1, Phase.BUILT, 0, "").done(Action.CheckReady.class);
    assertThat(story.state().state()).isEqualTo(State.READY);
    assertThat(story.roles()).containsExactly("1 SERVING");
    assertThat(story.state().reason()).isEmpty();
    assertThat(story.state().generations().get(0).rows()).hasValue(14);
    assertThat(story.state().progress()).as("nothing is built").isEmpty();
    assertThat(story.wantedIds()).containsExactly("watch|by-org|1");
  }

  @Test
  void generationIsPublishedOnlyWhenItsTopicIsThere() {
    Story story = new Story().spec(BY_ORG);

    assertThat(story.published()).hasOnlyElementsOfType(ControlRecord.State.class);
    assertThat(story.frozen().published())
        .hasAtLeastOneElementOfType(ControlRecord.Generation.class);
  }

  @Test
  void changedDefinitionIsBuiltBesideTheOneThatServes() {
    Story story = Story.serving(BY_ORG).spec(BY_AGE).frozen();

    assertThat(story.state().state()).isEqualTo(State.READY);
    assertThat(story.roles()).containsExactly("1 SERVING", "2 BUILDING");

    story.report(2, Phase.BUILT).done(Action.CheckReady.class);
    assertThat(story.published()).hasSize(1);
    assertThat(story.roles()).containsExactly("1 STANDBY", "2 SERVING");
  }

  @Test
  void rebuildIsAnotherGenerationOfTheSameDefinition() {
    Story story = Story.serving(BY_ORG).rebuild(BY_ORG, 1, BuildMode.CHANGELOG).frozen();

    assertThat(story.roles()).containsExactly("1 SERVING", "2 BUILDING");
    assertThat(story.state().building().orElseThrow().buildNumber()).isEqualTo(1);
  }

  @Test
  void howOftenAViewIsVerifiedChangesNoGeneration() {
    Optional<Duration> daily = Optional.of(Duration.ofDays(1));
    Story story = Story.serving(BY_ORG);
    long before = story.state().definitionVersion();

    story.spec(BY_ORG, BuildRequest.FIRST, daily);

    assertThat(story.state().definitionVersion()).isEqualTo(before + 1);
    assertThat(story.state().state()).isEqualTo(State.READY);
    assertThat(story.roles()).containsExactly("1 SERVING");
    assertThat(story.wantedIds()).noneMatch(id -> id.startsWith("freeze"));

    story.spec(BY_AGE).frozen().spec(BY_AGE, BuildRequest.FIRST, daily);
    assertThat(story.roles())
        .as("what is being built goes on")
        .containsExactly("1 SERVING", "2 BUILDING");

    Story freezing = new Story().spec(BY_ORG).spec(BY_ORG, BuildRequest.FIRST, daily);
    assertThat(freezing.wanted(Action.Freeze.class).generation()).isEqualTo(1);
    assertThat(freezing.built().roles()).containsExactly("1 SERVING");
  }

  @Test
  void sameSpecWithANewVersionChangesNothingElse() {
    Story story = Story.serving(BY_ORG);
    long before = story.state().definitionVersion();

    story.spec(BY_ORG);

    assertThat(story.state().definitionVersion()).isEqualTo(before + 1);
    assertThat(story.roles()).containsExactly("1 SERVING");
    assertThat(story.find(Action.Freeze.class)).isEmpty();
  }

  @Test
  void adHocSnapshotComesBeforeTheBuild() {
    Story story = Story.serving(BY_ORG).rebuild(BY_ORG, 1, BuildMode.SNAPSHOT);

    assertThat(story.wanted(Action.AdHocSnapshot.class).recordSet()).isEqualTo("people");
    assertThat(story.state().reason()).contains("people are asked to publish every record again");
    assertThat(story.find(Action.Freeze.class)).isEmpty();
    assertThat(story.done(Action.AdHocSnapshot.class).wanted(Action.Freeze.class).generation())
        .isEqualTo(2);
    assertThat(story.state().reason()).isEmpty();
  }

  @Test
  void answerToAnEarlierAdHocSnapshotDoesNotCount() {
    Story story = Story.serving(BY_ORG).rebuild(BY_ORG, 1, BuildMode.SNAPSHOT);
    Finding.OfView earlier = Finding.Done.of(story.wanted(Action.AdHocSnapshot.class));
    story.pass(Duration.ofSeconds(1)).rebuild(BY_ORG, 2, BuildMode.SNAPSHOT);

    assertThat(story.result(earlier).find(Action.Freeze.class)).isEmpty();
    assertThat(story.done(Action.AdHocSnapshot.class).wanted(Action.Freeze.class).generation())
        .isEqualTo(2);
  }

  @Test
  void adHocSnapshotThatNobodyCanMakeIsARefusedSpec() {
    Story story =
        Story.serving(BY_ORG)
            .rebuild(BY_ORG, 1, BuildMode.SNAPSHOT)
            .refused(Action.AdHocSnapshot.class, "record set people has no source");

    assertThat(story.state().state()).isEqualTo(State.READY);
    assertThat(story.state().reason()).contains("has no source");
    assertThat(story.wantedIds()).containsExactly("watch|by-org|1");
  }

  @Test
  void buildThatIsWantedNoMoreIsTakenAwayAtOnce() {
    Story story = Story.serving(BY_ORG).spec(BY_AGE).frozen().spec(BY_ORG);

    assertThat(story.roles()).containsExactly("1 SERVING", "2 RETIRING");
    assertThat(story.published()).hasAtLeastOneElementOfType(ControlRecord.Generation.class);
    story.taken(2);
    assertThat(story.roles()).containsExactly("1 SERVING");
    assertThat(story.wantedIds()).containsExactly("watch|by-org|1");
  }

  @Test
  void topicFrozenForASpecThatIsOverIsDeletedUnpublished() {
    Story story = new Story().spec(BY_ORG);
    Finding.OfView late = Freezing.frozen(story.wanted(Action.Freeze.class), People.RECORD_SET, 2);
    story.spec(BY_AGE);
    assertThat(story.wanted(Action.Freeze.class).generation()).isEqualTo(2);

    story.result(late);
    assertThat(story.published()).doesNotHaveAnyElementsOfTypes(ControlRecord.Generation.class);
    assertThat(story.find(Action.DeleteTopic.class)).isEmpty();
    story.done(Action.CheckStateApplied.class);
    assertThat(story.wanted(Action.DeleteTopic.class).generation()).isEqualTo(1);
  }

  @Test
  void topicThatAWorkerMakesAgainLateIsDeletedAgain() {
    Story story = new Story().spec(BY_ORG);
    Finding.OfView late = Freezing.frozen(story.wanted(Action.Freeze.class), People.RECORD_SET, 2);
    story.spec(BY_AGE).result(late).done(Action.CheckStateApplied.class);
    Action.DeleteTopic first = story.wanted(Action.DeleteTopic.class);
    story.done(Action.DeleteTopic.class);
    assertThat(story.find(Action.DeleteTopic.class)).isEmpty();

    story.result(late).done(Action.CheckStateApplied.class);
    Action.DeleteTopic again = story.wanted(Action.DeleteTopic.class);
    assertThat(again.generation()).isEqualTo(1);
    assertThat(again.id()).as("a worker does nothing twice").isNotEqualTo(first.id());
  }

  @Test
  void correctedSpecDoesNotWaitForWhatCannotBeFrozen() {
    Story story = Story.serving(BY_ORG).spec(BY_AGE).spec(BY_ORG);

    assertThat(story.find(Action.Freeze.class)).isEmpty();
    assertThat(story.state().reason()).doesNotContain("refused");
    story.done(Action.CheckStateApplied.class).done(Action.DeleteTopic.class);
    assertThat(story.wantedIds()).containsExactly("watch|by-org|1");
    assertThat(story.rebuild(BY_ORG, 1, BuildMode.STATE).wanted(Action.Freeze.class).generation())
        .isEqualTo(3);
  }

  @Test
  void sameSpecWithANewVersionGoesOnFreezing() {
    Story story = new Story().spec(BY_ORG);
    Action.Freeze freeze = story.wanted(Action.Freeze.class);

    assertThat(story.spec(BY_ORG).wanted(Action.Freeze.class)).isEqualTo(freeze);
    assertThat(story.frozen().roles()).containsExactly("1 BUILDING");
  }

  @Test
  void topicOfAnEarlierTryGoesWhenTheSpecIsRefused() {
    Story story = Story.serving(BY_ORG).spec(BY_AGE).refused(Action.Freeze.class, "no field");

    assertThat(story.find(Action.DeleteTopic.class)).isEmpty();
    story.done(Action.CheckStateApplied.class);
    assertThat(story.wanted(Action.DeleteTopic.class).viewTopic())
        .isEqualTo("indexview.view.kv.by-org.2");
  }

  @Test
  void refusedSpecLeavesWhatServes() {
    Story story =
        Story.serving(BY_ORG).spec(BY_AGE).refused(Action.Freeze.class, "key: no field \"age\"");

    assertThat(story.state().state()).isEqualTo(State.READY);
    assertThat(story.state().reason()).contains("key: no field \"age\"");
    assertThat(story.roles()).containsExactly("1 SERVING");
    assertThat(story.spec(BY_ORG).state().reason()).isEmpty();
  }

  @Test
  void refusedSpecLeavesTheBuildBeforeItGoingOn() {
    Story story =
        new Story().spec(BY_ORG).frozen().spec(BY_AGE).refused(Action.Freeze.class, "no field");

    assertThat(story.state().state()).isEqualTo(State.BUILDING);
    assertThat(story.report(1, Phase.BUILT).done(Action.CheckReady.class).roles())
        .containsExactly("1 SERVING");
  }

  @Test
  void refusedSpecOfAViewThatServesNothingIsDegraded() {
    Story story = new Story().spec(BY_ORG).refused(Action.Freeze.class, "no field \"org\"");

    assertThat(story.state().state()).isEqualTo(State.DEGRADED);
    assertThat(story.state().reason()).contains("no field \"org\"");
    assertThat(story.spec(BY_AGE).state().state()).isEqualTo(State.BUILDING);
    assertThat(story.wanted(Action.Freeze.class).generation()).isEqualTo(2);
  }

  @Test
  void definitionThatIsNoneIsRefusedWithoutWork() {
    Story story = new Story().spec("{}");

    assertThat(story.state().state()).isEqualTo(State.DEGRADED);
    assertThat(story.wantedIds()).isEmpty();
  }

  @Test
  void targetCannotBeChanged() {
    Story story = Story.serving(BY_ORG).spec(Story.IN_PLACE);

    assertThat(story.state().reason()).contains("from kv to dynamodb");
    assertThat(story.find(Action.Freeze.class)).isEmpty();
  }

  @Test
  void checkOfABuildThatFellBackIsBegunAnew() {
    Story story = new Story().spec(BY_ORG).frozen().report(1, Phase.BUILT);
    Action.CheckReady first = story.wanted(Action.CheckReady.class);

    story.report(0, 1, Phase.BUILDING, 0, "");
    assertThat(story.find(Action.CheckReady.class)).isEmpty();
    story.report(0, 1, Phase.BUILT, 0, "").result(Finding.Done.of(first));

    assertThat(story.state().state()).isEqualTo(State.BUILDING);
    assertThat(story.wanted(Action.CheckReady.class).check()).isGreaterThan(first.check());
    assertThat(story.done(Action.CheckReady.class).state().state()).isEqualTo(State.READY);
  }

  @Test
  void progressAloneIsReportedOnceASecond() {
    Story story = new Story().spec(BY_ORG).frozen();
    long version = story.state().version();

    story.report(1, Phase.BUILDING);
    assertThat(story.published()).isEmpty();
    story.pass(Duration.ofMillis(999));
    assertThat(story.published()).isEmpty();
    story.pass(Duration.ofMillis(1));
    assertThat(story.state().version()).isEqualTo(version + 1);
    assertThat(story.state().done()).hasValue(10);
    assertThat(story.pass(Duration.ofSeconds(5)).published()).isEmpty();
  }

  @Test
  void whatIsWaitedForShowsAsLongAsItIs() {
    Story story = new Story().spec(BY_ORG).frozen().report(1, Phase.BUILT);

    story.result(Finding.Waiting.of(story.wanted(Action.CheckReady.class), "the first scan"));
    story.pass(Duration.ofSeconds(1));
    assertThat(story.state().reason()).isEqualTo("waiting for the first scan");
    assertThat(story.done(Action.CheckReady.class).state().reason()).isEmpty();
  }

  @Test
  void reportsOfGenerationsThatAreNotThereAreIgnored() {
    Story story = Story.serving(BY_ORG);

    assertThat(story.report(7, Phase.BUILT).published()).isEmpty();
    for (int partition : new int[] {Story.PARTITIONS, 9}) {
      assertThat(story.report(partition, 1, Phase.BUILT, 3, "of no partition").state().state())
          .isEqualTo(State.READY);
    }
    assertThat(List.copyOf(story.published())).isEmpty();
  }

  @Test
  void whatIsWaitedForNoMoreIsNotShown() {
    Story story = new Story().spec(BY_ORG).frozen().report(1, Phase.BUILT);
    Action check = story.wanted(Action.CheckReady.class);

    story.result(Finding.Waiting.of(check, "the first scan"));
    story.result(Finding.Waiting.of(check, "")).pass(Duration.ofSeconds(1));

    assertThat(story.state().reason()).isEmpty();
  }

  @Test
  void taskThatCannotGoOnBuildingSaysWhy() {
    Story story = new Story().spec(BY_ORG).frozen();

    story.report(1, 1, Phase.BUILDING, 0, "the registry is silent").pass(Duration.ofSeconds(1));
    assertThat(story.state().state()).isEqualTo(State.BUILDING);
    assertThat(story.state().reason()).isEqualTo("the registry is silent");

    story.report(1, 1, Phase.BUILDING, 0, "").pass(Duration.ofSeconds(1));
    assertThat(story.state().reason()).isEmpty();
  }

  @Test
  void recordThatCannotBeDerivedShowsOnceWhileItIsBuilt() {
    Story story = new Story().spec(BY_ORG).frozen();

    story.report(1, 1, Phase.BUILDING, 2, "row of 3 MiB").pass(Duration.ofSeconds(1));

    assertThat(story.state().reason()).containsOnlyOnce("row of 3 MiB");
  }

  @Test
  void definitionOfAnotherViewIsRefused() {
    Story story = Story.serving(BY_ORG).spec(BY_AGE.replace("by-org", "by-age"));

    assertThat(story.state().reason()).contains("\"by-age\" is not the name of the view");
    assertThat(story.wantedIds()).containsExactly("watch|by-org|1");
  }

  @Test
  void otherSpecUnderAKnownVersionIsTakenAllTheSame() {
    Story story = Story.serving(BY_ORG).specOfTheSameVersion(BY_AGE);

    assertThat(story.wanted(Action.Freeze.class).generation()).isEqualTo(2);
  }

  @Test
  void frozenGenerationThatNobodyCanReadIsARefusedSpec() {
    Story story = Story.serving(BY_ORG).spec(BY_AGE);
    Finding.Frozen frozen =
        Freezing.frozen(story.wanted(Action.Freeze.class), People.RECORD_SET, 2);

    story.result(new Finding.ChangesMissed("by-org", 1, "its topic was deleted"));
    story.result(new Finding.Frozen(frozen.action(), frozen.published(), "{}", 2));

    assertThat(story.roles()).containsExactly("1 SERVING");
    assertThat(story.state().reason()).startsWith(ViewState.REFUSED).contains("topic was deleted");
    story.done(Action.CheckStateApplied.class);
    assertThat(story.wanted(Action.DeleteTopic.class).generation()).isEqualTo(2);
  }

  @Test
  void stateNamesTheRecordSetOfWhatServesOrElseIsToServe() {
    RecordSet staff =
        new RecordSet("staff", "staff", RecordFormat.ENVELOPE, List.of(), People.SCHEMA);
    Story story = new Story().spec(BY_ORG).frozen();
    assertThat(story.state().recordSet()).isEqualTo("people");

    story.spec(BY_ORG.replace("people", "staff"));
    story.result(Freezing.frozen(story.wanted(Action.Freeze.class), staff, 2));
    assertThat(story.state().recordSet()).isEqualTo("staff");
  }

  /** Each one that was given up waits for the sink to take its rows away. */
  @Test
  void beginsNoGenerationThatTheRecordOfTheViewHasNoRoomFor() {
    Story story = Story.serving(Story.BY_ORG);
    int last = 1;
    while (story
        .rebuild(Story.BY_ORG, last, BuildMode.STATE)
        .find(Action.Freeze.class)
        .isPresent()) {
      last = story.wanted(Action.Freeze.class).generation();
      story.frozen();
      if (last > 2) {
        story.report(last - 1, Phase.STOPPED);
      }
      assertThat(descriptions(story)).isLessThan(ControlledView.MAX_DESCRIPTIONS);
    }

    assertThat(last).isGreaterThan(10);
    assertThat(story.state().reason())
        .contains("waits until some of generations 1, 2, 3", "sink of target kv");
    assertThat(story.state().state()).isEqualTo(State.READY);

    story.taken(2);
    assertThat(story.wanted(Action.Freeze.class).generation()).isEqualTo(last + 1);
  }

  /** The sink runs, and nothing is in its grace: only the build can go. */
  @Test
  void givesUpABuildThatLeavesNoRoomForWhatIsAskedNext() {
    Story story = servingAndBuildingWithoutRoom();

    story.rebuild(Story.BY_AGE, 1, BuildMode.STATE);
    assertThat(story.find(Action.Freeze.class)).isEmpty();
    story
        .report(2, Phase.STOPPED)
        .done(Action.CheckTopicApplied.class)
        .done(Action.CheckStateApplied.class)
        .done(Action.RemoveRows.class);
    assertThat(story.wanted(Action.Freeze.class).generation()).isEqualTo(3);
  }

  @Test
  void goesOnBuildingWhereThereIsNoRoomAndWhatIsAskedNextIsRefused() {
    Story story = servingAndBuildingWithoutRoom().spec(Story.IN_PLACE);

    assertThat(story.state().reason()).contains("from kv to dynamodb");
    assertThat(story.roles()).containsExactly("1 SERVING", "2 BUILDING");
    assertThat(story.report(2, Phase.BUILT).done(Action.CheckReady.class).roles())
        .containsExactly("1 STANDBY", "2 SERVING");
  }

  @Test
  void goesOnRollingBackWhereThereIsNoRoomForWhatIsAskedNext() {
    Story story = servingAndBuildingWithoutRoom();
    story.report(2, Phase.BUILT).done(Action.CheckReady.class).spec(Story.BY_ORG);
    assertThat(story.wanted(Action.CheckReady.class).generation()).isEqualTo(1);

    story.rebuild(Story.BY_AGE, 1, BuildMode.STATE);

    assertThat(story.find(Action.Freeze.class)).isEmpty();
    assertThat(story.done(Action.CheckReady.class).roles())
        .containsExactly("1 SERVING", "2 STANDBY");
  }

  @Test
  void givesUpARollbackThatIsHeldBackWhereThereIsNoRoom() {
    Story story = servingAndBuildingWithoutRoom();
    story.report(2, Phase.BUILT).done(Action.CheckReady.class).spec(Story.BY_ORG);
    story.report(0, 1, Phase.BUILT, 3, "too large");

    story.rebuild(Story.BY_AGE, 1, BuildMode.STATE).done(Action.CheckStateApplied.class);

    assertThat(story.pass(Story.GRACE).roles()).containsExactly("1 RETIRING", "2 SERVING");
  }

  /** Of descriptions so large that a third generation has to wait. */
  private static Story servingAndBuildingWithoutRoom() {
    Schema large = new Schema.Parser().parse(People.SCHEMA.toString());
    large.addProp("note", "\u00e4".repeat(50_000));
    RecordSet people =
        new RecordSet(
            People.RECORD_SET.name(), People.TOPIC, RecordFormat.ENVELOPE, List.of(), large);
    Story story = new Story().spec(Story.BY_ORG);
    story.result(frozen(story, people)).report(1, Phase.BUILT).done(Action.CheckReady.class);
    story.spec(Story.BY_AGE);
    return story.result(frozen(story, people));
  }

  private static Finding.Frozen frozen(Story story, RecordSet recordSet) {
    return Freezing.frozen(story.wanted(Action.Freeze.class), recordSet, Story.PARTITIONS);
  }

  private static int descriptions(Story story) {
    return story.state().generations().stream().mapToInt(g -> g.description().length()).sum();
  }
}
