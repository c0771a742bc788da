package io.indexview.streams.error;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Tells everything that waits that the app is closing. Safe for use by several threads. */
public final class StopSignal {
  private final CountDownLatch stopped = new CountDownLatch(1);

  public void stop() {
    stopped.countDown();
  }

  public boolean isStopped() {
    return stopped.getCount() == 0;
  }

  /**
   * Waits, unless the app is closing.
   *
   * @throws StoppedException if the app is closing or the thread was interrupted
   */
  public void pause(Duration duration) {
    try {
      if (stopped.await(duration.toNanos(), TimeUnit.NANOSECONDS)) {
        throw new StoppedException("the application is closing");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoppedException("interrupted", e);
    }
  }

  /** Work was given up because the app is closing; nothing failed. */
  public static final class StoppedException extends RuntimeException {
    StoppedException(String message) {
      super(message);
    }

    StoppedException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
