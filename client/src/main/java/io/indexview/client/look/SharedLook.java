package io.indexview.client.look;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A look at something that takes time, for several threads. Each sees what was so after its call
 * began; those who wait while another looks share the next look. Thread-safe.
 *
 * @param <T> what is seen
 */
public final class SharedLook<T> {
  private final Supplier<T> look;
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicLong begun = new AtomicLong();
  private long completed;
  private T seen;

  /**
   * @param look called by one thread at a time
   */
  public SharedLook(Supplier<T> look) {
    this.look = look;
  }

  /** What is so now; whatever looking throws passes through. */
  public T now() {
    long begunBefore = begun.get();
    lock.lock();
    try {
      if (completed <= begunBefore) {
        long number = begun.incrementAndGet();
        seen = look.get();
        completed = number;
      }
      return seen;
    } finally {
      lock.unlock();
    }
  }

  /** Runs something while nobody looks. */
  public void whileNobodyLooks(Runnable action) {
    lock.lock();
    try {
      action.run();
    } finally {
      lock.unlock();
    }
  }
}
