package io.indexview.schemas.time;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/**
 * What time it is, as a clock in UTC, and how much of it passes. Safe for use by several threads.
 */
public abstract class Time extends Clock {
  public static final Time SYSTEM = new SystemTime();

  /**
   * Returns a time like {@link System#nanoTime}, of which only a difference has a meaning. Setting
   * the wall clock does not change it.
   */
  public abstract long nanoTime();

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    throw new UnsupportedOperationException("always UTC");
  }

  private static final class SystemTime extends Time {
    @Override
    public Instant instant() {
      return Instant.now();
    }

    @Override
    public long millis() {
      return System.currentTimeMillis();
    }

    @Override
    public long nanoTime() {
      return System.nanoTime();
    }
  }
}
