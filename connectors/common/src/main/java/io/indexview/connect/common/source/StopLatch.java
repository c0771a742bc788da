package io.indexview.connect.common.source;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Lets a task wait without missing its stop. Thread-safe. */
public final class StopLatch {
  private final CountDownLatch latch = new CountDownLatch(1);

  public void stop() {
    latch.countDown();
  }

  public boolean stopped() {
    return latch.getCount() == 0;
  }

  /**
   * Waits for the stop at most this long.
   *
   * @return whether it came
   */
  public boolean await(Duration timeout) throws InterruptedException {
    return latch.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }
}
