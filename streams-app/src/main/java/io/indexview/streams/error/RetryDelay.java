package io.indexview.streams.error;

import java.time.Duration;

/** Waiting times that double up to a bound. */
public record RetryDelay(Duration first, Duration max) {

  /**
   * @param attempt from 0
   */
  public Duration of(int attempt) {
    long factor = 1L << Math.min(attempt, 20);
    Duration doubled = first.multipliedBy(factor);
    return doubled.compareTo(max) < 0 ? doubled : max;
  }
}
