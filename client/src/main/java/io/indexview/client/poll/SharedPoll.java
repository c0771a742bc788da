package io.indexview.client.poll;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.InterruptException;

/**
 * A poll of something that takes time, for several threads. Each sees what was so after its call
 * began; those who wait while another polls share the next poll, or the failure of the one that
 * they waited for: else each would wait for a cluster that is gone as long again. Thread-safe.
 *
 * @param <T> what is seen
 */
public final class SharedPoll<T> {
  private final Supplier<T> poll;
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicLong begun = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private long completed;
  private T seen;
  private RuntimeException failure;

  /**
   * @param poll called by one thread at a time
   */
  public SharedPoll(Supplier<T> poll) {
    this.poll = poll;
  }

  /**
   * What is so now; whatever polling throws passes through, to those who waited for that poll too.
   */
  public T now() {
    long begunBefore = begun.get();
    long failuresBefore = failures.get();
    lock.lock();
    try {
      if (completed > begunBefore) {
        return seen;
      }
      if (failures.get() > failuresBefore) {
        throw failure;
      }
      return poll();
    } finally {
      lock.unlock();
    }
  }

  private T poll() {
    long number = begun.incrementAndGet();
    try {
      seen = poll.get();
    } catch (InterruptException e) {
      // Only this thread is to stop.
      throw e;
    } catch (RuntimeException e) {
      failure = e;
      failures.incrementAndGet();
      throw e;
    }
    completed = number;
    return seen;
  }

  /** Runs something while nobody polls. */
  public void whileNobodyPolls(Runnable action) {
    lock.lock();
    try {
      action.run();
    } finally {
      lock.unlock();
    }
  }
}
