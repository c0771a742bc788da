package io.indexview.streams.work;

import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.Worker;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does the owner's work on one thread of its own. Safe for use by several threads.
 *
 * <p>{@link #close} ends within ten seconds, whatever the cluster does.
 */
public final class ViewWorker implements Worker, AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(ViewWorker.class);
  private static final Duration STOP = Duration.ofSeconds(5);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final WorkRounds rounds;
  private final AutoCloseable resources;
  private final Thread thread;
  private Map<String, Work> wanted = Map.of();
  private boolean news;
  private boolean closed;

  /**
   * @param rounds for the worker's thread alone
   * @param resources what the works use; closed at the end
   */
  public ViewWorker(WorkRounds rounds, AutoCloseable resources) {
    this.rounds = rounds;
    this.resources = resources;
    this.thread = new Thread(this::run, "indexview-work");
    thread.setDaemon(true);
  }

  public void start() {
    thread.start();
  }

  @Override
  public void want(Set<Work> all) {
    Map<String, Work> byId = new LinkedHashMap<>();
    all.forEach(work -> byId.put(work.id(), work));
    lock.lock();
    try {
      news |= !byId.keySet().equals(wanted.keySet());
      wanted = byId;
      if (news) {
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    try {
      Duration pause = Duration.ZERO;
      while (await(pause)) {
        pause = round();
      }
    } catch (InterruptedException | InterruptException e) {
      LOGGER.debug("The worker was interrupted", e);
    } finally {
      closeResources();
    }
  }

  private Duration round() {
    try {
      return rounds.next(current());
    } catch (InterruptException e) {
      throw e;
    } catch (RuntimeException e) {
      // Without the worker no view would ever change again.
      LOGGER.error("A round of work failed; the next one follows", e);
      return WorkRounds.IDLE;
    }
  }

  private Map<String, Work> current() {
    lock.lock();
    try {
      news = false;
      return wanted;
    } finally {
      lock.unlock();
    }
  }

  /** Waits, unless something else is wanted; whether to go on. */
  private boolean await(Duration pause) throws InterruptedException {
    long left = pause.toNanos();
    lock.lock();
    try {
      while (!closed && !news && left > 0) {
        left = changed.awaitNanos(left);
      }
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  private void closeResources() {
    // Clients that find the thread interrupted do not close in order.
    boolean interrupted = Thread.interrupted();
    try {
      resources.close();
    } catch (Exception e) {
      LOGGER.debug("The worker's clients did not close in order (interrupted: {})", interrupted, e);
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (thread.getState() == Thread.State.NEW) {
      closeResources();
      return;
    }
    try {
      TimeUnit.NANOSECONDS.timedJoin(thread, STOP.toNanos());
      thread.interrupt();
      TimeUnit.NANOSECONDS.timedJoin(thread, STOP.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
