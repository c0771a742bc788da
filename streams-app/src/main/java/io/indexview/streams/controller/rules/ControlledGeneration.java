package io.indexview.streams.controller.rules;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewSpec;

/**
 * One generation of a view.
 *
 * @param published as it is, or will be, on {@code view-generations}
 * @param description the frozen generation as JSON
 * @param store where its rows lie: name of the index or table. Generations of one store overwrite
 *     each other's rows
 * @param partitions of the record set's topic
 */
public record ControlledGeneration(
    PublishedGeneration published,
    String description,
    String store,
    int partitions,
    Standing standing,
    Faults faults) {
  /**
   * @param since version of the status that first said the role
   * @param graceUntilMs when its grace time is over, which begins when the target is known to show
   *     that status, ms since the epoch; {@value #NO_GRACE}: not yet
   */
  record Standing(Stage stage, long since, long graceUntilMs) {
    static final long NO_GRACE = -1;

    /**
     * @param nextVersion of the status that will say so, if the role changes
     */
    Standing to(Stage next, long nextVersion) {
      return next.role() == stage.role()
          ? new Standing(next, since, graceUntilMs)
          : new Standing(next, nextVersion, NO_GRACE);
    }

    /**
     * Whether nobody writes its rows, and nobody reads them any more.
     *
     * @param applied newest version that the target is known to show
     */
    boolean isOver(long applied) {
      return stage == Stage.DRAINED && since <= applied;
    }
  }

  int number() {
    return published.generation();
  }

  Stage stage() {
    return standing.stage();
  }

  boolean serves(ViewSpec spec) {
    return published.definition().equals(spec.definition())
        && published.build().number() == spec.build().number();
  }

  ControlledGeneration with(PublishedGeneration newer) {
    return new ControlledGeneration(newer, description, store, partitions, standing, faults);
  }

  ControlledGeneration with(Standing newer) {
    return new ControlledGeneration(published, description, store, partitions, newer, faults);
  }

  ControlledGeneration with(Faults newer) {
    return new ControlledGeneration(published, description, store, partitions, standing, newer);
  }
}
