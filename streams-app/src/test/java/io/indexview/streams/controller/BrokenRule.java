package io.indexview.streams.controller;

/** A rule of the controller that is broken on purpose: the simulation must notice. */
enum BrokenRule {
  NONE(0),
  /** What was found counts before everything is read that was told before. */
  FINDINGS_COUNT_AT_ONCE(109),
  /** Who lost the lease still commits. */
  NOBODY_IS_FENCED(0),
  /** Old reports pass for the newest ones when a process takes over. */
  REPORTS_ARE_NOT_READ_FIRST(0);

  /** A history that goes wrong, so that nobody has to search for one in every build. */
  final long knownSeed;

  BrokenRule(long knownSeed) {
    this.knownSeed = knownSeed;
  }
}
