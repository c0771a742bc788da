package io.indexview.kvstore.embedded;

import com.sleepycat.je.DatabaseException;
import com.sleepycat.je.LockConflictException;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvStoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
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
        throw EngineErrors.translate(directory, e);
      } finally {
        lifecycle.readLock().unlock();
      }
    }
  }

  private Handles openHandles() {
    if (handles == null) {
      throw new KvStoreException.Unavailable("The store in %s is closed.".formatted(directory));
    }
    return handles;
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
      if (handles != null) {
        LOGGER.warn("The engine in {} failed; it is opened again.", directory);
        closeHandles();
      }
      handles = Handles.open(directory, config.cacheBytes(), config.requestTimeout());
    } catch (DatabaseException | IllegalArgumentException e) {
      throw EngineErrors.translateOpening(directory, e);
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
      LOGGER.warn("Closing the engine in {} failed.", directory, e);
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
}
