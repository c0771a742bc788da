package io.indexview.client.admin;

import io.indexview.schemas.control.ControlTable;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A control topic that several threads read. Each sees what was committed before its call; those
 * who wait while another reads share the next read.
 *
 * @param <T> what a record stands for
 */
final class Follower<T> implements AutoCloseable {
  private final ControlTable<T> table;
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicLong begun = new AtomicLong();
  private long completed;
  private Map<String, T> newest = Map.of();

  /**
   * @param table closed with this
   */
  Follower(ControlTable<T> table) {
    this.table = table;
  }

  /** The newest values by key, see {@link ControlTable#refresh}. */
  Map<String, T> read() {
    long begunBefore = begun.get();
    lock.lock();
    try {
      if (completed <= begunBefore) {
        long number = begun.incrementAndGet();
        newest = table.refresh();
        completed = number;
      }
      return newest;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      table.close();
    } finally {
      lock.unlock();
    }
  }
}
