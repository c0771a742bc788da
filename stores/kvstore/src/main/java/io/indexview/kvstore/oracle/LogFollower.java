package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvStoreException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** One who follows the log of a shard, whichever reader reads it for him now. */
final class LogFollower {
  private final String shard;
  private final ShardLog log;
  private final ChangeHints hints;
  private final Shards shards;
  private final CountDownLatch tried = new CountDownLatch(1);
  private volatile KvStoreException failure;
  private LogReader reader;
  private boolean left;

  /**
   * @param shards of his own client, which is open until he leaves
   */
  LogFollower(String shard, ShardLog log, ChangeHints hints, Shards shards) {
    this.shard = shard;
    this.log = log;
    this.hints = hints;
    this.shards = shards;
  }

  /** Has the log read by a reader of his own. */
  synchronized void follow(ServerEngine engine) {
    reader = LogReader.start(engine, shards.store(), shard, this);
  }

  /** He is one of another reader's from now on, if that takes him. */
  synchronized void moveTo(LogReader other) {
    if (!left && other.takeIn(this)) {
      reader.remove(this);
      reader = other;
    }
  }

  /** Nothing is added to the hints from now on. */
  synchronized void leave() {
    left = true;
    if (reader != null) {
      reader.remove(this);
    }
  }

  ShardLog log() {
    return log;
  }

  Shards shards() {
    return shards;
  }

  /** The log is read. */
  void reads() {
    failure = null;
    hints.setOutage(shard, null);
    tried.countDown();
  }

  /** It cannot be read now. */
  void failed(KvStoreException e) {
    failure = e;
    hints.setOutage(shard, e.getMessage());
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
   * @param most what that is, for people
   */
  void awaitStart(long deadline, Duration most) {
    try {
      if (!tried.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        throw new KvStoreException.Unavailable(
            "The log of shard %s could not be opened within %s.".formatted(shard, most));
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
