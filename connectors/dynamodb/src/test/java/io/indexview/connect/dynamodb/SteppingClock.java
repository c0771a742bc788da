package io.indexview.connect.dynamodb;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** Each read of the clock is some milliseconds later, so that waits end without waiting. */
public final class SteppingClock extends Clock {
  private long now = Instant.parse("2017-08-20T00:00:00Z").toEpochMilli();

  @Override
  public Instant instant() {
    now += 20;
    return Instant.ofEpochMilli(now);
  }

  /** Like {@link System#nanoTime}. */
  public long nanoTime() {
    return Duration.ofMillis(millis()).toNanos();
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    throw new UnsupportedOperationException("always UTC");
  }
}
