package io.indexview.schemas.order.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.Tries;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** All short histories of one key, with the real rules and with each of them broken. */
class OrderGuardSimulationTest {
  private static final int STEPS = Tries.steps(4);

  @Test
  void holdsInAllShortHistoriesWhenEventsMayArriveTwice() {
    Simulation simulation = new Simulation(Rules.REAL, 2);

    assertThat(simulation.counterexample(STEPS, Checks::all)).isEmpty();
    assertThat(simulation.size()).isGreaterThan(20_000);
  }

  @Test
  void holdsInAllShortHistoriesWhenEventsArriveOnceOrNever() {
    Simulation simulation = new Simulation(Rules.REAL, 1);

    assertThat(simulation.counterexample(STEPS + 1, Checks::all)).isEmpty();
    assertThat(simulation.size()).isGreaterThan(40_000);
  }

  /** The app left the version for another epoch, which an index that was begun anew cannot know. */
  @Test
  void looksAgainAtAKeyThatWasDeletedDuringAnAdHocSnapshot() {
    assertNeedsToReadAgain(
        rules ->
            SimulationState.EMPTY
                .put(true, 1)
                .migrate(true)
                .put(true, 1)
                .arrive(1, rules)
                .arrive(0, rules)
                .loseIndex()
                .beginScan()
                .scan()
                .delete(1)
                .arrive(0, rules)
                .endScan(false, rules));
  }

  @Test
  void looksAgainAtAKeyWhoseOldDeletionArrivesDuringAnAdHocSnapshot() {
    assertNeedsToReadAgain(
        rules ->
            SimulationState.EMPTY
                .put(true, 1)
                .arrive(0, rules)
                .migrate(false)
                .loseIndex()
                .beginScan()
                .scan()
                .delete(1)
                .put(true, 1)
                .arrive(1, rules)
                .arrive(0, rules)
                .endScan(false, rules));
  }

  /** With the real rules the history ends right, without a second read it does not. */
  private static void assertNeedsToReadAgain(Function<Rules, SimulationState> history) {
    Rules once = new Rules(Rules.REAL.guard(), true, true, true, true, false);

    assertThat(Checks.CONVERGES_AFTER_SCANS.holds(history.apply(Rules.REAL), Rules.REAL)).isTrue();
    assertThat(Checks.CONVERGES_AFTER_SCANS.holds(history.apply(once), once)).isFalse();
  }

  @ParameterizedTest
  @EnumSource(BrokenRule.class)
  void failsInSomeHistoryWhenOneRuleIsBroken(BrokenRule broken) {
    Optional<String> found =
        new Simulation(broken.rules, 2)
            .counterexample(4, broken.check)
            .or(() -> new Simulation(broken.rules, 1).counterexample(5, broken.check));

    assertThat(found).isPresent();
  }
}
