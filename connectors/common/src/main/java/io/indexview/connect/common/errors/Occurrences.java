package io.indexview.connect.common.errors;

import java.time.Duration;

/**
 * Decides which occurrences of a frequent event are worth a line in the log: the first, and then
 * one of each interval. Counts them all. Not thread-safe.
 */
public final class Occurrences {
  private final long intervalMs;
  private long untold;
  private boolean isLogged;
  private long loggedAt;

  /**
   * @param interval between two lines at least
   */
  public Occurrences(Duration interval) {
    this.intervalMs = interval.toMillis();
  }

  /**
   * Counts one more occurrence.
   *
   * @param nowMs ms since the epoch
   * @return for how many times a line is to be logged now, those since the last line; 0: none
   */
  public long occurred(long nowMs) {
    untold++;
    if (isLogged && nowMs - loggedAt < intervalMs && nowMs >= loggedAt) {
      return 0;
    }
    long telling = untold;
    untold = 0;
    isLogged = true;
    loggedAt = nowMs;
    return telling;
  }
}
