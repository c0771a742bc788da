package io.indexview.verification.live;

import io.indexview.schemas.control.VerificationOptions.Limits;
import java.util.concurrent.TimeUnit;

/**
 * Says how long to wait so that no more is read than is allowed. Time that was spent on something
 * else is not made up for. Not safe for use by several threads.
 */
final class ReadLimiter {
  private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

  private final Limits limits;
  private long rowsDue = Long.MIN_VALUE;
  private long bytesDue = Long.MIN_VALUE;
  private long unitsDue = Long.MIN_VALUE;

  ReadLimiter(Limits limits) {
    this.limits = limits;
  }

  /** A row was read. */
  void row(long nowNanos) {
    rowsDue = due(rowsDue, 1, limits.rows(), nowNanos);
  }

  void read(long bytes, double readUnits, long nowNanos) {
    bytesDue = due(bytesDue, bytes, limits.bytes(), nowNanos);
    unitsDue = due(unitsDue, readUnits, limits.readUnits(), nowNanos);
  }

  private static long due(long due, double amount, long limit, long nowNanos) {
    return limit == 0 || amount == 0
        ? due
        : Math.max(due, nowNanos) + (long) (amount * SECOND / limit);
  }

  /** Time from now until more may be read. */
  long waitNanos(long nowNanos) {
    long due = Math.max(rowsDue, Math.max(bytesDue, unitsDue));
    return due == Long.MIN_VALUE ? 0 : Math.max(0, due - nowNanos);
  }
}
