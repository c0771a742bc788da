package io.indexview.schemas.serde;

/**
 * Bounds how often objects and arrays are tried in vain as a type of a union while what holds them
 * is tried itself: that could be twice as often with each level. For one value, or those that are
 * read together.
 */
public final class UnionAttempts {
  private static final int MAX_ATTEMPTS = 10_000;

  private int open;
  private int inVain;

  /** Whether nothing more is to be tried. */
  public boolean areSpent() {
    return inVain >= MAX_ATTEMPTS;
  }

  public void begin() {
    open++;
  }

  /**
   * Ends the one that began last.
   *
   * @param failed whether an object or an array did not fit
   */
  public void end(boolean failed) {
    if (failed && open > 1) {
      inVain++;
    }
    open--;
  }
}
