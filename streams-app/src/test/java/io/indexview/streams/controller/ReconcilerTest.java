package io.indexview.streams.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.RepairProgress;
import io.indexview.schemas.control.RowsVerified;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.TaskProgress.Phase;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.schemas.control.ViewState;
import io.indexview.streams.People;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.ControlEvent;
import io.indexview.streams.controller.rules.ControlRecord;
import io.indexview.streams.controller.rules.ControllerSettings;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.controller.rules.Freezing;
import io.indexview.streams.controller.rules.ViewRules.Health;
import io.indexview.views.definition.ViewDefinitionParser;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the controller remembers, writes and asks, in numbers. */
class ReconcilerTest {
  private static final int VIEWS = 20;
  private static final int PARTITIONS = 30;
  private static final ControllerSettings SETTINGS =
      new ControllerSettings(
          Duration.ofMinutes(10), new Topics(Topics.DEFAULT_PREFIX), Map.of("kv", "connect-kv"));

  private final Map<String, GenericRecord> kept = new HashMap<>();
  private long nowMs = 1_000_000;
  private Reconciler reconciler = open();

  private Reconciler open() {
    ControllerMemory memory = new ControllerMemory();
    kept.values().forEach(memory::add);
    return new Reconciler(SETTINGS, memory.views(), memory.losses());
  }

  private Reconciler.Changes commit() {
    Reconciler.Changes changes = reconciler.takeChanges();
    kept.putAll(ControllerMemory.records(changes, new ControllerMemory.Read("id", 0)));
    return changes;
  }

  private void apply(ControlEvent event) {
    reconciler.apply(event, nowMs);
  }

  /** A round in which a second has passed. */
  private Reconciler.Changes tick() {
    nowMs += 1_000;
    reconciler.tick(nowMs);
    return commit();
  }

  private static String view(int number) {
    return "view-" + number;
  }

  private static ViewSpec spec(int number) {
    String definition = People.BY_ORG.replace("by-org", view(number));
    String json = new ViewDefinitionParser().parse("test.yaml", definition).toJson();
    return new ViewSpec(view(number), json, 7, BuildRequest.FIRST, 1, Optional.empty());
  }

  private void serve() {
    IntStream.range(0, VIEWS).forEach(i -> apply(new ControlEvent.Desired(spec(i))));
    for (Action action : reconciler.wanted().values()) {
      if (action instanceof Action.Freeze freeze) {
        apply(Freezing.frozen(freeze, People.RECORD_SET, PARTITIONS));
      }
    }
    IntStream.range(0, VIEWS).forEach(i -> reportAll(i, Phase.BUILT));
    tick();
    for (Action action : reconciler.wanted().values()) {
      if (action instanceof Action.CheckReady) {
        apply(Finding.Done.of(action));
      }
    }
    rest();
  }

  private void rest() {
    for (int i = 0; i < 3; i++) {
      tick();
    }
  }

  private void reportAll(int view, Phase phase) {
    IntStream.range(0, PARTITIONS).forEach(partition -> report(view, partition, phase, 1));
  }

  private void report(int view, int partition, Phase phase, long rows) {
    report(view, 1, partition, phase, rows);
  }

  private void report(int view, int generation, int partition, Phase phase, long rows) {
    TaskProgress report =
        new TaskProgress(
            "people", partition, view(view), generation, phase, 9, 9, rows, rows, 0, "", nowMs);
    apply(new ControlEvent.Reported(report));
  }

  private static List<ViewState> states(Reconciler.Changes changes) {
    return changes.records.stream()
        .filter(ControlRecord.State.class::isInstance)
        .map(record -> ((ControlRecord.State) record).state())
        .toList();
  }

  @Test
  void progressReportsPublishOneStatePerViewAndSecond() {
    serve();
    nowMs += 10_000;
    report(0, 0, Phase.BUILT, 2);
    reconciler.tick(nowMs);
    assertThat(commit().views).as("the first one at once").hasSize(1);

    for (int partition = 0; partition < PARTITIONS; partition++) {
      report(0, partition, Phase.BUILT, 4);
      reconciler.tick(nowMs);
    }
    assertThat(commit().isEmpty()).isTrue();

    Reconciler.Changes changes = tick();
    assertThat(changes.views).containsOnlyKeys(view(0));
    assertThat(states(changes)).singleElement().matches(s -> rows(s) == 4L * PARTITIONS);
  }

  private static long rows(ViewState state) {
    return state.generations().get(0).rows().orElseThrow();
  }

  @Test
  void goesOnAfterARestart() {
    serve();
    apply(new ControlEvent.Desired(spec(VIEWS)));
    rest();
    Map<String, Action> wanted = reconciler.wanted();
    var health = reconciler.health();

    reconciler = open();
    IntStream.range(0, VIEWS).forEach(i -> reportAll(i, Phase.BUILT));

    assertThat(reconciler.wanted()).isEqualTo(wanted);
    assertThat(tick().isEmpty()).isTrue();
    assertThat(reconciler.health()).isEqualTo(health);
  }

  @Test
  void publishesEverythingAgainThatIsLost() {
    serve();
    apply(new ControlEvent.Desired(spec(VIEWS)));
    apply(new ControlEvent.Dropped(view(0)));
    rest();
    Map<String, Action> wanted = reconciler.wanted();

    apply(new Finding.PublicationsLost());

    Reconciler.Changes changes = commit();
    assertThat(changes.records)
        .filteredOn(ControlRecord.Generation.class::isInstance)
        .extracting(record -> ((ControlRecord.Generation) record).generation().key())
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, VIEWS).mapToObj(i -> PublishedGeneration.key(view(i), 1)).toList());
    assertThat(states(changes))
        .extracting(ViewState::view)
        .containsExactlyInAnyOrderElementsOf(
            IntStream.rangeClosed(0, VIEWS).mapToObj(ReconcilerTest::view).toList());
    assertThat(reconciler.wanted().keySet()).containsAll(wanted.keySet());
    rest();
    assertThat(tick().isEmpty()).isTrue();
  }

  @Test
  void tellsAfterARestartWhatWasReportedMeanwhile() {
    serve();
    reconciler = open();
    IntStream.range(0, VIEWS).forEach(i -> reportAll(i, Phase.BUILT));
    report(3, 7, Phase.FAILED, 1);

    assertThat(states(tick()))
        .singleElement()
        .matches(state -> state.view().equals(view(3)))
        .matches(state -> state.state() == ViewState.State.DEGRADED);
  }

  @Test
  void viewsWithoutEventsAreNotEvaluated() {
    serve();
    assertThat(reconciler.restless()).isEmpty();

    report(5, 0, Phase.BUILT, 2);
    assertThat(reconciler.restless()).containsExactly(view(5));
  }

  @Test
  void forgetsTheReportsOfWhatIsGone() {
    serve();
    apply(new ControlEvent.Dropped(view(0)));
    Reconciler.Changes changes = goThrough(view(0));

    assertThat(changes.reportsOver).hasSize(PARTITIONS);
    assertThat(changes.reportsOver).allMatch(key -> key.endsWith("|view-0|1"));
  }

  @Test
  void forgetsWhatVerificationsAndRepairsReportedOfWhatIsGone() {
    serve();
    RowsVerified found = new RowsVerified(view(0), 1, "v1", 3, nowMs);
    RepairProgress repaired = new RepairProgress(view(0), 1, 7, "v1-a", 0, nowMs);
    apply(new ControlEvent.Verified(found));
    apply(new ControlEvent.Verified(new RowsVerified(view(1), 1, "v2", 0, nowMs)));
    apply(new ControlEvent.Repaired(repaired));
    tick();

    apply(new ControlEvent.Dropped(view(0)));

    assertThat(goThrough(view(0)).reportsOver).contains(found.key(), repaired.key()).hasSize(32);
  }

  @Test
  void onlyTheLastVerificationCounts() {
    serve();
    apply(new ControlEvent.Verified(new RowsVerified(view(0), 1, "v1", 3, nowMs)));
    apply(new ControlEvent.Verified(new RowsVerified(view(0), 1, "v2", 0, nowMs)));

    assertThat(tick().records).isEmpty();
  }

  @Test
  void wrongRowsAreRememberedOverATakeover() {
    serve();
    apply(new ControlEvent.Verified(new RowsVerified(view(0), 1, "v1", 3, nowMs)));
    tick();

    reconciler = open();
    reportAll(0, Phase.BUILT);
    tick();

    assertThat(reconciler.health())
        .filteredOn(health -> health.state().view().equals(view(0)))
        .singleElement()
        .satisfies(
            health -> {
              assertThat(health.state().state()).isEqualTo(ViewState.State.DEGRADED);
              assertThat(health.state().reason()).contains("3 rows are wrong", "v1");
            });
  }

  @Test
  void whatIsVerifiedCountsBeforeAReadyCheckThatIsDoneAtTheSameTime() {
    serve();
    String other = spec(0).definition().replace("[\"org\"]", "[\"age\"]");
    ViewSpec newer = new ViewSpec(view(0), other, 8, BuildRequest.FIRST, 2, Optional.empty());
    apply(new ControlEvent.Desired(newer));
    Action freeze = reconciler.wanted().get("freeze|" + view(0) + "|2|8");
    apply(Freezing.frozen((Action.Freeze) freeze, People.RECORD_SET, PARTITIONS));
    IntStream.range(0, PARTITIONS).forEach(partition -> report(0, 2, partition, Phase.BUILT, 1));
    rest();
    Action check = reconciler.wanted().get("ready|" + view(0) + "|2|2");

    apply(new ControlEvent.Verified(new RowsVerified(view(0), 2, "v1", 5, nowMs)));
    apply(Finding.Done.of(check));

    ViewState state = states(tick()).get(0);
    assertThat(state.serving().orElseThrow().number()).isEqualTo(1);
    assertThat(state.reason()).contains("generation 2 is held back", "5 rows are wrong");
  }

  private Reconciler.Changes goThrough(String view) {
    for (int i = 0; i < 20; i++) {
      for (Action action : reconciler.wanted().values()) {
        if (action.view().equals(view) && !(action instanceof Action.Watch)) {
          apply(Finding.Done.of(action));
        }
      }
      nowMs += SETTINGS.grace().toMillis();
      reportAll(0, Phase.STOPPED);
      reconciler.tick(nowMs);
    }
    return commit();
  }

  @Test
  void publishesOneStateOfAViewInATransaction() {
    apply(new ControlEvent.Desired(spec(0)));
    Action freeze = reconciler.wanted().values().iterator().next();
    apply(Freezing.frozen((Action.Freeze) freeze, People.RECORD_SET, 1));
    reconciler.tick(nowMs);

    assertThat(states(commit())).singleElement().matches(state -> state.building().isPresent());
  }

  @Test
  void endedLossStaysEndedWhenItsReportIsReadAgain() {
    serve();
    apply(new Finding.Lost(new EventsLost("people", 10, "trimmed")));
    assertThat(states(tick())).hasSize(VIEWS);
    apply(new Finding.RecordSetWhole("people", 20));
    assertThat(states(tick())).allMatch(state -> state.state() == ViewState.State.READY);

    reconciler = open();
    IntStream.range(0, VIEWS).forEach(i -> reportAll(i, Phase.BUILT));
    apply(new Finding.Lost(new EventsLost("people", 10, "trimmed")));

    assertThat(tick().isEmpty()).isTrue();
  }

  /**
   * Nobody deletes the rows of records that the app forgot: publishing all others does not help.
   */
  @Test
  void viewsOfAForgottenStateStayDegradedUntilTheyAreBuiltAgain() {
    EventsLost loss = EventsLost.ofState("people", 10, "changelog", "id-1");
    serve();
    apply(new Finding.Lost(loss));
    assertThat(states(tick())).hasSize(VIEWS);
    apply(new Finding.RecordSetWhole("people", 20));
    assertThat(states(tick()))
        .hasSize(VIEWS)
        .allMatch(state -> state.state() == ViewState.State.DEGRADED)
        .allMatch(state -> state.reason().startsWith("changes of rows were missed"));

    reconciler = open();
    IntStream.range(0, VIEWS).forEach(i -> reportAll(i, Phase.BUILT));
    apply(new Finding.Lost(loss));
    assertThat(tick().isEmpty()).as("it is remembered").isTrue();
  }

  /** Each partition's task tells of it when it finds it, maybe after the views were built again. */
  @Test
  void theSameLossOfStateCountsOnce() {
    serve();
    apply(new Finding.Lost(EventsLost.ofState("people", 10, "changelog", "id-1")));
    apply(new Finding.RecordSetWhole("people", 20));
    tick();

    apply(new Finding.Lost(EventsLost.ofState("people", 30, "changelog", "id-1")));
    assertThat(tick().isEmpty()).isTrue();
    apply(new Finding.Lost(EventsLost.ofState("people", 30, "changelog", "id-2")));
    assertThat(states(tick())).as("it is lost once more").hasSize(VIEWS);
  }

  @ParameterizedTest
  @CsvSource({"20, false", "19, true"})
  void generationsAreRightThatWereBegunWhenALossOfStateWasOver(long createdAtMs, boolean missed) {
    serve();
    apply(new ControlEvent.Desired(spec(VIEWS)));
    Action freeze = reconciler.wanted().get("freeze|" + view(VIEWS) + "|1|7");
    apply(Freezing.frozen((Action.Freeze) freeze, People.RECORD_SET, PARTITIONS, createdAtMs));
    rest();
    apply(new Finding.Lost(EventsLost.ofState("people", 10, "changelog", "id-1")));
    apply(new Finding.RecordSetWhole("people", 20));

    assertThat(states(tick()))
        .filteredOn(state -> state.reason().contains("changes of rows were missed"))
        .hasSize(VIEWS + (missed ? 1 : 0));
  }

  @Test
  void viewsAreDegradedAsLongAsTheirRecordSetIsHindered() {
    serve();
    apply(new Finding.RecordSetHindered("people", "set both the same"));
    assertThat(states(tick()))
        .hasSize(VIEWS)
        .allMatch(state -> state.state() == ViewState.State.DEGRADED)
        .allMatch(
            state -> state.reason().equals("record set people may be wrong: set both the same"));
    reconciler = open();
    IntStream.range(0, VIEWS).forEach(i -> reportAll(i, Phase.BUILT));
    assertThat(tick().isEmpty()).as("it is remembered").isTrue();

    apply(new Finding.RecordSetHindered("people", ""));
    assertThat(states(tick()))
        .hasSize(VIEWS)
        .allMatch(state -> state.state() == ViewState.State.READY);
  }

  @Test
  void ignoresReportsOfViewsThatThereAreNot() {
    report(77, 0, Phase.BUILT, 1);

    assertThat(tick().isEmpty()).isTrue();
    assertThat(reconciler.restless()).isEmpty();
  }

  @Test
  void onlyAReadThatBeganAfterALossEndsIt() {
    serve();
    apply(new Finding.Lost(new EventsLost("people", 10, "trimmed")));
    tick();

    apply(new Finding.RecordSetWhole("people", 9));
    assertThat(states(tick())).isEmpty();
    apply(new Finding.RecordSetWhole("people", 10));
    assertThat(states(tick()))
        .hasSize(VIEWS)
        .allMatch(state -> state.state() == ViewState.State.READY);
  }

  @Test
  void healthSaysHowEachViewIsAndHowMuchIsWrongWithIt() {
    serve();
    report(3, 7, Phase.FAILED, 1);
    apply(new ControlEvent.Desired(spec(VIEWS)));
    Action freeze = reconciler.wanted().get("freeze|" + view(VIEWS) + "|1|7");
    apply(Finding.Waiting.of(freeze, "the registry"));
    rest();

    assertThat(reconciler.health())
        .hasSize(VIEWS + 1)
        .extracting(
            health -> health.state().view(), health -> health.state().state(), Health::reasons)
        .contains(tuple(view(0), ViewState.State.READY, 0))
        .contains(tuple(view(3), ViewState.State.DEGRADED, 1))
        .contains(tuple(view(VIEWS), ViewState.State.BUILDING, 0));

    apply(new ControlEvent.Dropped(view(0)));
    goThrough(view(0));
    assertThat(reconciler.health())
        .extracting(health -> health.state().view())
        .doesNotContain(view(0));
  }

  /** Proofs of view 0; the state that is published then. */
  private ViewState.Freshness proven(int generation, long beganAtMs, long visibleBeforeMs) {
    OptionalLong visible = OptionalLong.of(visibleBeforeMs);
    apply(new Finding.FreshnessProven(view(0), generation, beganAtMs, visible, ""));
    return freshness();
  }

  private ViewState.Freshness freshness() {
    tick();
    tick();
    return reconciler.health().get(0).state().freshness();
  }

  private static ViewState.Freshness visibleBefore(long timeMs, String heldBackBy) {
    return new ViewState.Freshness(OptionalLong.of(timeMs), heldBackBy);
  }

  @Test
  void aViewIsAsFreshAsWasProvenOfTheRowsThatServe() {
    serve();
    assertThat(proven(2, nowMs, 4)).as("other rows").isEqualTo(ViewState.Freshness.UNKNOWN);
    assertThat(proven(1, 1_000_000, 5))
        .as("before it was READY")
        .isEqualTo(ViewState.Freshness.UNKNOWN);
    assertThat(proven(1, nowMs, 6)).isEqualTo(visibleBefore(6, ""));

    apply(new Finding.FreshnessProven(view(0), 1, nowMs, OptionalLong.empty(), "the sink"));
    assertThat(freshness()).isEqualTo(visibleBefore(6, "the sink"));

    nowMs -= 3_600_000;
    proven(1, nowMs, 7);
    assertThat(proven(1, nowMs, 8)).as("set back").isEqualTo(visibleBefore(8, ""));
  }

  @Test
  void freshnessStandsStillWhileRowsAreWrong() {
    serve();
    proven(1, nowMs, 6);
    long beganAtMs = nowMs;
    report(0, 7, Phase.FAILED, 1);
    assertThat(proven(1, beganAtMs, 7))
        .as("found wrong meanwhile")
        .isEqualTo(visibleBefore(6, "the view, which is DEGRADED"));

    report(0, 7, Phase.BUILT, 1);
    assertThat(proven(1, beganAtMs, 8)).isEqualTo(visibleBefore(6, ""));
    assertThat(proven(1, nowMs, 9)).isEqualTo(visibleBefore(9, ""));
  }

  @Test
  void faultTakesPrecedenceOverAFreshnessProofFoundWithIt() {
    serve();
    proven(1, nowMs, 6);
    long beganAtMs = nowMs;
    apply(new Finding.FreshnessProven(view(0), 1, beganAtMs, OptionalLong.of(7), ""));
    apply(new Finding.RecordSetBroken("people", 1, "trimmed"));
    assertThat(freshness()).isEqualTo(visibleBefore(6, "the view, which is DEGRADED"));
  }
}
