package io.indexview.streams.app;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.streams.build.BuildGate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the local state of this process restored from its changelogs, once for every generation that
 * is to be built from there, and remembers it in a file over a restart. Safe for use by several
 * threads.
 */
final class ChangelogRestore implements BuildGate {
  private static final Logger LOGGER = LoggerFactory.getLogger(ChangelogRestore.class);

  private final Path marker;
  private final Runnable restore;
  private final AtomicBoolean running = new AtomicBoolean();
  private final AtomicLong wantedMs = new AtomicLong(Long.MIN_VALUE);
  private volatile long restoredMs;

  /**
   * @param marker holds when the newest generation was created that the state was restored for, ms
   *     since the epoch
   * @param restore begins to restore the state; called on a thread of its own
   */
  ChangelogRestore(Path marker, Runnable restore) {
    this.marker = marker;
    this.restore = restore;
    this.restoredMs = read(marker);
  }

  private static long read(Path marker) {
    try {
      return Files.exists(marker)
          ? Long.parseLong(Files.readString(marker).strip())
          : Long.MIN_VALUE;
    } catch (IOException | NumberFormatException e) {
      LOGGER.warn("{} cannot be read; the state may be restored once more", marker, e);
      return Long.MIN_VALUE;
    }
  }

  @Override
  public String waitsFor(PublishedGeneration generation) {
    long createdAtMs = generation.createdAtMs();
    if (createdAtMs <= restoredMs) {
      return "";
    }
    wantedMs.accumulateAndGet(createdAtMs, Math::max);
    if (running.compareAndSet(false, true)) {
      Thread thread = new Thread(this::run, "indexview-restore");
      thread.setDaemon(true);
      thread.start();
    }
    return "waits until the state is restored from its changelog";
  }

  private void run() {
    try {
      long forMs = wantedMs.get();
      restore.run();
      remember(forMs);
      restoredMs = forMs;
    } catch (RuntimeException e) {
      LOGGER.error("The state could not be restored from its changelogs; tried again", e);
    } finally {
      running.set(false);
    }
  }

  private void remember(long timeMs) {
    try {
      Path written =
          Files.writeString(
              marker.resolveSibling(marker.getFileName() + ".new"), Long.toString(timeMs));
      Files.move(
          written, marker, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
