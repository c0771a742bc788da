package io.indexview.connect.kvstore.source;

import java.time.Duration;

/**
 * How long a source rests between two scans.
 *
 * @param interval at least
 * @param maxInterval longest pause that {@code maxTimePercent} leads to
 * @param maxTimePercent share of the time that scans take at most that find nothing
 */
record ScanPauses(Duration interval, Duration maxInterval, int maxTimePercent) {

  /** After a scan that found something, or was not complete. */
  Duration afterNews() {
    return interval;
  }

  /** After a scan that found nothing. */
  Duration afterNothing(Duration length) {
    Duration wanted = length.multipliedBy(100L - maxTimePercent).dividedBy(maxTimePercent);
    Duration bounded = wanted.compareTo(maxInterval) < 0 ? wanted : maxInterval;
    return bounded.compareTo(interval) < 0 ? interval : bounded;
  }
}
