package io.indexview.connect.kvstore.source;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** Goes on when it is told to. */
public final class SimulatedClock extends Clock {
  private long now = 1_700_000_000_000L;

  public void pass(Duration time) {
    now += time.toMillis();
  }

  @Override
  public long millis() {
    return now;
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(now);
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }
}
