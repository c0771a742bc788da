package io.indexview.verification.live;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.kafka.common.errors.InterruptException;

/** A reading of the topic on another thread, which who asked for it waits for and may end. */
final class TopicReading implements Runnable {
  private final FutureTask<Void> reading;
  private final CountDownLatch over = new CountDownLatch(1);
  private volatile boolean isStopped;
  private Thread thread;

  /**
   * @param log reads it
   * @param visitor is called by the other thread
   */
  TopicReading(Consumer<RowLog.Visitor> log, RowLog.Visitor visitor) {
    this.reading =
        new FutureTask<>(
            () ->
                log.accept(
                    (id, row) -> {
                      requireGoingOn();
                      visitor.change(id, row);
                    }),
            null);
  }

  @Override
  public void run() {
    if (begins(Thread.currentThread())) {
      reading.run();
      end();
    }
    over.countDown();
  }

  private synchronized boolean begins(Thread reader) {
    thread = isStopped ? null : reader;
    return thread != null;
  }

  private synchronized void end() {
    thread = null;
    if (isStopped) {
      // The thread may be a pool's.
      Thread.interrupted();
    }
  }

  private void requireGoingOn() {
    if (isStopped) {
      throw new CancellationException("the topic is not needed any more");
    }
  }

  /** Waits until everything is read; throws what the reading failed with. */
  boolean isOver(Duration wait) {
    // Asked at each row of a scan, that one that waits for nothing would throw.
    if (wait.isZero() && !reading.isDone()) {
      return false;
    }
    try {
      reading.get(wait.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) e.getCause();
    }
  }

  /** Waits until the other thread has ended its reads, and has it end if it does. */
  void stop() {
    synchronized (this) {
      isStopped = true;
      if (thread != null) {
        thread.interrupt();
      }
    }
    boolean isInterrupted = false;
    while (over.getCount() > 0) {
      try {
        over.await();
      } catch (InterruptedException e) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Runs work on a thread of its own. */
  static void start(Runnable work) {
    Thread thread = new Thread(work, Thread.currentThread().getName() + "-topic");
    thread.setDaemon(true);
    thread.start();
  }
}
