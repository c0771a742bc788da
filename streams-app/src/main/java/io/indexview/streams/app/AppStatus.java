package io.indexview.streams.app;

import io.indexview.schemas.time.Time;
import io.indexview.streams.health.RestoreProgress;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/** The state of the app, to be waited on. A state that ends the app is never left. */
final class AppStatus {
  private static final Set<AppState> ENDS = EnumSet.of(AppState.FAILED, AppState.CLOSED);

  /** A rebalance without state to restore is over by then. */
  private static final Duration LONG_REBALANCE = Duration.ofMinutes(1);

  /** Causes may form a ring. */
  private static final int MAX_CAUSES = 20;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Time time;
  private final RestoreProgress restore;
  private AppState state = AppState.STARTING;
  private long since;
  private String detail = "";
  private Throwable failure;

  AppStatus(Time time, RestoreProgress restore) {
    this.time = time;
    this.restore = restore;
    this.since = time.nanoTime();
  }

  AppState state() {
    lock.lock();
    try {
      return state;
    } finally {
      lock.unlock();
    }
  }

  String detail() {
    lock.lock();
    try {
      return detail;
    } finally {
      lock.unlock();
    }
  }

  /** What keeps the app from deriving rows, or did end it; empty: nothing, or nobody said. */
  String trouble() {
    lock.lock();
    try {
      long seconds = Duration.ofNanos(time.nanoTime() - since).toSeconds();
      return state == AppState.REBALANCING && seconds > LONG_REBALANCE.toSeconds()
          ? "partitions move or state is restored, for %d s now; %d offsets of %d changelog partitions are left"
              .formatted(seconds, restore.offsets(), restore.partitions())
          : detail;
    } finally {
      lock.unlock();
    }
  }

  Optional<Throwable> failure() {
    lock.lock();
    try {
      return Optional.ofNullable(failure);
    } finally {
      lock.unlock();
    }
  }

  /** Moves on, unless the app has ended. */
  void become(AppState next) {
    change(next, "", null);
  }

  /** Says what the start waits for; empty: nothing. */
  void startDetail(String text) {
    lock.lock();
    try {
      if (state == AppState.STARTING) {
        detail = text;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends the app with its first failure. */
  void fail(Throwable cause) {
    change(AppState.FAILED, reason(cause), cause);
  }

  /** What helps is often in a cause alone; whoever wraps it may have repeated it. */
  private static String reason(Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
        .limit(MAX_CAUSES)
        .map(cause -> cause.getMessage() == null ? cause.toString() : cause.getMessage())
        .reduce((text, next) -> text.contains(next) ? text : text + ": " + next)
        .orElseThrow();
  }

  private void change(AppState next, String nextDetail, Throwable cause) {
    lock.lock();
    try {
      if (!ENDS.contains(state)) {
        since = state == next ? since : time.nanoTime();
        state = next;
        detail = nextDetail;
        failure = cause;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits for one of the states; the state reached, another one if the time is over. */
  AppState await(Set<AppState> wanted, Duration timeout) throws InterruptedException {
    long left = timeout.toNanos();
    lock.lock();
    try {
      while (!wanted.contains(state) && left > 0) {
        left = changed.awaitNanos(left);
      }
      return state;
    } finally {
      lock.unlock();
    }
  }

  AppState awaitEnd() throws InterruptedException {
    return await(ENDS, Duration.ofNanos(TimeUnit.DAYS.toNanos(36_500)));
  }

  /** Where an {@link IndexViewApp} is in its life. */
  enum AppState {
    /** View files, schemas, topics; or waiting for one of them. */
    STARTING,
    /** Partitions move or state is restored; nothing is lost, freshness suffers. */
    REBALANCING,
    RUNNING,
    /** Ended by an error, see {@link IndexViewApp#failure()}. */
    FAILED,
    CLOSED
  }
}
