package io.indexview.streams.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.Tries.Seeds;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Views live in a simulated world where everything is late, repeated, or crashes: see {@link World}
 * for what happens there, and {@link Checks} for what must be true all the while.
 */
class LifecycleSimulationTest {
  private static final int STEPS = 4_000;
  private static final int STEPS_TO_REST = 60_000;

  @Property(tries = 40)
  void servesOnlyWhatIsCompleteAndLeavesNothingBehind(@ForAll(supplier = Seeds.class) long seed) {
    World world = new World(seed);
    for (int i = 0; i < STEPS; i++) {
      world.step();
    }
    world.heal();
    assertThat(world.rest(STEPS_TO_REST)).as("at rest; wanted: %s", world.owner.wanted()).isTrue();
    new AtRest(world).check();
  }
}
