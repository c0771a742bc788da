package io.indexview.streams.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.Tries.Seeds;
import java.util.stream.LongStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Views live in a simulated world where everything is late, repeated, or crashes: see {@link
 * SimWorld} for what happens there, and {@link Checks} for what must be true all the while.
 */
class LifecycleSimulationTest {
  private static final int STEPS = 4_000;
  private static final int STEPS_TO_REST = 60_000;
  private static final int CONTROLS = 150;

  @Property(tries = 3)
  void servesOnlyWhatIsCompleteAndLeavesNothingBehind(@ForAll(supplier = Seeds.class) long seed) {
    live(seed, BrokenRule.NONE);
  }

  @Example
  void bothGenerationsAreFoundFaultyWhenOneIsRolledBackTo() {
    live(1999217197568611817L, BrokenRule.NONE);
  }

  @ParameterizedTest
  @ValueSource(longs = {-7952723489228598379L, 6977413196846915123L})
  void viewsDefinedAfterALossOfStateBecomeReady(long seed) {
    live(seed, BrokenRule.NONE);
  }

  @Property(tries = 3)
  void viewsShowWhatVerificationsFind(@ForAll(supplier = Seeds.class) long seed) {
    liveVerified(seed);
  }

  @Example
  void aVerificationFindsWhatIsBuiltFaultyWhenItsReadyCheckIsDone() {
    liveVerified(-7701115480401527079L);
  }

  private static void liveVerified(long seed) {
    SimWorld world = new SimWorld(seed, BrokenRule.NONE);
    world.verifies = true;
    live(world);
  }

  private static void live(long seed, BrokenRule broken) {
    live(new SimWorld(seed, broken));
  }

  private static void live(SimWorld world) {
    for (int i = 0; i < STEPS; i++) {
      world.step();
    }
    world.heal();
    assertThat(world.rest(STEPS_TO_REST))
        .as("at rest; wanted: %s", world.controllers.get(0).actions.wanted())
        .isTrue();
    new AtRest(world).check();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void noticesABrokenRule(BrokenRule broken) {
    LongStream seeds =
        LongStream.concat(LongStream.of(broken.knownSeed), LongStream.range(0, CONTROLS));
    assertThat(seeds.anyMatch(seed -> fails(seed, broken)))
        .as("a counterexample for %s", broken)
        .isTrue();
  }

  private static boolean fails(long seed, BrokenRule broken) {
    try {
      live(seed, broken);
      return false;
    } catch (AssertionError | RuntimeException e) {
      return true;
    }
  }
}
