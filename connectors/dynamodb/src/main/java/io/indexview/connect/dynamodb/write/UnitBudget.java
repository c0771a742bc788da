package io.indexview.connect.dynamodb.write;

import java.time.Duration;
import java.time.Instant;

/**
 * Write capacity units that may be used: so many come each second, those of one second are kept.
 * What a write takes is known when it is done, so there may be a debt, which is waited for. For one
 * thread.
 */
final class UnitBudget {
  private static final double NANOS = 1e9;

  private final double perSecond;
  private double units;
  private Instant filledAt;

  /**
   * @param perSecond 0: no bound
   */
  UnitBudget(double perSecond) {
    this.perSecond = perSecond;
    this.units = perSecond;
  }

  boolean allows(Instant now) {
    if (perSecond == 0) {
      return true;
    }
    if (filledAt != null && filledAt.isBefore(now)) {
      double seconds = Duration.between(filledAt, now).toNanos() / NANOS;
      units = Math.min(perSecond, units + seconds * perSecond);
    }
    filledAt = now;
    return units > 0;
  }

  void spend(double spent) {
    units -= spent;
  }
}
