package io.indexview.connect.common.errors;

import java.time.Duration;
import java.time.Instant;

/**
 * When something that failed is tried again, and which of its failures is worth a line in the log:
 * the first since it worked. Not thread-safe.
 */
public final class RetryTimer {
  private final Backoff backoff;
  private Instant due = Instant.MIN;
  private Instant failingSince = Instant.MIN;

  /**
   * @param backoff for this alone
   */
  public RetryTimer(Backoff backoff) {
    this.backoff = backoff;
  }

  public boolean isDue(Instant now) {
    return !now.isBefore(due);
  }

  /** The next attempt is not before then, whatever failed or worked. */
  public void setDue(Instant time) {
    due = time;
  }

  /**
   * It failed. What fails before the next attempt is due was tried before the failure that is
   * waited out, and counts for nothing.
   *
   * @return whether it is the first failure since it worked
   */
  public boolean failed(Instant now) {
    if (!isDue(now)) {
      return false;
    }
    boolean isFirst = backoff.failures() == 0;
    failingSince = isFirst ? now : failingSince;
    due = now.plus(backoff.next());
    return isFirst;
  }

  /**
   * It worked. Of several attempts at once others may have failed: the next one is due as before.
   */
  public void succeeded() {
    backoff.reset();
  }

  /** Whether it has only failed for so long. */
  public boolean hasFailedFor(Duration time, Instant now) {
    return backoff.failures() > 0 && !now.isBefore(failingSince.plus(time));
  }

  /** Failures since it worked. */
  public int failures() {
    return backoff.failures();
  }
}
