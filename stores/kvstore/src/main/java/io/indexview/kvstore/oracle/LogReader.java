package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.oracle.ShardLog.Stream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the log of one shard at its master, on a thread of its own: again after a failure, at
 * whoever is master then. Of the readers of a log in this process one is shared: the others hand
 * who they read for over to it once they have come as far, and end. So a log is read once, however
 * many follow it, and who begins far back holds up nobody.
 */
final class LogReader {
  private static final Logger LOGGER = LoggerFactory.getLogger(LogReader.class);
  private static final Duration CHECK = Duration.ofMillis(100);

  /** What reading takes at most that goes on where it was. */
  private static final Duration GO_ON_TIME = Duration.ofSeconds(1);

  /** What reading takes at most that begins before the end of the log. */
  private static final Duration LOOK_BACK_TIME = Duration.ofSeconds(20);

  private static final Duration MAX_TRANSACTION = Duration.ofMillis(ShardLog.MAX_TRANSACTION_MS);

  private static final ConcurrentMap<Log, LogReader> SHARED = new ConcurrentHashMap<>();

  private final Engine engine;
  private final Log log;
  private final Duration interval;
  private final List<LogFollower> followers = new ArrayList<>();
  private SharedStream stream;
  private boolean isRead;
  private boolean failing;
  private boolean ended;

  /** Reads logs as the replicas of a shard do. */
  interface Engine {
    /**
     * Starts to read a shard's log; the entries come on a thread of the engine.
     *
     * @param group the name of the shard
     * @param address of its master
     * @throws ServerEngine.LogGoneException if the stream cannot begin where it has to
     * @throws KvStoreException.Unavailable if the master does not let it begin now
     */
    Subscription read(String group, String address, SharedStream stream)
        throws ServerEngine.LogGoneException;
  }

  /** A stream that is read. */
  interface Subscription extends AutoCloseable {
    /** Whether entries come, or would if there were some. */
    boolean isAlive();

    /** Takes a second or so. */
    @Override
    void close();
  }

  /** A shard's log, as a release of the engine reads it. */
  private record Log(Engine engine, Shards.Store store, String shard) {}

  private LogReader(Engine engine, Log log, Duration interval, LogFollower first) {
    this.engine = engine;
    this.log = log;
    this.interval = interval;
    followers.add(first);
  }

  /**
   * Begins to read a log for one who follows it.
   *
   * @param interval how often it is asked who is the master, and how far its log goes; and how long
   *     after a failure the log is read again
   * @throws OutOfMemoryError if there is no thread to read with
   */
  static LogReader start(
      Engine engine,
      Shards.Store store,
      String shard,
      Duration interval,
      LogFollower follower,
      ThreadFactory threads) {
    LogReader reader = new LogReader(engine, new Log(engine, store, shard), interval, follower);
    Thread thread = threads.newThread(reader::run);
    thread.setName("indexview-changes-" + shard);
    thread.setDaemon(true);
    thread.start();
    return reader;
  }

  /**
   * Reads for one more, who has come as far by another reader.
   *
   * @return whether it does
   */
  synchronized boolean takeIn(LogFollower follower) {
    if (ended || stream == null || !stream.takeIn(follower.log())) {
      return false;
    }
    followers.add(follower);
    return true;
  }

  /** Removes a follower. After the return it hears nothing of this reader any more. */
  synchronized void remove(LogFollower follower) {
    followers.remove(follower);
    if (stream != null) {
      stream.remove(follower.log());
    }
    notifyAll();
  }

  private synchronized List<LogFollower> followers() {
    return List.copyOf(followers);
  }

  private void run() {
    try {
      do {
        try {
          read(master());
        } catch (ServerEngine.LogGoneException e) {
          LOGGER.warn(
              "The log of shard {} does not go back to where its changes were followed last; a scan"
                  + " has to find what is missing.",
              log.shard());
          followers().forEach(follower -> follower.log().forget());
        } catch (KvStoreException e) {
          failed(e);
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
          // A class of the server's jars may be missing, which shows when it is used first.
          failed(new KvStoreException.Unavailable("shard %s: %s".formatted(log.shard(), e), e));
        }
      } while (!isDoneAfter(interval));
    } catch (InterruptedException e) {
      // Nobody else knows of the thread.
      Thread.currentThread().interrupt();
      failed(new KvStoreException.Unavailable("Following changes was interrupted.", e));
    } finally {
      synchronized (this) {
        ended = true;
      }
      SHARED.remove(log, this);
    }
  }

  /** Whether nobody is left to read for; waits as long as somebody is. */
  private synchronized boolean isDoneAfter(Duration pause) throws InterruptedException {
    long deadline = System.nanoTime() + pause.toNanos();
    long left = pause.toNanos();
    while (!followers.isEmpty() && left > 0) {
      // Rounded up: a wait of 0 would have no end.
      wait(left / 1_000_000 + 1);
      left = deadline - System.nanoTime();
    }
    ended = followers.isEmpty();
    return ended;
  }

  /** Logged only after the log was read: until then who follows it waits for that, and throws. */
  private void failed(KvStoreException e) {
    List<LogFollower> waiting = followers();
    if (isRead && !failing && !waiting.isEmpty()) {
      LOGGER.warn(
          "The changes of shard {} cannot be followed now; it is tried again until they can be: {}",
          log.shard(),
          e.getMessage());
    }
    failing = true;
    waiting.forEach(follower -> follower.failed(e));
  }

  private Shards.Master master() {
    return asked()
        .orElseThrow(
            () ->
                new KvStoreException.Unavailable("shard %s has no master".formatted(log.shard())));
  }

  /**
   * Asks with the client of one who follows; the next time with another's, if that did not find the
   * master. All ask the same nodes, so that each would wait as long for those that do not answer.
   *
   * @return nothing: there is none now, or nobody follows
   * @throws RuntimeException if it fails; not for who leaves meanwhile, whose client is closed
   */
  private Optional<Shards.Master> asked() {
    while (true) {
      Optional<LogFollower> next = followers().stream().findFirst();
      if (next.isEmpty()) {
        return Optional.empty();
      }
      try {
        Optional<Shards.Master> master = next.get().master();
        if (master.isPresent() || asksLast(next.get())) {
          return master;
        }
      } catch (RuntimeException e) {
        if (asksLast(next.get())) {
          throw e;
        }
      }
    }
  }

  /** Whether he still follows. */
  private synchronized boolean asksLast(LogFollower follower) {
    return followers.remove(follower) && followers.add(follower);
  }

  private void read(Shards.Master master)
      throws ServerEngine.LogGoneException, InterruptedException {
    SharedStream begun = begin(master.end());
    if (begun == null) {
      return;
    }
    try (Subscription reader = engine.read(log.shard(), master.address(), begun)) {
      long deadline = System.nanoTime() + (begun.isExact() ? GO_ON_TIME : LOOK_BACK_TIME).toNanos();
      for (Stream followed : begun.streams()) {
        followed.awaitEnd(Duration.ofNanos(deadline - System.nanoTime()));
      }
      if (isRead && failing) {
        LOGGER.info("The changes of shard {} are followed again.", log.shard());
      }
      isRead = true;
      failing = false;
      SHARED.putIfAbsent(log, this);
      followers().forEach(LogFollower::reads);
      watch(begun, reader, master.address());
    } finally {
      synchronized (this) {
        stream = null;
      }
    }
  }

  /** Null: nobody is left. */
  private synchronized SharedStream begin(long end) {
    if (followers.isEmpty()) {
      return null;
    }
    stream = new SharedStream(followers.stream().map(LogFollower::log).toList(), end);
    return stream;
  }

  /** Returns when the stream has ended, or is not that of the master any more. */
  private void watch(SharedStream watched, Subscription reader, String address)
      throws InterruptedException {
    long asked = System.nanoTime();
    Optional<Shards.Master> answer = Optional.empty();
    boolean isAuthoritative = true;
    while (reader.isAlive() && !isDoneAfter(CHECK)) {
      handOver();
      if (watched.streams().stream().anyMatch(Stream::isOver)) {
        LOGGER.warn(
            "The log of shard {} is not the one that was read so far, maybe after a failure of its"
                + " master; a scan has to find what is missing.",
            log.shard());
        return;
      }
      if (answer.isPresent() && prove(watched, answer.get(), asked)) {
        answer = Optional.empty();
      }
      if (System.nanoTime() - asked >= interval.toNanos()) {
        asked = System.nanoTime();
        answer = askedAgain();
        if (answer.isPresent() && !answer.get().address().equals(address)) {
          return;
        }
        if (answer.isPresent() && answer.get().isAuthoritative() != isAuthoritative) {
          isAuthoritative = !isAuthoritative;
          tellWhoFollows(isAuthoritative);
        }
      }
    }
  }

  private void tellWhoFollows(boolean isAuthoritative) {
    if (isAuthoritative) {
      LOGGER.info("A majority of the nodes of shard {} follows its master again.", log.shard());
    } else {
      LOGGER.warn(
          "No majority of the nodes of shard {} follows its master: its changes are read, but prove"
              + " nothing, and scans go on; see to the other nodes.",
          log.shard());
    }
  }

  /**
   * Asks for the master again; empty if nobody answers. A node that does not answer may still send
   * its log.
   */
  private Optional<Shards.Master> askedAgain() {
    try {
      return asked();
    } catch (KvStoreException.Unavailable e) {
      return Optional.empty();
    }
  }

  /**
   * Whether all have come as far as the log went at a moment. That proves nothing where a majority
   * may have another master.
   */
  private synchronized boolean prove(SharedStream watched, Shards.Master master, long asked) {
    long end = master.end();
    boolean all = true;
    for (Stream followed : watched.streams()) {
      followed.logEnds(end, asked);
      boolean reached = followed.log().hasReached(end);
      if (reached && asked - followed.began() >= MAX_TRANSACTION.toNanos()) {
        followed.outlivesStrangers();
      }
      all &= reached;
    }
    for (LogFollower follower : followers) {
      if (master.isAuthoritative() && follower.log().hasReached(end)) {
        follower.proves(asked);
      }
    }
    return all;
  }

  /** Moves the followers to the shared reader, if this is not it. */
  private void handOver() {
    LogReader shared = SHARED.computeIfAbsent(log, nobody -> this);
    if (shared != this) {
      followers().forEach(follower -> follower.moveTo(shared));
    }
  }
}
