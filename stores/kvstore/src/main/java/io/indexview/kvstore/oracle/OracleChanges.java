package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.KvChanges;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvStoreException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import oracle.kv.Key;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the logs of all shards of a store. Shards that come are followed from then on, with a
 * gap.
 */
final class OracleChanges implements KvChanges {
  private static final Logger LOGGER = LoggerFactory.getLogger(OracleChanges.class);
  private static final Duration SHARDS_CHECK = Duration.ofSeconds(10);
  private static final Duration MASTER_CHECK = Duration.ofSeconds(1);

  /**
   * How far to look back, in entries of a log: longer than a transaction lasts, at some thousand
   * writes a second.
   */
  private static final long LOOK_BACK = 100_000;

  /** Time to find the masters, and for the engine to start. */
  private static final Duration START = Duration.ofSeconds(30);

  /** Position in a shard that nothing is known of. */
  private static final KvChangePosition.Entry UNKNOWN = new KvChangePosition.Entry(0, 0);

  private final LogReader.Engine engine;
  private final Shards shards;
  private final WantedKeys wanted;
  private final Consumer<OracleChanges> onClose;
  private final Duration shardsCheck;
  private final ChangeHints hints = new ChangeHints();
  private final Map<String, LogFollower> followers = new ConcurrentHashMap<>();
  private final CountDownLatch closed = new CountDownLatch(1);

  private OracleChanges(
      LogReader.Engine engine,
      Shards shards,
      KvKeySet keys,
      Consumer<OracleChanges> onClose,
      Duration shardsCheck) {
    this.engine = engine;
    this.shards = shards;
    this.wanted = new WantedKeys(keys);
    this.onClose = onClose;
    this.shardsCheck = shardsCheck;
  }

  /**
   * Returns when all shards are followed.
   *
   * @param from where to go on from; nothing: from now on
   */
  static OracleChanges open(
      LogReader.Engine engine,
      Shards shards,
      KvKeySet keys,
      Optional<KvChangePosition> from,
      Consumer<OracleChanges> onClose) {
    return open(engine, shards, keys, from, onClose, SHARDS_CHECK);
  }

  /**
   * @param shardsCheck how often to ask for shards that are new
   */
  static OracleChanges open(
      LogReader.Engine engine,
      Shards shards,
      KvKeySet keys,
      Optional<KvChangePosition> from,
      Consumer<OracleChanges> onClose,
      Duration shardsCheck) {
    OracleChanges changes = new OracleChanges(engine, shards, keys, onClose, shardsCheck);
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
    for (LogFollower follower : followers.values()) {
      follower.awaitStart(deadline, START);
    }
    Thread watch = new Thread(this::watchShards, "indexview-changes");
    watch.setDaemon(true);
    watch.start();
  }

  /** A shard that is new since a position has a gap; {@code null}: from now on. */
  private static KvChangePosition.Entry startOf(String name, Optional<KvChangePosition> from) {
    return from.map(position -> position.shards().getOrDefault(name, UNKNOWN)).orElse(null);
  }

  private LogFollower follow(String name, KvChangePosition.Entry from) {
    ShardLog log = new ShardLog(name, from, LOOK_BACK, wanted, hints);
    LogFollower follower = new LogFollower(name, log, hints, () -> shards.master(name));
    followers.put(name, follower);
    read(follower);
    if (isClosed()) {
      follower.leave();
    }
    return follower;
  }

  private void read(LogFollower follower) {
    follower.follow(engine, shards.store(), MASTER_CHECK, Thread::new);
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
    followers.values().forEach(LogFollower::leave);
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
    boolean failing = false;
    while (!isClosedAfter(shardsCheck)) {
      try {
        followShards(shards.names());
        failing = false;
      } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
        if (!failing) {
          LOGGER.warn(
              "The store does not say which shards it has, and is asked again each {} s; changes of"
                  + " shards that are new are not followed until then: {}",
              shardsCheck.toSeconds(),
              e.toString());
        }
        failing = true;
      }
    }
  }

  private void followShards(Set<String> known) {
    Map<String, LogFollower> come = new TreeMap<>();
    for (String name : known) {
      LogFollower follower = followers.get(name);
      if (follower == null) {
        LOGGER.info("Shard {} is new; its changes are followed from now on.", name);
        // Nothing is proven from now on before its log is read, too.
        hints.passed(name, UNKNOWN);
        come.put(name, follow(name, UNKNOWN));
      } else {
        read(follower);
      }
    }
    for (String name : List.copyOf(followers.keySet())) {
      if (!known.contains(name)) {
        LOGGER.info("Shard {} is gone.", name);
        followers.remove(name).leave();
        hints.remove(name);
      }
    }
    come.forEach(this::awaitStart);
  }

  /**
   * Waits for a follower of a new shard to start, and logs why its log cannot be read: nobody else
   * hears of that.
   */
  private void awaitStart(String name, LogFollower follower) {
    try {
      follower.awaitStart(System.nanoTime() + START.toNanos(), START);
    } catch (KvStoreException e) {
      if (!isClosed()) {
        LOGGER.warn(
            "The changes of shard {}, which is new, cannot be followed now; it is tried again until"
                + " they can be: {}",
            name,
            e.getMessage());
      }
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
