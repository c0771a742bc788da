package io.indexview.connect.common.errors;

import java.time.Duration;
import java.util.function.DoubleSupplier;
import java.util.random.RandomGenerator;

/**
 * Growing waits: doubled with each failure up to a bound, half of each at random. Not thread-safe.
 */
public final class Backoff {
  private final Duration initial;
  private final Duration max;
  private final DoubleSupplier random;
  private int failures;

  public Backoff(Duration initial, Duration max) {
    this(initial, max, RandomGenerator.getDefault()::nextDouble);
  }

  /**
   * @param random numbers from 0 up to, not including, 1
   */
  public Backoff(Duration initial, Duration max, DoubleSupplier random) {
    this.initial = initial;
    this.max = max;
    this.random = random;
  }

  /** Counts one more failure; returns how long to wait before the next attempt. */
  public Duration next() {
    long ceiling = max.toMillis();
    int doublings = Math.min(failures++, 20);
    long full = Math.min(ceiling, initial.toMillis() << doublings);
    long half = full / 2;
    return Duration.ofMillis(Math.max(1, full - half + (long) (half * random.getAsDouble())));
  }

  /** A success: the next failure waits the initial time again. */
  public void reset() {
    failures = 0;
  }

  /** Failures since the last success. */
  public int failures() {
    return failures;
  }
}
