package io.indexview.connect.dynamodb.write;

/**
 * How many requests may be in flight: half as many after a failure, one more after as many
 * successes as may be in flight. Failures of requests that were sent before the last halving tell
 * nothing new. Changed by one thread; {@link #value} is for any.
 */
final class RequestLimit {
  private final int max;
  private volatile double value;
  private int halvings;

  /**
   * @param max also where it begins
   */
  RequestLimit(int max) {
    this.max = max;
    this.value = max;
  }

  /** At least 1. */
  int value() {
    return (int) value;
  }

  /** Says of a request now sent how the limit came about; for its answer. */
  int halvings() {
    return halvings;
  }

  /** Whether a request was sent since the last halving. */
  boolean isCurrent(int halvingsWhenSent) {
    return halvingsWhenSent == halvings;
  }

  void succeeded() {
    value = Math.min(max, value + 1 / value);
  }

  void failed() {
    value = Math.max(1, value / 2);
    halvings++;
  }
}
