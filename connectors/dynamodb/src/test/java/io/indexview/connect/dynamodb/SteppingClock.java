package io.indexview.connect.dynamodb;

import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.time.Instant;

/** Each read of the clock is some milliseconds later, so that waits end without waiting. */
public final class SteppingClock extends Time {
  private long now = Instant.parse("2017-08-20T00:00:00Z").toEpochMilli();

  @Override
  public Instant instant() {
    now += 20;
    return Instant.ofEpochMilli(now);
  }

  @Override
  public long nanoTime() {
    return Duration.ofMillis(millis()).toNanos();
  }
}
