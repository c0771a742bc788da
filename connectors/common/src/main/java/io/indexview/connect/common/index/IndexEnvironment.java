package io.indexview.connect.common.index;

import com.sleepycat.je.Database;
import com.sleepycat.je.DatabaseConfig;
import com.sleepycat.je.Durability;
import com.sleepycat.je.Environment;
import com.sleepycat.je.EnvironmentConfig;
import com.sleepycat.je.EnvironmentLockedException;
import com.sleepycat.je.Transaction;
import io.indexview.connect.common.index.MaterializedIndex.IndexInUseException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The databases of one directory, for one user at a time. What is committed outlives the process; a
 * crash of the machine may take the last of it. For one thread.
 */
final class IndexEnvironment implements AutoCloseable {
  private static final long CACHE_BYTES = 32L << 20;
  private static final String MIN_FREE_DISK_BYTES = Long.toString(64L << 20);

  /** Within one process JE lets several users share what is open, and refuses none. */
  private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

  private final Path directory;
  private final Environment environment;
  private final Map<String, Database> databases = new HashMap<>();

  private IndexEnvironment(Path directory, Environment environment) {
    this.directory = directory;
    this.environment = environment;
  }

  /**
   * Opens a directory, or creates it.
   *
   * @throws IndexInUseException if another process, or somebody who did not close it yet, has it
   */
  static IndexEnvironment open(Path directory) {
    Path real = create(directory);
    if (!OPEN.add(real)) {
      throw new IndexInUseException(directory, null);
    }
    boolean opened = false;
    try {
      Environment environment = new Environment(real.toFile(), config());
      opened = true;
      return new IndexEnvironment(real, environment);
    } catch (EnvironmentLockedException e) {
      throw new IndexInUseException(directory, e);
    } finally {
      if (!opened) {
        OPEN.remove(real);
      }
    }
  }

  private static Path create(Path directory) {
    try {
      return Files.createDirectories(directory).toRealPath();
    } catch (IOException e) {
      throw new UncheckedIOException("index directory " + directory + " cannot be created", e);
    }
  }

  private static EnvironmentConfig config() {
    EnvironmentConfig config = new EnvironmentConfig().setAllowCreate(true).setTransactional(true);
    config.setDurability(Durability.COMMIT_WRITE_NO_SYNC);
    config.setCacheSize(CACHE_BYTES);
    config.setConfigParam(EnvironmentConfig.FREE_DISK, MIN_FREE_DISK_BYTES);
    return config;
  }

  /** Where it lies, without symbolic links. */
  Path directory() {
    return directory;
  }

  /** A database, open until this is closed; created when there is none of the name. */
  Database database(String name) {
    DatabaseConfig config = new DatabaseConfig().setAllowCreate(true).setTransactional(true);
    return databases.computeIfAbsent(name, n -> environment.openDatabase(null, n, config));
  }

  /** The database without any record, to be used in place of the one before. */
  Database emptied(String name) {
    Database before = databases.remove(name);
    if (before != null) {
      before.close();
    }
    environment.truncateDatabase(null, name, false);
    return database(name);
  }

  /** Runs an action in a transaction: all of its changes are made, or none. */
  <R> R change(Function<Transaction, R> action) {
    Transaction transaction = environment.beginTransaction(null, null);
    try {
      R result = action.apply(transaction);
      transaction.commit();
      return result;
    } finally {
      if (transaction.getState() != Transaction.State.COMMITTED) {
        // Also one that failed to commit, which is not valid any more: it holds its locks.
        transaction.abort();
      }
    }
  }

  /**
   * Closes the environment, even one that a failed write, as to a full disk, has left invalid: it
   * can be opened again.
   */
  @Override
  public void close() {
    try {
      databases.values().forEach(Database::close);
    } finally {
      try {
        environment.close();
      } finally {
        OPEN.remove(directory);
      }
    }
  }
}
