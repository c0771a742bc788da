package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.KvChanges;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvStoreException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import oracle.kv.Key;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the logs of all shards of a store, each at its master, on a thread of its own: again
 * after a failure, at whoever is master then. Shards that come are followed from then on, with a
 * gap.
 */
final class OracleChanges implements KvChanges {
  private static final Logger LOGGER = LoggerFactory.getLogger(OracleChanges.class);
  private static final Duration CHECK = Duration.ofMillis(100);

  /** How often it is asked who is the master, and how far its log goes. */
  private static final Duration CHECKED = Duration.ofSeconds(1);

  private static final Duration SHARDS_CHECK = Duration.ofSeconds(10);
  private static final Duration RETRY = Duration.ofSeconds(1);

  /** In entries of a log: longer than a transaction lasts, at some thousand writes a second. */
  private static final long LOOK_BACK = 100_000;

  /** What that takes at most. */
  private static final Duration LOOK_BACK_TIME = Duration.ofSeconds(20);

  private static final Duration LONGEST_TRANSACTION =
      Duration.ofMillis(ShardLog.MAX_TRANSACTION_MS);

  /** To find the masters, and for the engine to start. */
  private static final Duration START = Duration.ofSeconds(30);

  private final ServerEngine engine;
  private final Shards shards;
  private final WantedKeys wanted;
  private final Consumer<OracleChanges> onClose;
  private final ChangeHints hints = new ChangeHints();
  private final Map<String, Follower> followers = new HashMap<>();
  private final CountDownLatch closed = new CountDownLatch(1);

  private OracleChanges(
      ServerEngine engine, Shards shards, KvKeySet keys, Consumer<OracleChanges> onClose) {
    this.engine = engine;
    this.shards = shards;
    this.wanted = new WantedKeys(keys);
    this.onClose = onClose;
  }

  /**
   * Returns when all shards are followed.
   *
   * @param from where to go on from; nothing: from now on
   */
  static OracleChanges open(
      ServerEngine engine,
      Shards shards,
      KvKeySet keys,
      Optional<KvChangePosition> from,
      Consumer<OracleChanges> onClose) {
    OracleChanges changes = new OracleChanges(engine, shards, keys, onClose);
    boolean opened = false;
    try {
      changes.start(from);
      opened = true;
      return changes;
    } finally {
      if (!opened) {
        changes.close();
      }
    }
  }

  private void start(Optional<KvChangePosition> from) {
    shards.names().forEach(name -> follow(name, startOf(name, from)));
    long deadline = System.nanoTime() + START.toNanos();
    for (Follower follower : followers.values()) {
      follower.awaitStart(deadline);
    }
    start("indexview-changes", this::watchShards);
  }

  /** A shard that is new since a position has a gap; {@code null}: from now on. */
  private static KvChangePosition.Entry startOf(String name, Optional<KvChangePosition> from) {
    return from.map(position -> position.shards().getOrDefault(name, Follower.UNKNOWN))
        .orElse(null);
  }

  private void follow(String name, KvChangePosition.Entry from) {
    Follower follower = new Follower(name, from);
    followers.put(name, follower);
    start("indexview-changes-" + name, follower::run);
  }

  private static void start(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public Batch poll(Duration timeout) {
    if (isClosed()) {
      throw new IllegalStateException("The changes are not followed any more.");
    }
    return hints.poll(timeout.toNanos());
  }

  @Override
  public Optional<Duration> provenAge() {
    return hints.provenAge();
  }

  @Override
  public void close() {
    closed.countDown();
    hints.close();
    onClose.accept(this);
  }

  private boolean isClosed() {
    return closed.getCount() == 0;
  }

  /** Whether this was closed meanwhile. */
  private boolean isClosedAfter(Duration pause) {
    try {
      return closed.await(pause.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      // Nobody else knows of the thread.
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private void watchShards() {
    while (!isClosedAfter(SHARDS_CHECK)) {
      try {
        followShards(shards.names());
      } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
        LOGGER.warn("The shards of the store are not known now: {}", e.toString());
      }
    }
  }

  private void followShards(Set<String> known) {
    for (String name : known) {
      if (!followers.containsKey(name)) {
        LOGGER.info("Shard {} is new; its changes are followed from now on.", name);
        follow(name, Follower.UNKNOWN);
      }
    }
    for (String name : List.copyOf(followers.keySet())) {
      if (!known.contains(name)) {
        LOGGER.info("Shard {} is gone.", name);
        followers.remove(name).stop();
      }
    }
  }

  private final class Follower {
    static final KvChangePosition.Entry UNKNOWN = new KvChangePosition.Entry(0, 0);

    private final String name;
    private final ShardLog log;
    private final CountDownLatch tried = new CountDownLatch(1);
    private volatile KvStoreException failure;
    private volatile boolean gone;

    Follower(String name, KvChangePosition.Entry from) {
      this.name = name;
      this.log = new ShardLog(name, from, LOOK_BACK, wanted, hints);
    }

    /** Throws what the first try failed of. */
    void awaitStart(long deadline) {
      try {
        if (!tried.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          throw new KvStoreException.Unavailable(
              "The log of shard %s could not be opened within %s.".formatted(name, START));
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new KvStoreException.Unavailable("Opening the log of a shard was interrupted.", e);
      }
      if (failure != null) {
        throw failure;
      }
    }

    void run() {
      do {
        try {
          Optional<Shards.Master> master = shards.master(name);
          if (master.isEmpty()) {
            throw new KvStoreException.Unavailable("shard %s has no master".formatted(name));
          }
          read(master.get());
        } catch (ServerEngine.LogGoneException e) {
          LOGGER.warn(
              "The log of shard {} does not go back to where its changes were followed last; a scan"
                  + " has to find what is missing.",
              name);
          log.forget();
        } catch (KvStoreException e) {
          failed(e);
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
          // A class of the server's jars may be missing, which shows when it is used first.
          failed(new KvStoreException.Unavailable("shard %s: %s".formatted(name, e), e));
        }
      } while (!gone && !isClosedAfter(RETRY));
      if (gone) {
        hints.remove(name);
      }
    }

    private void failed(KvStoreException e) {
      if (failure == null && !isClosed()) {
        LOGGER.warn("Changes cannot be followed now: {}", e.getMessage());
      }
      failure = e;
      hints.setOutage(name, e.getMessage());
      tried.countDown();
    }

    private void read(Shards.Master master) throws ServerEngine.LogGoneException {
      ShardLog.Stream stream = log.begin(master.end());
      try (ServerEngine.Reader reader = engine.read(name, master.address(), stream)) {
        stream.awaitEnd(stream.isExact() ? CHECKED : LOOK_BACK_TIME);
        if (failure != null) {
          LOGGER.info("The changes of shard {} are followed again.", name);
        }
        failure = null;
        hints.setOutage(name, null);
        tried.countDown();
        watch(stream, reader, master.address());
      } catch (InterruptedException e) {
        // Nobody else knows of the thread.
        Thread.currentThread().interrupt();
        stop();
      }
    }

    /** Returns when the stream has ended, or is not that of the master any more. */
    private void watch(ShardLog.Stream stream, ServerEngine.Reader reader, String address) {
      long began = System.nanoTime();
      long asked = began;
      Optional<Shards.Master> answer = Optional.empty();
      while (!gone && !stream.isOver() && reader.isAlive() && !isClosedAfter(CHECK)) {
        if (answer.isPresent() && log.hasReached(answer.get().end())) {
          hints.setProven(name, asked);
          if (asked - began >= LONGEST_TRANSACTION.toNanos()) {
            stream.outlivesStrangers();
          }
          answer = Optional.empty();
        }
        if (System.nanoTime() - asked >= CHECKED.toNanos()) {
          asked = System.nanoTime();
          answer = askedAgain();
          if (answer.isPresent() && !answer.get().address().equals(address)) {
            return;
          }
        }
      }
      if (stream.isOver()) {
        LOGGER.warn(
            "The log of shard {} is not the one that was read so far, maybe after a failure of its"
                + " master; a scan has to find what is missing.",
            name);
      }
    }

    /** Who does not answer may still send its log. */
    private Optional<Shards.Master> askedAgain() {
      try {
        return shards.master(name);
      } catch (KvStoreException.Unavailable e) {
        return Optional.empty();
      }
    }

    void stop() {
      gone = true;
    }
  }

  /**
   * Decodes the keys of a log that are asked for. The others, of other prefixes and of databases
   * that hold no records at all, cost a comparison of a few bytes.
   */
  static final class WantedKeys implements Function<byte[], Optional<KvKey>> {
    private final KvKeySet keys;
    private final byte[] prefix;

    WantedKeys(KvKeySet keys) {
      this.keys = keys;
      this.prefix = Translation.key(keys.prefix()).toByteArray();
    }

    @Override
    public Optional<KvKey> apply(byte[] bytes) {
      if (!isWithinPrefix(bytes)) {
        return Optional.empty();
      }
      KvKey key;
      try {
        key = Translation.key(Key.fromByteArray(bytes));
      } catch (IllegalArgumentException | KvStoreException.Refused e) {
        // Of a database that holds something else: no record has it.
        return Optional.empty();
      }
      return keys.contains(key) ? Optional.of(key) : Optional.empty();
    }

    private boolean isWithinPrefix(byte[] bytes) {
      return bytes.length >= prefix.length
          && Arrays.equals(bytes, 0, prefix.length, prefix, 0, prefix.length)
          && (bytes.length == prefix.length || Key.isDelimiter(bytes[prefix.length]));
    }
  }
}
