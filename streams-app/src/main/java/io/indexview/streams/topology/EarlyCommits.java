package io.indexview.streams.topology;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Commits of a stream thread before its interval is over, while there is little to do: a while
 * after the first event since the last commit. It is little as long as it takes a small part of
 * that while; commits, for which a thread waits, then cost no throughput. The more partitions are
 * written, the longer it waits, as brokers write a marker into each. All tasks of a thread share
 * one instance, because they commit together.
 */
final class EarlyCommits {
  /** Work may take one part in so many. */
  private static final int MAX_WORK = 8;

  private static final long NANOS_PER_PARTITION = TimeUnit.MILLISECONDS.toNanos(1);

  private final long minNanos;
  private final long intervalNanos;
  private final Set<Object> writers = new HashSet<>();
  private boolean isOpen;
  private boolean isLittle = true;
  private long first;
  private long worked;
  private long partitions;

  /**
   * @param minInterval from an event to a commit; no shorter than the interval: none is early
   * @param interval after which Kafka Streams commits anyway
   */
  EarlyCommits(Duration minInterval, Duration interval) {
    this.minNanos = minInterval.toNanos();
    this.intervalNanos = interval.toNanos();
  }

  /**
   * Notes an event that was processed.
   *
   * @param writer of its rows
   * @param ofWriter how many partitions that writes, about
   * @param began like {@link System#nanoTime}
   * @return whether it is the first one since a commit was due
   */
  boolean eventTook(Object writer, int ofWriter, long began, long ended) {
    boolean isFirst = !isOpen;
    if (isFirst) {
      isOpen = true;
      first = began;
      worked = 0;
      partitions = 0;
      writers.clear();
    }
    if (writers.add(writer)) {
      partitions += ofWriter;
    }
    worked += ended - began;
    return isFirst;
  }

  /**
   * Notes that a writer's task is closed. The thread has committed or lost what it wrote: events
   * that come next count anew.
   */
  void forget(Object writer) {
    if (writers.remove(writer)) {
      writers.clear();
      isOpen = false;
    }
  }

  /** Notes other work of the thread. */
  void workTook(long nanos) {
    worked += nanos;
  }

  /** Least time from an event to a commit. */
  Duration minInterval() {
    return Duration.ofNanos(minNanos);
  }

  /** Whether there was little to do of late, so that a commit may be due when no event comes. */
  boolean isLittle() {
    return isLittle;
  }

  /** Whether events came since a commit was due. */
  boolean isOpen() {
    return isOpen;
  }

  /**
   * Whether to commit now; events that come next count anew then.
   *
   * @param now like {@link System#nanoTime}
   */
  boolean isDue(long now) {
    long wait = Math.max(minNanos, partitions * NANOS_PER_PARTITION);
    long age = now - first;
    if (!isOpen || age < Math.min(wait, intervalNanos)) {
      return false;
    }
    isOpen = false;
    isLittle = wait < intervalNanos && worked * MAX_WORK <= age;
    return isLittle;
  }
}
