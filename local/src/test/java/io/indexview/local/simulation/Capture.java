package io.indexview.local.simulation;

/** How the source finds changes; but for the first two with a rule broken. */
enum Capture {
  SCANS,
  CHANGES,
  /** A read was made when the change was named; its base is taken later. */
  BASE_TAKEN_AFTER_THE_READ,
  /** A restarted task goes on behind changes that were not named. */
  POSITION_AHEAD,
  /** Time is proven by every poll. */
  ALWAYS_CAUGHT_UP,
  GAPS_IGNORED
}
