package io.indexview.connect.kvstore.source;

import java.time.Duration;
import java.util.Optional;

/**
 * How long a source rests between two scans.
 *
 * @param interval at least
 * @param maxInterval longest pause that {@code maxTimePercent} leads to
 * @param maxTimePercent share of the time that scans take at most that find nothing
 */
record ScanPauses(Duration interval, Duration maxInterval, int maxTimePercent) {

  /** Pause after a scan that found something, or was not complete. */
  Duration afterNews() {
    return interval;
  }

  /**
   * Pause after a scan that found nothing. The shorter of two scans says what one costs: the first
   * scan of a process takes longer, and so does one on a busy machine. So a first one says nothing,
   * unless it is longer than any pause.
   *
   * @param before length of the scan before; empty: there was none
   */
  Duration afterNothing(Duration length, Optional<Duration> before) {
    Duration other = before.orElse(length.compareTo(maxInterval) < 0 ? Duration.ZERO : length);
    Duration cost = length.compareTo(other) < 0 ? length : other;
    Duration wanted = cost.multipliedBy(100L - maxTimePercent).dividedBy(maxTimePercent);
    Duration bounded = wanted.compareTo(maxInterval) < 0 ? wanted : maxInterval;
    return bounded.compareTo(interval) < 0 ? interval : bounded;
  }
}
