package io.indexview.kvstore.embedded;

import com.sleepycat.je.Database;
import com.sleepycat.je.DatabaseConfig;
import com.sleepycat.je.DatabaseEntry;
import com.sleepycat.je.Durability;
import com.sleepycat.je.Environment;
import com.sleepycat.je.EnvironmentConfig;
import com.sleepycat.je.Get;
import com.sleepycat.je.Put;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Handles of one opening of the engine on a directory. */
final class Handles {
  private static final byte[] SHARD_KEY = "shard".getBytes(StandardCharsets.UTF_8);
  private static final String STOP_WRITING_BELOW_FREE_BYTES = String.valueOf(64L << 20);

  /**
   * The engine forgets, now and then, to wake some of the commits that wait for one sync of its log
   * together. They wait for this twice, and sync it themselves; its default is 500 ms.
   */
  private static final String SYNC_TIMEOUT = "50 ms";

  private final Environment environment;
  private final Database records;
  private final Database meta;
  private final VlsnCounter counter;
  private final RecentChanges changes;
  private final String shard;

  private Handles(Environment environment, Database records, Database meta) {
    this.environment = environment;
    this.records = records;
    this.meta = meta;
    this.counter = new VlsnCounter(meta);
    this.changes = new RecentChanges(meta);
    this.shard = shard(meta);
  }

  static Handles open(Path directory, long cacheBytes, Duration lockTimeout) {
    EnvironmentConfig config = new EnvironmentConfig();
    config.setAllowCreate(true);
    config.setTransactional(true);
    config.setDurability(Durability.COMMIT_SYNC);
    config.setCacheSize(cacheBytes);
    config.setLockTimeout(lockTimeout.toMillis(), TimeUnit.MILLISECONDS);
    // The engine's default stops all writes when less than 5 GB are free.
    config.setConfigParam(EnvironmentConfig.FREE_DISK, STOP_WRITING_BELOW_FREE_BYTES);
    config.setConfigParam(EnvironmentConfig.LOG_FSYNC_TIMEOUT, SYNC_TIMEOUT);
    config.setConfigParam(EnvironmentConfig.STATS_COLLECT, "false");
    config.setConfigParam(EnvironmentConfig.FILE_LOGGING_LEVEL, "OFF");
    Environment environment = new Environment(directory.toFile(), config);
    boolean opened = false;
    try {
      DatabaseConfig database = new DatabaseConfig();
      database.setAllowCreate(true);
      database.setTransactional(true);
      Handles handles =
          new Handles(
              environment,
              environment.openDatabase(null, "records", database),
              environment.openDatabase(null, "meta", database));
      opened = true;
      return handles;
    } finally {
      if (!opened) {
        environment.close();
      }
    }
  }

  Environment environment() {
    return environment;
  }

  Database records() {
    return records;
  }

  VlsnCounter counter() {
    return counter;
  }

  RecentChanges changes() {
    return changes;
  }

  /** The identity of this store: another directory, or a directory made anew, has another one. */
  String shard() {
    return shard;
  }

  void close() {
    changes.close();
    if (environment.isValid()) {
      counter.close();
      changes.saveLast();
      records.close();
      meta.close();
    }
    environment.close();
  }

  private static String shard(Database meta) {
    DatabaseEntry stored = new DatabaseEntry();
    DatabaseEntry key = new DatabaseEntry(SHARD_KEY);
    if (meta.get(null, key, stored, Get.SEARCH, null) != null) {
      return new String(stored.getData(), StandardCharsets.UTF_8);
    }
    String shard = "embedded-" + UUID.randomUUID();
    meta.put(
        null, key, new DatabaseEntry(shard.getBytes(StandardCharsets.UTF_8)), Put.OVERWRITE, null);
    return shard;
  }

  /**
   * Hands out rising write numbers. Numbers are reserved on disk in chunks before they are used, so
   * none is ever given twice; what was reserved and not used is skipped after a crash.
   */
  static final class VlsnCounter {
    private static final byte[] RESERVED_KEY = "vlsn.reserved".getBytes(StandardCharsets.UTF_8);
    private static final long CHUNK = 1 << 16;

    private final Database meta;
    private final AtomicLong last;
    private volatile long reserved;

    VlsnCounter(Database meta) {
      this.meta = meta;
      DatabaseEntry stored = new DatabaseEntry();
      boolean found =
          meta.get(null, new DatabaseEntry(RESERVED_KEY), stored, Get.SEARCH, null) != null;
      reserved = found ? ByteBuffer.wrap(stored.getData()).getLong() : 0;
      last = new AtomicLong(reserved);
    }

    long next() {
      long vlsn = last.incrementAndGet();
      if (vlsn > reserved) {
        reserveUpTo(vlsn + CHUNK);
      }
      return vlsn;
    }

    long last() {
      return last.get();
    }

    /** Gives back what was reserved and not used; no number may be asked for afterwards. */
    synchronized void close() {
      store(last.get());
    }

    private synchronized void reserveUpTo(long bound) {
      if (bound - CHUNK > reserved) {
        store(bound);
        reserved = bound;
      }
    }

    private void store(long value) {
      byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(value).array();
      meta.put(
          null, new DatabaseEntry(RESERVED_KEY), new DatabaseEntry(bytes), Put.OVERWRITE, null);
    }
  }
}
