package io.indexview.client.poll;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.errors.InterruptException;

/** How long somebody waits for something, polling at growing intervals. For one thread. */
public final class PollTimer {
  private final long deadline;
  private final long maxPause;
  private long pause;

  /**
   * Begins now.
   *
   * @param first pause between two polls
   * @param maxPause longest pause between two polls
   */
  public PollTimer(Duration timeout, Duration first, Duration maxPause) {
    this.deadline = System.nanoTime() + Math.max(0, timeout.toNanos());
    this.maxPause = maxPause.toNanos();
    this.pause = first.toNanos();
  }

  /** How long it lasts yet, zero at least. */
  public Duration left() {
    return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
  }

  /**
   * Pauses, unless the time is over.
   *
   * @return whether to poll again
   * @throws InterruptException if the thread is interrupted
   */
  public boolean pause() {
    long left = deadline - System.nanoTime();
    if (left <= 0) {
      return false;
    }
    LockSupport.parkNanos(Math.min(pause, left));
    if (Thread.interrupted()) {
      throw new InterruptException("interrupted while waiting for a view");
    }
    pause = Math.min(2 * pause, maxPause);
    return true;
  }
}
