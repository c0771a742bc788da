package io.indexview.server.rows;

import java.time.Duration;
import java.util.Objects;

/**
 * Bounds of what requests may ask for.
 *
 * @param maxRows of a page
 * @param maxTimeout of a wait
 * @param maxWaiting requests that may wait at a time
 */
public record ReadLimits(int maxRows, Duration maxTimeout, int maxWaiting) {
  public ReadLimits {
    Objects.requireNonNull(maxTimeout, "maxTimeout");
  }
}
