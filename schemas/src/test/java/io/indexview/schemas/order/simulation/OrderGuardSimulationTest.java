package io.indexview.schemas.order.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.Tries;
import java.util.Optional;
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
