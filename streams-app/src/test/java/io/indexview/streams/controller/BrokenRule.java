package io.indexview.streams.controller;

/** A rule of the controller that is broken on purpose: the simulation must notice. */
enum BrokenRule {
  NONE,
  /** What was found counts before everything is read that was told before. */
  FINDINGS_COUNT_AT_ONCE,
  /** Who lost the lease still commits. */
  NOBODY_IS_FENCED,
  /** Old reports pass for the newest ones when a process takes over. */
  REPORTS_ARE_NOT_READ_FIRST
}
