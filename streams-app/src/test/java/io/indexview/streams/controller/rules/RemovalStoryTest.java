package io.indexview.streams.controller.rules;

import static io.indexview.streams.controller.rules.Story.BY_AGE;
import static io.indexview.streams.controller.rules.Story.BY_ORG;
import static io.indexview.streams.controller.rules.Story.GRACE;
import static io.indexview.streams.controller.rules.Story.IN_PLACE;
import static io.indexview.streams.controller.rules.Story.IN_PLACE_CHANGED;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.TaskProgress.Phase;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.streams.People;
import io.indexview.views.layout.ViewMetadata;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** How generations go: after a switch, after a drop, and in place. */
class RemovalStoryTest {

  private static Story switched() {
    return Story.serving(BY_ORG).spec(BY_AGE).built();
  }

  @Test
  void generationThatServedStaysForTheGraceTimeAfterTheTargetShowsTheSwitch() {
    Story story = switched().pass(GRACE.multipliedBy(2));
    assertThat(story.roles()).containsExactly("1 STANDBY", "2 SERVING");
    assertThat(story.wanted(Action.CheckStateApplied.class).version())
        .isLessThanOrEqualTo(story.state().version());

    story.done(Action.CheckStateApplied.class).pass(GRACE.minusMillis(1));
    assertThat(story.roles()).containsExactly("1 STANDBY", "2 SERVING");
    story.pass(Duration.ofMillis(1));
    assertThat(story.roles()).containsExactly("1 RETIRING", "2 SERVING");
  }

  @Test
  void saysHowLongTheStandbyMayBeRolledBackTo() {
    Story story = switched();
    assertThat(story.state().generations())
        .extracting(ViewState.Generation::standbyUntilMs)
        .containsExactly(OptionalLong.empty(), OptionalLong.empty());

    long shownAtMs = story.done(Action.CheckStateApplied.class).nowMs();
    story.pass(Duration.ofSeconds(2));
    assertThat(story.state().generations())
        .extracting(ViewState.Generation::standbyUntilMs)
        .containsExactly(OptionalLong.of(shownAtMs + GRACE.toMillis()), OptionalLong.empty());
  }

  @Test
  void rowsGoOnlyWhenAllTasksStoppedAndTheSinkIsThroughAndReadersKnow() {
    Story story = switched().done(Action.CheckStateApplied.class).pass(GRACE);
    assertThat(stoppedIn(story)).isTrue();

    story.report(0, 1, Phase.STOPPED, 0, "").report(1, 1, Phase.BUILT, 0, "");
    assertThat(story.find(Action.CheckTopicApplied.class)).isEmpty();
    story.report(1, 1, Phase.STOPPED, 0, "");
    assertThat(story.find(Action.RemoveRows.class)).isEmpty();
    story.done(Action.CheckTopicApplied.class);
    assertThat(story.find(Action.RemoveRows.class)).isEmpty();
    story.done(Action.CheckStateApplied.class);
    assertThat(story.wanted(Action.RemoveRows.class).generation()).isEqualTo(1);
  }

  private static boolean stoppedIn(Story story) {
    return story.published().stream()
        .filter(ControlRecord.Generation.class::isInstance)
        .map(publication -> ((ControlRecord.Generation) publication).generation())
        .anyMatch(PublishedGeneration::stopped);
  }

  @Test
  void topicGoesWhenTheTargetShowsAStateWithoutTheGeneration() {
    Story story =
        switched()
            .done(Action.CheckStateApplied.class)
            .pass(GRACE)
            .report(1, Phase.STOPPED)
            .done(Action.CheckTopicApplied.class)
            .done(Action.CheckStateApplied.class)
            .done(Action.RemoveRows.class);
    assertThat(story.published()).contains(new ControlRecord.GenerationGone("by-org", 1));
    assertThat(story.roles()).containsExactly("2 SERVING");
    assertThat(story.find(Action.DeleteTopic.class)).isEmpty();

    story.done(Action.CheckStateApplied.class);
    assertThat(story.wanted(Action.DeleteTopic.class).viewTopic())
        .isEqualTo("indexview.view.kv.by-org.1");
    story.done(Action.DeleteTopic.class);
    assertThat(story.wantedIds()).containsExactly("watch|by-org|2");
  }

  @Test
  void rollbackMakesTheStandbyServeAgainAfterAnotherCheck() {
    Story story = switched();
    story.spec(BY_ORG);
    assertThat(story.roles()).containsExactly("1 STANDBY", "2 SERVING");
    assertThat(story.wanted(Action.CheckReady.class).generation()).isEqualTo(1);

    story.done(Action.CheckReady.class);
    assertThat(story.roles()).containsExactly("1 SERVING", "2 STANDBY");
  }

  @Test
  void standbyThatIsToServeAgainDoesNotLeaveMeanwhile() {
    Story story = switched().done(Action.CheckStateApplied.class).spec(BY_ORG).pass(GRACE);

    assertThat(story.roles()).containsExactly("1 STANDBY", "2 SERVING");
    assertThat(story.done(Action.CheckReady.class).roles())
        .containsExactly("1 SERVING", "2 STANDBY");
  }

  @Test
  void answerToAnEarlierCheckDoesNotCount() {
    Story story = Story.serving(BY_ORG).spec(BY_AGE).frozen().report(2, Phase.BUILT);
    Finding.OfView earlier = Finding.Done.of(story.wanted(Action.CheckReady.class));
    story.done(Action.CheckReady.class).spec(BY_ORG).done(Action.CheckReady.class).spec(BY_AGE);

    assertThat(story.result(earlier).roles()).containsExactly("1 SERVING", "2 STANDBY");
  }

  @Test
  void generationOnItsWayOutIsNotRolledBackTo() {
    Story story = switched().done(Action.CheckStateApplied.class).pass(GRACE).spec(BY_ORG);

    assertThat(story.wanted(Action.Freeze.class).generation()).isEqualTo(3);
  }

  @Test
  void droppedViewIsDeletingAtOnceAndGoesWithAllItHas() {
    Story story = switched().drop();
    assertThat(story.state().state()).isEqualTo(State.DELETING);
    assertThat(story.state().reason()).isEmpty();
    assertThat(story.roles()).containsExactly("1 RETIRING", "2 RETIRING");

    story.done(Action.CheckStateApplied.class).pass(GRACE);
    story.report(1, Phase.STOPPED).report(2, Phase.STOPPED);
    story.done(Action.CheckTopicApplied.class).done(Action.RemoveRows.class);
    story.done(Action.CheckTopicApplied.class).done(Action.RemoveRows.class);
    assertThat(story.roles()).isEmpty();
    story.done(Action.CheckStateApplied.class).done(Action.DeleteTopic.class);
    assertThat(story.published()).doesNotHaveAnyElementsOfTypes(ControlRecord.StateGone.class);
    story.done(Action.DeleteTopic.class);
    assertThat(story.published()).contains(new ControlRecord.StateGone("by-org", "uid-1"));
    assertThat(story.wanted(Action.CheckStateApplied.class).expected())
        .isEqualTo(Action.StateRecord.TOMBSTONE);

    story.done(Action.CheckStateApplied.class);
    assertThat(story.wantedIds()).isEmpty();
  }

  @Test
  void dropOfABuildThatNeverServedNeedsNoGrace() {
    Story story = new Story().spec(BY_ORG).frozen().drop();

    assertThat(stoppedIn(story)).isTrue();
  }

  @Test
  void specForADroppedViewWaitsForTheEndOfTheDeletion() {
    Story story = Story.serving(BY_ORG).drop();
    long last = story.state().version();
    story.spec(BY_AGE);
    assertThat(story.state().state()).isEqualTo(State.DELETING);
    assertThat(story.state().reason()).contains("waits until the rows and topics");
    assertThat(story.find(Action.Freeze.class)).isEmpty();

    story.done(Action.CheckStateApplied.class).pass(GRACE).report(1, Phase.STOPPED);
    story.done(Action.CheckTopicApplied.class).done(Action.RemoveRows.class).pass(GRACE);
    story.done(Action.CheckStateApplied.class).pass(GRACE);
    assertThat(story.find(Action.Freeze.class)).as("its topic is still there").isEmpty();
    story.done(Action.DeleteTopic.class).done(Action.CheckStateApplied.class).pass(GRACE);

    assertThat(story.state().state()).isEqualTo(State.BUILDING);
    assertThat(story.state().version()).isGreaterThan(last + 1);
    assertThat(story.state().uid()).isEqualTo("uid-1");
    assertThat(story.wanted(Action.Freeze.class).generation()).isEqualTo(2);
  }

  /** Whatever takes its time: who defined the view again sees what it waits for. */
  @Test
  void viewThatIsDefinedAgainSaysWhatItWaitsForAsLongAsThatMayTake() {
    Story story = Story.serving(BY_ORG).drop().done(Action.CheckStateApplied.class).pass(GRACE);
    story.report(1, Phase.STOPPED).done(Action.CheckTopicApplied.class);
    story.done(Action.RemoveRows.class).spec(BY_AGE);
    long defined = story.state().definitionVersion();

    waitsFor(story, Action.CheckStateApplied.class, "the sink to apply the state");
    story.done(Action.CheckStateApplied.class);
    waitsFor(story, Action.DeleteTopic.class, "the tasks of the sink");
    story.drop().spec(BY_AGE);
    assertThat(story.state().definitionVersion()).isGreaterThan(defined);
    waitsFor(story, Action.DeleteTopic.class, "a right");
    story.done(Action.DeleteTopic.class);
    assertThat(story.published()).contains(new ControlRecord.StateGone("by-org", "uid-1"));
    story.done(Action.CheckStateApplied.class);
    assertThat(story.state().state()).isEqualTo(State.BUILDING);
  }

  private static void waitsFor(Story story, Class<? extends Action> kind, String what) {
    story.result(Finding.Waiting.of(story.wanted(kind), what)).pass(Duration.ofSeconds(2));
    assertThat(story.published()).doesNotHaveAnyElementsOfTypes(ControlRecord.StateGone.class);
    assertThat(story.state().state()).isEqualTo(State.DELETING);
    assertThat(story.state().reason())
        .contains("waits until the rows and topics", "waiting for " + what);
  }

  @Test
  void topicOfAViewThatNoTargetKnowsIsDeletedAtOnce() {
    Story story = new Story().spec("{}");
    assertThat(story.state().target()).isEmpty();

    story.result(new Finding.TopicFound("by-org", 4, "indexview.view.kv.by-org.4"));
    assertThat(story.wantedIds()).hasSize(1);
    assertThat(story.wanted(Action.DeleteTopic.class).generation()).isEqualTo(4);
    story.drop().done(Action.DeleteTopic.class).pass(GRACE);
    assertThat(story.published()).isEmpty();
    assertThat(story.wantedIds()).isEmpty();
    assertThat(story.spec(BY_AGE).wanted(Action.Freeze.class).generation()).isEqualTo(5);
  }

  @Test
  void dropWhileASpecIsBeingFrozenTakesItsTopicAway() {
    Story story = new Story().spec(BY_ORG);
    Finding.OfView late = Freezing.frozen(story.wanted(Action.Freeze.class), People.RECORD_SET, 2);
    story.drop().result(late);
    assertThat(story.published()).doesNotHaveAnyElementsOfTypes(ControlRecord.Generation.class);

    story.done(Action.CheckStateApplied.class).done(Action.DeleteTopic.class);
    story.done(Action.CheckStateApplied.class);
    assertThat(story.pass(Duration.ofMillis(200)).wantedIds()).isEmpty();
    assertThat(story.drop().published()).isEmpty();
  }

  @Test
  void dropDoesNotWaitForWhatCannotBeFrozen() {
    Story story = new Story().spec(BY_ORG).drop();

    story.done(Action.CheckStateApplied.class).done(Action.DeleteTopic.class);
    assertThat(story.published()).contains(new ControlRecord.StateGone("by-org", "uid-1"));
    story.done(Action.CheckStateApplied.class).pass(GRACE);
    assertThat(story.wantedIds()).isEmpty();
    assertThat(story.spec(BY_AGE).wanted(Action.Freeze.class).generation()).isEqualTo(2);
  }

  @Test
  void topicThatComesAfterItsViewIsGoneIsDeletedAndItsNumberUsedUp() {
    Story story = new Story().spec(BY_ORG).drop();
    story.done(Action.CheckStateApplied.class).done(Action.DeleteTopic.class);
    story.done(Action.CheckStateApplied.class).pass(GRACE);

    story.result(new Finding.TopicFound("by-org", 4, "indexview.view.kv.by-org.4"));

    assertThat(story.wanted(Action.DeleteTopic.class).generation()).isEqualTo(4);
    story.done(Action.DeleteTopic.class);
    assertThat(story.spec(BY_AGE).wanted(Action.Freeze.class).generation()).isEqualTo(5);
  }

  @Test
  void topicThatIsUsedOrGoesAnywayIsNotDeletedBecauseItWasFound() {
    Story story = new Story().spec(BY_ORG);
    Finding.OfView found = new Finding.TopicFound("by-org", 1, "indexview.view.kv.by-org.1");
    assertThat(story.result(found).wanted(Action.Freeze.class).generation()).isEqualTo(1);
    assertThat(story.wantedIds()).hasSize(1);

    assertThat(story.frozen().result(found).wantedIds()).containsExactly("watch|by-org|1");
  }

  @Test
  void inPlaceTheOldGenerationStopsBeforeTheNewOneBegins() {
    Story story = Story.serving(IN_PLACE).spec(IN_PLACE_CHANGED);
    assertThat(story.state().state()).isEqualTo(State.READY);

    story.frozen();
    assertThat(story.state().state()).isEqualTo(State.BUILDING);
    assertThat(story.state().reason())
        .isEqualTo("generation 2 waits until the one before it is no longer written");
    assertThat(story.roles()).containsExactly("1 RETIRING", "2 BUILDING");
    assertThat(story.published()).doesNotHaveAnyElementsOfTypes(ControlRecord.Generation.class);

    story.done(Action.CheckStateApplied.class).pass(ViewMetadata.MIN_GRACE.minusMillis(1));
    assertThat(story.published()).doesNotHaveAnyElementsOfTypes(ControlRecord.Generation.class);
    story.pass(Duration.ofMillis(1));
    assertThat(story.published().stream().filter(ControlRecord.Generation.class::isInstance))
        .singleElement()
        .isEqualTo(story.published().get(0))
        .matches(publication -> ((ControlRecord.Generation) publication).generation().stopped());

    story.report(1, Phase.STOPPED);
    assertThat(story.published()).doesNotHaveAnyElementsOfTypes(ControlRecord.Generation.class);
    story.done(Action.CheckTopicApplied.class);
    assertThat(story.published()).hasAtLeastOneElementOfType(ControlRecord.Generation.class);
  }

  @Test
  void inPlaceTheOldRowsStayUntilTheNewGenerationServes() {
    Story story = Story.serving(IN_PLACE).spec(IN_PLACE_CHANGED).frozen();
    story.done(Action.CheckStateApplied.class).pass(ViewMetadata.MIN_GRACE);
    story.report(1, Phase.STOPPED).done(Action.CheckTopicApplied.class);
    assertThat(story.find(Action.RemoveRows.class)).isEmpty();

    story.report(2, Phase.BUILT).done(Action.CheckReady.class);
    assertThat(story.roles()).containsExactly("1 RETIRING", "2 SERVING");
    assertThat(story.wanted(Action.RemoveRows.class).generation()).isEqualTo(1);
  }

  @Test
  void saysWhyTheTasksOfADroppedViewDoNotStop() {
    Story story = Story.serving(BY_ORG).drop().done(Action.CheckStateApplied.class).pass(GRACE);
    assertThat(stoppedIn(story)).isTrue();
    story.report(1, 1, Phase.STOPPED, 0, "");
    assertThat(story.state().reason()).isEmpty();

    story.hindered(Map.of("people", "it is left out"));
    assertThat(story.state().reason())
        .isEqualTo(
            "waiting for the tasks of partitions 0 of record set people to stop writing generation 1, which this may hinder: it is left out");
  }

  @Test
  void generationsOfADroppedViewGoEachForItself() {
    Story story = switched().drop().done(Action.CheckStateApplied.class).pass(GRACE);

    story.report(1, Phase.STOPPED).report(2, Phase.STOPPED);
    assertThat(story.wantedIds()).contains("topic-applied|by-org|1", "topic-applied|by-org|2");
    story.done(Action.CheckTopicApplied.class).done(Action.CheckTopicApplied.class);
    assertThat(story.wantedIds()).contains("remove-rows|by-org|1", "remove-rows|by-org|2");
  }

  @Test
  void answerAboutAnEarlierStateDoesNotCount() {
    Story story = switched();
    Finding.OfView earlier = Finding.Done.of(story.wanted(Action.CheckStateApplied.class));
    Action now = story.drop().wanted(Action.CheckStateApplied.class);

    assertThat(story.result(earlier).wanted(Action.CheckStateApplied.class)).isEqualTo(now);
  }

  @Test
  void topicThatGoesAnywayIsNotLeftASecondTime() {
    Story story = Story.serving(BY_ORG).spec(BY_AGE).refused(Action.Freeze.class, "no field");
    List<String> wanted = story.done(Action.CheckStateApplied.class).wantedIds();

    story.result(new Finding.TopicFound("by-org", 2, "indexview.view.kv.by-org.2"));
    assertThat(story.published()).isEmpty();
    assertThat(story.wantedIds()).isEqualTo(wanted);

    story.result(new Finding.TopicFound("by-org", 4, "indexview.view.kv.by-org.4"));
    story.done(Action.CheckStateApplied.class);
    assertThat(story.wantedIds()).hasSize(wanted.size() + 1).containsAll(wanted);
  }

  @Test
  void rowsGoWhileAGenerationIsBuiltInAnotherPlace() {
    Story story = switched().done(Action.CheckStateApplied.class).pass(GRACE);
    story.spec(BY_ORG).frozen();
    assertThat(story.roles()).containsExactly("1 RETIRING", "2 SERVING", "3 BUILDING");

    story.report(1, Phase.STOPPED).done(Action.CheckTopicApplied.class);
    story.done(Action.CheckStateApplied.class);

    assertThat(story.wanted(Action.RemoveRows.class).generation()).isEqualTo(1);
  }

  @Test
  void inPlaceABuildThatNeverBeganGoesUnpublishedWhenItIsWantedNoMore() {
    Story story = Story.serving(IN_PLACE).spec(IN_PLACE_CHANGED).frozen();

    story.spec(IN_PLACE).frozen();

    assertThat(story.roles()).containsExactly("1 RETIRING", "3 BUILDING");
    assertThat(story.published()).doesNotHaveAnyElementsOfTypes(ControlRecord.Generation.class);
    story.done(Action.CheckStateApplied.class);
    assertThat(story.wanted(Action.DeleteTopic.class).generation()).isEqualTo(2);
  }

  @Test
  void clockThatIsSetBackKeepsNobodyWaiting() {
    Story story = Story.serving(IN_PLACE).spec(IN_PLACE_CHANGED).frozen();
    story.done(Action.CheckStateApplied.class).pass(Duration.ofHours(-1));

    story.pass(ViewMetadata.MIN_GRACE.minusMillis(1));
    assertThat(stoppedIn(story)).isFalse();
    story.pass(Duration.ofMillis(1));
    assertThat(stoppedIn(story)).isTrue();
  }
}
