package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvStoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Follows the log of a shard, whichever reader reads it now. */
final class LogFollower {
  private final String shard;
  private final ShardLog log;
  private final ChangeHints hints;
  private final Supplier<Optional<Shards.Master>> master;
  private final CountDownLatch tried = new CountDownLatch(1);
  private volatile KvStoreException failure;
  private LogReader reader;
  private boolean left;

  /**
   * @param master of the shard, as his own client knows it, which is open until he leaves
   */
  LogFollower(
      String shard, ShardLog log, ChangeHints hints, Supplier<Optional<Shards.Master>> master) {
    this.shard = shard;
    this.log = log;
    this.hints = hints;
    this.master = master;
  }

  /**
   * Starts a reader of the log for this follower, unless one reads it already. If that has no
   * thread this may be tried again.
   *
   * @param interval see {@link LogReader#start}
   */
  synchronized void follow(
      LogReader.Engine engine, Shards.Store store, Duration interval, ThreadFactory threads) {
    if (reader == null && !left) {
      try {
        reader = LogReader.start(engine, store, shard, interval, this, threads);
      } catch (OutOfMemoryError e) {
        failed(new KvStoreException.Unavailable("shard %s: %s".formatted(shard, e), e));
      }
    }
  }

  /** Moves to another reader, if that takes this follower. */
  synchronized void moveTo(LogReader other) {
    if (!left && other.takeIn(this)) {
      reader.remove(this);
      reader = other;
    }
  }

  /** Stops adding to the hints. */
  synchronized void leave() {
    left = true;
    if (reader != null) {
      reader.remove(this);
    }
  }

  ShardLog log() {
    return log;
  }

  /** The shard's master; empty during an election. Fails as {@link Shards#master} does. */
  Optional<Shards.Master> master() {
    return master.get();
  }

  /** The log is read. */
  synchronized void reads() {
    failure = null;
    setOutage(null);
  }

  /** Notes that the log cannot be read now. */
  synchronized void failed(KvStoreException e) {
    failure = e;
    setOutage(e.getMessage());
  }

  /** A reader may have begun to tell him before he left. */
  private void setOutage(String reason) {
    if (!left) {
      hints.setOutage(shard, reason);
    }
    tried.countDown();
  }

  /** Everything that was committed before this moment of {@link System#nanoTime} was named. */
  void proves(long nanos) {
    hints.setProven(shard, nanos);
  }

  /**
   * Throws what the first try failed of.
   *
   * @param deadline as of {@link System#nanoTime}
   * @param max what that is, for people
   */
  void awaitStart(long deadline, Duration max) {
    try {
      if (!tried.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        throw new KvStoreException.Unavailable(
            "The log of shard %s could not be opened within %s.".formatted(shard, max));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KvStoreException.Unavailable("Opening the log of a shard was interrupted.", e);
    }
    if (failure != null) {
      throw failure;
    }
  }
}
