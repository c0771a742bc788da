package io.indexview.schemas.order.simulation;

/** What must be true of every world. */
enum Checks implements Simulation.Check {
  /** Whatever was lost: two scans later the app has what the store has, or says what it lacks. */
  CONVERGES_AFTER_SCANS {
    @Override
    public boolean holds(SimulationState world, Rules rules) {
      SimulationState end = world.abortScan(rules);
      for (int i = 0; i < 2; i++) {
        end = end.beginScan().scan().endScan(false, rules);
      }
      SimulationState clean = end.cleanUp();
      return clean.isConverged() || clean.isPassedOver();
    }
  },

  /** If every event arrived, no scan is needed, and none did harm. */
  CONVERGES_BY_CHANGE_EVENTS {
    @Override
    public boolean holds(SimulationState world, Rules rules) {
      return !world.isFullyPublished()
          || world.isPassedOver()
          || world.isExact()
          || world.isUnpublished() && world.isConverged();
    }
  },

  /** A removal that an event named is for good. */
  NEVER_RESURRECTS {
    @Override
    public boolean holds(SimulationState world, Rules rules) {
      return !world.isResurrected();
    }
  },

  /** A change event does not count once a later one of its epoch did. */
  NEVER_GOES_BACK {
    @Override
    public boolean holds(SimulationState world, Rules rules) {
      return !world.wentBack();
    }
  };

  /** All of them. */
  static boolean all(SimulationState world, Rules rules) {
    for (Checks check : values()) {
      if (!check.holds(world, rules)) {
        return false;
      }
    }
    return true;
  }
}
