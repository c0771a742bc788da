package io.indexview.connect.common.errors;

import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import java.time.Duration;

/**
 * When something that failed is tried again, and which of its failures is worth a line in the log:
 * the first since it worked. Not thread-safe.
 */
public final class RetryTimer {
  private final Backoff backoff;
  private final Time time;
  private final Timer pause;
  private long failingSince;

  /**
   * @param backoff for this alone
   */
  public RetryTimer(Backoff backoff, Time time) {
    this.backoff = backoff;
    this.time = time;
    this.pause = new Timer(time);
  }

  public boolean isDue() {
    return pause.isExpired();
  }

  /** The next attempt is due after this time, whatever failed or worked. */
  public void setDueIn(Duration length) {
    pause.reset(length);
  }

  /**
   * Notes a failure. What fails before the next attempt is due was tried before the failure that is
   * waited out, and is ignored.
   *
   * @return whether it is the first failure since it worked
   */
  public boolean failed() {
    if (!isDue()) {
      return false;
    }
    boolean isFirst = backoff.failures() == 0;
    failingSince = isFirst ? time.nanoTime() : failingSince;
    pause.reset(backoff.next());
    return isFirst;
  }

  /**
   * Notes a success. Of several attempts at once others may have failed: the next one is due as
   * before.
   */
  public void succeeded() {
    backoff.reset();
  }

  /** Whether it has only failed for so long. */
  public boolean hasFailedFor(Duration length) {
    return backoff.failures() > 0 && time.nanoTime() - failingSince >= length.toNanos();
  }

  /** Failures since it worked. */
  public int failures() {
    return backoff.failures();
  }
}
