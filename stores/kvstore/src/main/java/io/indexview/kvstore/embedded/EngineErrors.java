package io.indexview.kvstore.embedded;

import com.sleepycat.je.DatabaseException;
import com.sleepycat.je.DiskLimitException;
import com.sleepycat.je.EnvironmentLockedException;
import com.sleepycat.je.LogWriteException;
import com.sleepycat.je.ThreadInterruptedException;
import com.sleepycat.je.VersionMismatchException;
import io.indexview.kvstore.KvStoreException;
import java.nio.file.Path;

/** What the engine's exceptions mean to a caller. */
final class EngineErrors {
  private EngineErrors() {}

  static KvStoreException translate(Path directory, DatabaseException e) {
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

  static KvStoreException translateOpening(Path directory, RuntimeException e) {
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
    return translate(directory, (DatabaseException) e);
  }
}
