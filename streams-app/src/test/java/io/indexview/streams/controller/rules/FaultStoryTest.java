package io.indexview.streams.controller.rules;

import static io.indexview.streams.controller.rules.Story.BY_AGE;
import static io.indexview.streams.controller.rules.Story.BY_ORG;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.TaskProgress.Phase;
import io.indexview.schemas.control.ViewState.State;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What makes a view DEGRADED, and what ends it. */
class FaultStoryTest {

  @Test
  void recordThatCannotBeDerivedDegradesUntilItIsSuperseded() {
    Story story = Story.serving(BY_ORG).report(1, 1, Phase.BUILT, 2, "row of 3 MiB");
    assertThat(story.state().state()).isEqualTo(State.DEGRADED);
    assertThat(story.state().reason()).contains("2 records").contains("row of 3 MiB");

    assertThat(story.report(1, 1, Phase.BUILT, 0, "").state().state()).isEqualTo(State.READY);
  }

  @Test
  void taskThatCannotWriteDegrades() {
    Story story = Story.serving(BY_ORG).report(1, 1, Phase.FAILED, 0, "unknown encoding 9");

    assertThat(story.state().state()).isEqualTo(State.DEGRADED);
    assertThat(story.state().reason()).contains("partition 1").contains("unknown encoding 9");
  }

  @Test
  void isDegradedUntilEveryTaskSaysHowItsRowsAre() {
    Story story = Story.serving(BY_ORG).reportsLost();
    assertThat(story.state().state()).isEqualTo(State.DEGRADED);
    assertThat(story.state().reason()).contains("partitions 0, 1 ", "have not reported");

    story.report(1, 1, Phase.BUILT, 0, "");
    assertThat(story.state().state()).isEqualTo(State.DEGRADED);
    assertThat(story.report(0, 1, Phase.BUILT, 0, "").state().state()).isEqualTo(State.READY);
  }

  @Test
  void rejectedRowDegradesUntilALaterOneIsApplied() {
    Story story = Story.serving(BY_ORG).rejected(1, "r1", 7, 0);
    assertThat(story.state().state()).isEqualTo(State.DEGRADED);
    assertThat(story.state().reason()).contains("too large");
    assertThat(story.wanted(Action.Watch.class).rejected()).hasSize(1);

    assertThat(story.superseded(1, "r1", 6).state().state()).isEqualTo(State.DEGRADED);
    assertThat(story.superseded(1, "r1", 7).state().state()).isEqualTo(State.READY);
  }

  @Test
  void deadLetterThatIsReadAgainIsNoNews() {
    Story story = Story.serving(BY_ORG).rejected(1, "r1", 7, 4).superseded(1, "r1", 7);

    assertThat(story.rejected(1, "r1", 7, 4).state().state()).isEqualTo(State.READY);
    assertThat(story.wanted(Action.Watch.class).from().next()).isEqualTo(Map.of(0, 5L));
  }

  @Test
  void deadLettersOfAnotherTopicAreNewWhereverTheyLie() {
    Story story =
        Story.serving(BY_ORG)
            .result(new Finding.DeadLettersFollowed("by-org", 1, "topic-1"))
            .rejected(1, "r1", 7, 4)
            .superseded(1, "r1", 7);
    assertThat(story.result(new Finding.DeadLettersFollowed("by-org", 1, "topic-1")))
        .returns(
            new DeadLetterPosition("topic-1", Map.of(0, 5L)),
            same -> same.wanted(Action.Watch.class).from());

    story.result(new Finding.DeadLettersFollowed("by-org", 1, "topic-2"));
    assertThat(story.rejected(1, "r2", 8, 0).state().state()).isEqualTo(State.DEGRADED);
    assertThat(story.wanted(Action.Watch.class).from())
        .isEqualTo(new DeadLetterPosition("topic-2", Map.of(0, 1L)));
  }

  @Test
  void tooManyRejectedRowsNeedAnotherBuild() {
    Story story = Story.serving(BY_ORG);
    for (int i = 0; i <= Faults.MAX_ROWS; i++) {
      story.rejected(1, "r" + i, i, i);
    }
    story.pass(Duration.ofSeconds(1));
    assertThat(story.state().reason()).contains("rebuild");
    assertThat(story.wanted(Action.Watch.class).rejected()).isEmpty();

    story.superseded(1, "r1", 1);
    assertThat(story.state().state()).isEqualTo(State.DEGRADED);
    assertThat(story.spec(BY_AGE).built().state().state()).isEqualTo(State.READY);
  }

  @Test
  void wrongRowsDegradeUntilAVerificationFindsNone() {
    Story story = Story.serving(BY_ORG).verified(1, "v1", 3);
    assertThat(story.state().state()).isEqualTo(State.DEGRADED);
    assertThat(story.state().reason())
        .contains("3 rows are wrong", "verification v1", "views verify by-org --repair");

    story.verified(1, "v2", 1);
    assertThat(story.state().state()).isEqualTo(State.DEGRADED);
    assertThat(story.verified(1, "v3", 0).state().state()).isEqualTo(State.READY);
  }

  @Test
  void wrongRowsAreToldHoweverMuchElseIsWrong() {
    Story story = Story.serving(BY_ORG).hindered(Map.of("people", "x".repeat(2_000)));
    story.verified(1, "v1", 3);

    assertThat(story.state().reason()).contains("3 rows are wrong", "verification v1");
  }

  @Test
  void wrongRowsGoWithTheirGeneration() {
    Story story = Story.serving(BY_ORG).verified(1, "v1", 3);

    story.verified(7, "v2", 3);
    assertThat(story.spec(BY_AGE).built().state().state()).isEqualTo(State.READY);
    story.verified(1, "v3", 5);
    assertThat(story.state().state()).isEqualTo(State.READY);
  }

  @Test
  void sinkThatMissedDeletionsDegradesUntilTheNextBuild() {
    Story story = Story.serving(BY_ORG).result(new Finding.ChangesMissed("by-org", 1, "8 days"));
    assertThat(story.state().state()).isEqualTo(State.DEGRADED);

    assertThat(story.spec(BY_AGE).built().state().state()).isEqualTo(State.READY);
  }

  @Test
  void recordsThatItCannotReadDegradeItUntilItCan() {
    Story story =
        Story.serving(BY_ORG).result(new Finding.SchemaChecked("by-org", 1, "lack \"org\""));
    assertThat(story.state().state()).isEqualTo(State.DEGRADED);
    assertThat(story.state().reason()).contains("cannot read", "lack \"org\"");

    assertThat(story.result(new Finding.SchemaChecked("by-org", 1, "")).state().state())
        .isEqualTo(State.READY);
  }

  @Test
  void lostEventsDegradeEveryGenerationUntilTheRecordSetIsWhole() {
    Story story = Story.serving(BY_ORG).setsBroken(Map.of("people", "partition 1 was trimmed"));
    assertThat(story.state().state()).isEqualTo(State.DEGRADED);
    assertThat(story.spec(BY_AGE).built().state().state()).isEqualTo(State.DEGRADED);

    assertThat(story.setsBroken(Map.of()).state().state()).isEqualTo(State.READY);
  }

  @Test
  void faultyBuildDoesNotReplaceOneThatIsReady() {
    Story story = Story.serving(BY_ORG).spec(BY_AGE).frozen().report(2, Phase.BUILT);
    story.rejected(2, "r1", 7, 0).pass(Duration.ofSeconds(1));

    assertThat(story.find(Action.CheckReady.class)).isEmpty();
    assertThat(story.state().state()).isEqualTo(State.READY);
    assertThat(story.state().reason()).contains("generation 2 is held back");

    story.superseded(2, "r1", 7).done(Action.CheckReady.class);
    assertThat(story.roles()).containsExactly("1 STANDBY", "2 SERVING");
  }

  @Test
  void faultyBuildDoesNotReplaceABetterOneOfARecordSetThatMayBeWrong() {
    Story story = Story.serving(BY_ORG).spec(BY_AGE).frozen().report(2, Phase.BUILT);
    story.setsBroken(Map.of("people", "trimmed")).rejected(2, "r1", 7, 0);
    story.pass(Duration.ofSeconds(1));

    assertThat(story.find(Action.CheckReady.class)).isEmpty();
    assertThat(story.state().state()).isEqualTo(State.DEGRADED);
    assertThat(story.state().reason()).contains("trimmed", "generation 2 is held back: ");

    story.superseded(2, "r1", 7).done(Action.CheckReady.class);
    assertThat(story.roles()).containsExactly("1 STANDBY", "2 SERVING");
  }

  @Test
  void faultyBuildServesIfNothingBetterDoes() {
    Story nothing = new Story().spec(BY_ORG).frozen().report(0, 1, Phase.BUILT, 1, "no org");
    nothing.report(1, 1, Phase.BUILT, 0, "").done(Action.CheckReady.class);
    assertThat(nothing.state().state()).isEqualTo(State.DEGRADED);
    assertThat(nothing.roles()).containsExactly("1 SERVING");

    Story degraded = Story.serving(BY_ORG).rejected(1, "r1", 7, 0).spec(BY_AGE).frozen();
    degraded.report(2, Phase.BUILT).rejected(2, "r1", 7, 1).done(Action.CheckReady.class);
    assertThat(degraded.roles()).containsExactly("1 STANDBY", "2 SERVING");
  }

  @Test
  void rowThatIsRejectedAgainWaitsForWhatComesAfterThat() {
    Story story = Story.serving(BY_ORG);
    story.rejected(1, "r1", 7, 0).rejected(1, "r1", 9, 1).rejected(1, "r1", 8, 2);
    assertThat(story.wanted(Action.Watch.class).rejected())
        .extracting(Finding.RejectedRow::offset)
        .containsExactly(9L);

    assertThat(story.superseded(1, "r1", 8).state().state()).isEqualTo(State.DEGRADED);
    assertThat(story.superseded(1, "r1", 9).state().state()).isEqualTo(State.READY);
  }

  @Test
  void rejectedRowsAreFollowedUpToALimitAndReadBeyondIt() {
    Story story = Story.serving(BY_ORG);
    for (int i = 0; i < Faults.MAX_ROWS; i++) {
      story.rejected(1, "r" + i, i, i);
    }
    story.pass(Duration.ofSeconds(1));
    assertThat(story.state().reason()).contains("rejected 100 rows until later ones");
    assertThat(story.wanted(Action.Watch.class).rejected()).hasSize(Faults.MAX_ROWS);

    story.rejected(1, "one", 200, 200).rejected(1, "another", 201, 201);
    assertThat(story.wanted(Action.Watch.class).rejected()).isEmpty();
    assertThat(story.wanted(Action.Watch.class).from().next()).isEqualTo(Map.of(0, 202L));
  }

  @Test
  void faultsOfAStandbyAreNoneOfTheView() {
    Story story = Story.serving(BY_ORG).spec(BY_AGE).built();

    story.rejected(1, "r1", 7, 0).pass(Duration.ofSeconds(1));

    assertThat(story.roles()).containsExactly("1 STANDBY", "2 SERVING");
    assertThat(story.state().state()).isEqualTo(State.READY);
    assertThat(story.state().reason()).isEmpty();
  }

  /** Its rows would go with the generation that has them, although that one misses deletions. */
  @Test
  void generationBuiltFromAStateThatLacksRecordsReplacesNone() {
    Story story = Story.serving(BY_ORG);
    story
        .setsForgotten(Set.of("people"))
        .result(new Finding.ChangesMissed("by-org", 1, "forgotten"))
        .rebuild(BY_ORG, 1, BuildMode.STATE)
        .frozen()
        .report(2, Phase.BUILT);
    assertThat(story.find(Action.CheckReady.class)).isEmpty();

    story.setsForgotten(Set.of()).done(Action.CheckReady.class);
    assertThat(story.state().serving().orElseThrow().number()).isEqualTo(2);
  }

  /** Or when a process takes over whose clock is behind. */
  @Test
  void tellsOnAfterTheClockWasSetBack() {
    Story story = Story.serving(BY_ORG).report(0, 1, Phase.BUILT, 1, "no age");

    story.pass(Duration.ofHours(-1)).report(0, 1, Phase.BUILT, 2, "no age");
    assertThat(story.state().reason()).contains("2 records have no rows");
  }
}
