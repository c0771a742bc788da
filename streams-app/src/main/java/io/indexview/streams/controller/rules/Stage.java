package io.indexview.streams.controller.rules;

import io.indexview.schemas.control.ViewState.Role;

/** How far a generation is on its way. */
enum Stage {
  /** Frozen, with its topic. Tasks learn of it when nobody else writes in its place. */
  PREPARED(Role.BUILDING),
  BUILDING(Role.BUILDING),
  SERVING(Role.SERVING),
  STANDBY(Role.STANDBY),
  /**
   * Of a dropped view, or where another is to be written. Readers may be at it, until they had time
   * to see that it does not serve.
   */
  LEAVING(Role.RETIRING),
  /** The tasks are to write it no more. */
  STOPPING(Role.RETIRING),
  /** No task writes it; the sink is not at the end of its topic yet. */
  DRAINING(Role.RETIRING),
  /** The sink has applied all of it. Its rows can go when nobody reads them any more. */
  DRAINED(Role.RETIRING);

  private final Role role;

  Stage(Role role) {
    this.role = role;
  }

  /** As the status of the view says it. */
  Role role() {
    return role;
  }
}
