package io.indexview.schemas.time;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A pause, which is over from the start until it is reset. It is measured by {@link
 * System#nanoTime}: a wall clock that is set back would make it longer by the step. Not safe for
 * use by several threads.
 */
public final class Timer {
  private final Time time;
  private long startedAt;
  private long length;

  public Timer(Time time) {
    this.time = time;
    this.startedAt = time.nanoTime();
  }

  /** The pause begins now; one of more than 292 years never ends. */
  public void reset(Duration pause) {
    startedAt = time.nanoTime();
    length = TimeUnit.NANOSECONDS.convert(pause);
  }

  public boolean isExpired() {
    return left() <= 0;
  }

  /** How long the pause lasts still; none: it is over. */
  public Duration remaining() {
    return Duration.ofNanos(Math.max(0, left()));
  }

  /** Nanoseconds have no fixed origin, so only a difference says what is later. */
  private long left() {
    return length - (time.nanoTime() - startedAt);
  }
}
