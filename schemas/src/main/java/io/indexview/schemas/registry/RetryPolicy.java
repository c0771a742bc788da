package io.indexview.schemas.registry;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * @param retries rounds after the first
 * @param backoff pause before the first retry, doubling from there
 */
record RetryPolicy(int retries, Duration backoff) {
  private static final long MAX_BACKOFF_MS = 5_000;

  /** The pause after a failed round, with jitter so that many clients do not come back at once. */
  Duration pauseAfter(int round) {
    long full = Math.min(MAX_BACKOFF_MS, backoff.toMillis() << Math.min(round, 16));
    return Duration.ofMillis(ThreadLocalRandom.current().nextLong(full / 2, full + 1));
  }
}
