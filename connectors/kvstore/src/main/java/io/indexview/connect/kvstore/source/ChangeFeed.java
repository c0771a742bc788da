package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.source.StopLatch;
import io.indexview.kvstore.KvChanges;
import io.indexview.kvstore.KvChanges.Batch;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the changes of a record set in its store: opens them, polls, and holds what came until
 * the task takes it. What is unavailable is tried again; what the store cannot do is said. Memory
 * holds {@link #MAX_BATCHES} batches: while they are full nothing is polled, and the store's own
 * bound counts.
 *
 * <p>{@link #step} and {@link #run} are for one thread, {@link #close} for any, the rest for the
 * task's.
 */
final class ChangeFeed implements Runnable, AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(ChangeFeed.class);
  private static final int MAX_BATCHES = 16;
  private static final Duration POLL_WAIT = Duration.ofMillis(500);
  private static final Duration FULL_WAIT = Duration.ofMillis(5);

  /** Changes of this time are one batch, each of which the task is woken for. */
  private static final Duration GATHERING = Duration.ofMillis(5);

  private static final Duration ALMOST_ONE_MS = Duration.ofNanos(999_999);
  private static final Duration OPENING = Duration.ofSeconds(10);
  private static final long CLOSE_MS = 5_000;

  private final String recordSet;
  private final Supplier<KvChanges> open;
  private final Backoff backoff;
  private final Time time;
  private final Timer opening;
  private final Runnable wake;
  private final StopLatch stop = new StopLatch();
  private final BlockingQueue<Polled> polled = new ArrayBlockingQueue<>(MAX_BATCHES);
  private boolean isNew;
  private boolean taken;

  /** Whether the store itself has waited for changes before it failed. */
  private boolean hasWaited;

  /** Whether the store has ever proven that it named everything. */
  private boolean proves;

  /** Time of the failure, as of {@link System#nanoTime}. */
  private long failedAt;

  private boolean said;

  private volatile KvChanges changes;
  private volatile boolean reached;
  private volatile String problem = "";
  private volatile boolean unsupported;
  private volatile Thread thread;

  /**
   * A batch.
   *
   * @param hasGap changes before it may be missing, as those before the first that was ever polled
   * @param provenAt every change that was acknowledged before was named by then, ms since the
   *     epoch; {@link #NOT_PROVEN}: that is not known
   */
  record Polled(Batch batch, boolean hasGap, long provenAt) {
    static final long NOT_PROVEN = -1;
  }

  /**
   * @param open opens the changes, which may fail; for any thread
   * @param isNew whether they are those from now on
   * @param wake called when a batch can be taken
   */
  ChangeFeed(
      String recordSet,
      Supplier<KvChanges> open,
      boolean isNew,
      Backoff backoff,
      Time time,
      Runnable wake) {
    this.recordSet = recordSet;
    this.open = open;
    this.isNew = isNew;
    this.backoff = backoff;
    this.time = time;
    this.opening = new Timer(time);
    opening.reset(OPENING);
    this.wake = wake;
  }

  /** Runs on a thread of its own until it is closed. */
  ChangeFeed start() {
    thread = new Thread(this, "kvstore-source-changes-" + recordSet);
    thread.setDaemon(true);
    thread.setUncaughtExceptionHandler((ended, failure) -> ended(failure));
    thread.start();
    return this;
  }

  @Override
  public void run() {
    try {
      while (!stop.stopped() && !unsupported) {
        stop.await(step(reached ? POLL_WAIT : Duration.ZERO));
      }
    } catch (InterruptedException e) {
      LOGGER.debug("Interrupted: recordSet={}", recordSet);
    } finally {
      closeChanges();
    }
  }

  /**
   * Notes the failure that ended the feed, of whatever kind: a class of the server's jars may be
   * missing, which shows late.
   */
  private void ended(Throwable failure) {
    if (!stop.stopped()) {
      LOGGER.error(
          "Changes of the store are not followed any more: recordSet={}", recordSet, failure);
      problem = failure.toString();
      unsupported = true;
      wake.run();
    }
  }

  /**
   * Opens the changes if they are not open, and polls once.
   *
   * @param wait for the first change at most
   * @return how long to wait before the next step
   */
  Duration step(Duration wait) {
    if (polled.remainingCapacity() == 0) {
      return FULL_WAIT;
    }
    hasWaited = false;
    try {
      if (changes == null) {
        changes = open.get();
      }
      Batch batch = poll(wait);
      Polled next = new Polled(batch, batch.hasGap() || isNew, provenAt());
      polled.add(next);
      isNew = false;
      reached = true;
      if (isOfWholeStore(next)) {
        recovered();
      }
      wake.run();
      return batch.keys().isEmpty() ? Duration.ZERO : GATHERING;
    } catch (KvStoreException.Unavailable e) {
      failed(e.getMessage());
      Duration pause = backoff.next();
      // Who asks again at once hears at once when changes come again.
      return hasWaited ? Duration.ZERO : pause;
    } catch (KvStoreException e) {
      unsupported = true;
      problem = e.getMessage();
      wake.run();
      return Duration.ZERO;
    }
  }

  private Batch poll(Duration wait) {
    long began = System.nanoTime();
    try {
      return changes.poll(wait);
    } finally {
      hasWaited = !wait.isZero() && System.nanoTime() - began >= wait.toNanos();
    }
  }

  private long provenAt() {
    // The clock comes first, so that the moment is never too late.
    long now = time.millis();
    return changes
        .provenAge()
        .map(age -> now - age.plus(ALMOST_ONE_MS).toMillis())
        .orElse(Polled.NOT_PROVEN);
  }

  private boolean isProvenSince(long moment) {
    long now = time.nanoTime();
    return changes.provenAge().filter(age -> now - age.toNanos() - moment >= 0).isPresent();
  }

  /** While one shard is out the changes of others still come. */
  private boolean isOfWholeStore(Polled next) {
    proves |= next.provenAt() != Polled.NOT_PROVEN;
    boolean isSilent = next.batch().keys().isEmpty() && !next.batch().hasGap();
    // A poll of nothing would have failed.
    return problem.isEmpty() || isSilent || !proves || isProvenSince(failedAt);
  }

  /** Said when it lasts: the store tells of its own outages, and scans begin only then. */
  private void failed(String reason) {
    if (problem.isEmpty()) {
      failedAt = time.nanoTime();
    }
    if (!said
        && !stop.stopped()
        && time.nanoTime() - failedAt >= FollowedChanges.MIN_PAUSE.toNanos()) {
      said = true;
      LOGGER.warn(
          "Changes of the store are not followed, scans find them: recordSet={} cause={}",
          recordSet,
          reason);
    }
    problem = reason;
    wake.run();
  }

  private void recovered() {
    if (said) {
      said = false;
      LOGGER.info("Changes of the store are followed again: recordSet={}", recordSet);
    }
    problem = "";
    backoff.reset();
  }

  /** What came next; null: nothing. */
  Polled take() {
    Polled next = polled.poll();
    taken |= next != null;
    return next;
  }

  /** Why changes are not followed now, for people; empty: they are, or are about to be. */
  String problem() {
    return problem;
  }

  /** Whether the store cannot tell changes at all. */
  boolean isUnsupported() {
    return unsupported;
  }

  /**
   * Whether it has not failed, and no batch was taken yet; a store that answers gives one soon. A
   * scan that begins before would not close the gap that the first one may have.
   */
  boolean isOpening() {
    return !taken && problem.isEmpty() && !opening.isExpired();
  }

  /** Does not interrupt its thread: Berkeley DB would not stand that. */
  @Override
  public void close() {
    stop.stop();
    closeChanges();
    Thread running = thread;
    if (running != null) {
      try {
        running.join(CLOSE_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void closeChanges() {
    KvChanges open = changes;
    if (open != null) {
      open.close();
    }
  }
}
