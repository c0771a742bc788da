package io.indexview.streams.controller.rules;

import io.indexview.schemas.control.ViewState.Role;

/**
 * How far a generation is on its way.
 *
 * <pre>{@code
 * PREPARED --publish--> BUILDING --switch--> SERVING <--switch--> STANDBY
 *    |                     |                    |                  |  |
 *    | give up     give up |                    +--- make room, ---+  |
 *    v                     |                    v    drop             |
 *  gone                    |                 LEAVING                  |
 *                          |                    | retire              | retire
 *                          v                    |                     |
 *                       STOPPING <--------------+---------------------+
 *                          | no task writes it
 *                          v
 *                       DRAINING --sink is at its end--> DRAINED --rows are removed--> gone
 * }</pre>
 *
 * <ul>
 *   <li>publish: every other generation in the same place is {@link #DRAINED}, and the target shows
 *       that it does not serve.
 *   <li>switch: it is the goal, may serve, and has passed the READY check; in the same step the one
 *       that served before stands by.
 *   <li>give up: it is not the goal any more; one that is being built also gives way to another in
 *       its place.
 *   <li>make room: a prepared one is to be written in its place. Drop: the view is dropped.
 *   <li>retire: the target shows that it does not serve, its grace is over, and it is not the goal.
 *   <li>Rows are removed when the target shows that it does not serve, and nothing is prepared or
 *       built in its place.
 * </ul>
 */
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
