package io.indexview.kvstore.embedded;

import com.sleepycat.je.DatabaseException;
import com.sleepycat.je.DiskLimitException;
import com.sleepycat.je.EnvironmentLockedException;
import com.sleepycat.je.LockConflictException;
import com.sleepycat.je.LogWriteException;
import com.sleepycat.je.ThreadInterruptedException;
import com.sleepycat.je.VersionMismatchException;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvStoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine on one directory, shared by everything in this process that opened the directory. The
 * first to open decides on cache and timeout; the last to close closes the engine. An engine that
 * failed (a disk error, an interrupt at a bad moment) is opened again by the next call.
 */
final class SharedEnvironment {
  private static final Logger LOGGER = LoggerFactory.getLogger(SharedEnvironment.class);
  private static final int LOCK_ATTEMPTS = 3;
  private static final Map<Path, SharedEnvironment> OPEN = new HashMap<>();

  private final Path directory;
  private final KvStoreConfig config;
  private final MajorPathLocks locks = new MajorPathLocks();

  /** Calls hold it for reading, so that the engine is never closed under one of them. */
  private final ReentrantReadWriteLock lifecycle = new ReentrantReadWriteLock();

  private Handles handles;
  private int users;
  private boolean released;

  private SharedEnvironment(Path directory, KvStoreConfig config) {
    this.directory = directory;
    this.config = config;
  }

  static SharedEnvironment acquire(Path directory, KvStoreConfig config) {
    Path real = created(directory);
    synchronized (OPEN) {
      SharedEnvironment shared = OPEN.get(real);
      if (shared == null) {
        shared = new SharedEnvironment(real, config);
        shared.reopen();
        OPEN.put(real, shared);
      }
      shared.users++;
      return shared;
    }
  }

  void release() {
    synchronized (OPEN) {
      if (--users > 0) {
        return;
      }
      OPEN.remove(directory);
      lifecycle.writeLock().lock();
      try {
        released = true;
        closeHandles();
      } finally {
        lifecycle.writeLock().unlock();
      }
    }
  }

  MajorPathLocks locks() {
    return locks;
  }

  /**
   * Runs work on the engine, again after a lock conflict, and translates what the engine throws.
   */
  <T> T call(Function<Handles, T> work) {
    for (int attempt = 1; ; attempt++) {
      ensureOpen();
      lifecycle.readLock().lock();
      try {
        return work.apply(openHandles());
      } catch (LockConflictException e) {
        if (attempt == LOCK_ATTEMPTS) {
          throw new KvStoreException.Unavailable(
              "Records in %s stayed locked for %d attempts of %s."
                  .formatted(directory, LOCK_ATTEMPTS, config.requestTimeout()),
              e);
        }
      } catch (DatabaseException e) {
        throw failure(directory, e);
      } finally {
        lifecycle.readLock().unlock();
      }
    }
  }

  /** Lets those who wait for changes see whether they were closed. */
  void wakeFollowers() {
    lifecycle.readLock().lock();
    try {
      if (handles != null) {
        handles.changes().wake();
      }
    } finally {
      lifecycle.readLock().unlock();
    }
  }

  private Handles openHandles() {
    if (handles == null) {
      throw closed();
    }
    return handles;
  }

  private KvStoreException closed() {
    return new KvStoreException.Unavailable("The store in %s is closed.".formatted(directory));
  }

  private void ensureOpen() {
    lifecycle.readLock().lock();
    try {
      if (handles != null && handles.environment().isValid()) {
        return;
      }
    } finally {
      lifecycle.readLock().unlock();
    }
    reopen();
  }

  private void reopen() {
    lifecycle.writeLock().lock();
    try {
      if (handles != null && handles.environment().isValid()) {
        return;
      }
      if (released) {
        throw closed();
      }
      if (handles != null) {
        LOGGER.warn(
            "The engine in {} failed; it is opened again. If that repeats, check the disk.",
            directory,
            handles.environment().getInvalidatingException());
        closeHandles();
      }
      handles = Handles.open(directory, config.cacheBytes(), config.requestTimeout());
    } catch (DatabaseException | IllegalArgumentException e) {
      throw openingFailure(directory, e);
    } finally {
      lifecycle.writeLock().unlock();
    }
  }

  private void closeHandles() {
    Handles closing = handles;
    handles = null;
    if (closing == null) {
      return;
    }
    try {
      closing.close();
    } catch (DatabaseException e) {
      // Nothing acknowledged depends on an orderly end: recovery runs at the next opening.
      LOGGER.warn(
          "The engine in {} did not close in order; nothing is lost, the next start takes longer.",
          directory,
          e);
    }
  }

  private static Path created(Path directory) {
    try {
      Files.createDirectories(directory);
      Path real = directory.toRealPath();
      if (!Files.isWritable(real)) {
        throw new KvStoreException.Misconfigured(
            "The store's directory %s cannot be written.".formatted(real));
      }
      return real;
    } catch (IOException e) {
      throw new KvStoreException.Misconfigured(
          "The store's directory %s cannot be created: %s.".formatted(directory, e), e);
    }
  }

  private static KvStoreException failure(Path directory, DatabaseException e) {
    if (e instanceof ThreadInterruptedException) {
      Thread.currentThread().interrupt();
      return new KvStoreException.Unavailable(
          "A call to the store in %s was interrupted.".formatted(directory), e);
    }
    if (e instanceof DiskLimitException || e instanceof LogWriteException) {
      return new KvStoreException.Unavailable(
          "The store in %s cannot write: its disk is full or fails. Free some space. %s"
              .formatted(directory, e.getMessage()),
          e);
    }
    return new KvStoreException.Unavailable(
        "The store in %s failed: %s".formatted(directory, e.getMessage()), e);
  }

  private static KvStoreException openingFailure(Path directory, RuntimeException e) {
    if (e instanceof EnvironmentLockedException) {
      return new KvStoreException.Misconfigured(
          ("The store's directory %s is in use by another process, or by another plugin of this"
                  + " one. Stop that, or choose another directory.")
              .formatted(directory),
          e);
    }
    if (e instanceof VersionMismatchException || e instanceof IllegalArgumentException) {
      return new KvStoreException.Misconfigured(
          "The store in %s cannot be opened: %s".formatted(directory, e.getMessage()), e);
    }
    return failure(directory, (DatabaseException) e);
  }

  /**
   * Locks striped by major path. Writers of one major path take turns, so that a later commit
   * always has the higher number; readers of a whole major path see a transaction entirely or not
   * at all.
   */
  static final class MajorPathLocks {
    private static final int STRIPES = 512;

    private final ReadWriteLock[] stripes = new ReadWriteLock[STRIPES];

    MajorPathLocks() {
      for (int i = 0; i < STRIPES; i++) {
        stripes[i] = new ReentrantReadWriteLock();
      }
    }

    ReadWriteLock of(KvKey key) {
      return stripes[stripe(key)];
    }

    /**
     * The locks for writing all of these, each once, in the order in which everybody takes them.
     */
    List<Lock> writing(Collection<KvKey> keys) {
      return keys.stream()
          .map(MajorPathLocks::stripe)
          .distinct()
          .sorted()
          .map(stripe -> stripes[stripe].writeLock())
          .toList();
    }

    private static int stripe(KvKey key) {
      int hash = key.major().hashCode();
      return (hash ^ (hash >>> 16)) & (STRIPES - 1);
    }
  }
}
