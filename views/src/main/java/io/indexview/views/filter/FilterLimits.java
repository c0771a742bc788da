package io.indexview.views.filter;

/** What a filter may cost: definitions come from outside, and run with every record. */
final class FilterLimits {
  /** Code points of an expression. */
  static final int LENGTH = 2_000;

  /** How deep an expression may be nested. */
  static final int DEPTH = 32;

  /** Elements that the macros of one evaluation may look at, and elements of an array or map. */
  static final int ELEMENTS = 10_000;

  /** Instructions of a regular expression. */
  static final int REGEX_PROGRAM = 500;

  /**
   * Characters, bytes and elements that one evaluation may look at, each counted as often as it is
   * looked at; by regular expressions, once per instruction. Well below a second.
   */
  static final long STEPS = 50_000_000;

  private FilterLimits() {}
}
