package io.indexview.connect.common.errors;

import io.indexview.schemas.time.Timer;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * When something that failed is tried again, and which of its failures is worth a line in the log:
 * the first since it worked. Not thread-safe.
 */
public final class RetryTimer {
  private final Backoff backoff;
  private final LongSupplier nanoTime;
  private final Timer pause;
  private long failingSince;

  /**
   * @param backoff for this alone
   * @param nanoTime like {@link System#nanoTime}
   */
  public RetryTimer(Backoff backoff, LongSupplier nanoTime) {
    this.backoff = backoff;
    this.nanoTime = nanoTime;
    this.pause = new Timer(nanoTime);
  }

  public boolean isDue() {
    return pause.isExpired();
  }

  /** The next attempt is due after this time, whatever failed or worked. */
  public void setDueIn(Duration time) {
    pause.reset(time);
  }

  /**
   * It failed. What fails before the next attempt is due was tried before the failure that is
   * waited out, and counts for nothing.
   *
   * @return whether it is the first failure since it worked
   */
  public boolean failed() {
    if (!isDue()) {
      return false;
    }
    boolean isFirst = backoff.failures() == 0;
    failingSince = isFirst ? nanoTime.getAsLong() : failingSince;
    pause.reset(backoff.next());
    return isFirst;
  }

  /**
   * It worked. Of several attempts at once others may have failed: the next one is due as before.
   */
  public void succeeded() {
    backoff.reset();
  }

  /** Whether it has only failed for so long. */
  public boolean hasFailedFor(Duration time) {
    return backoff.failures() > 0 && nanoTime.getAsLong() - failingSince >= time.toNanos();
  }

  /** Failures since it worked. */
  public int failures() {
    return backoff.failures();
  }
}
