package io.indexview.streams.app;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.logging.OutageLog;
import io.indexview.streams.task.TaskServices.BuildGate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restores the local state of this process from its changelogs, once for every generation that is
 * to be built from there, and remembers that in a file over a restart. The numbers of a view's
 * generations only rise: what was restored for one is restored for those before it. Safe for use by
 * several threads.
 */
final class ChangelogRestore implements BuildGate {
  private static final Logger LOGGER = LoggerFactory.getLogger(ChangelogRestore.class);
  private static final String SEPARATOR = "|";

  private final Path file;
  private final BooleanSupplier restore;
  private final AtomicBoolean running = new AtomicBoolean();

  /** Used by the restoring thread only. */
  private final OutageLog outages =
      new OutageLog(LOGGER, "The state is being restored from its changelogs");

  /** Newest number by view. */
  private final ConcurrentMap<String, Integer> wanted = new ConcurrentHashMap<>();

  private final ConcurrentMap<String, Integer> restored = new ConcurrentHashMap<>();

  /**
   * @param file holds the newest generation of each view that the state was restored for
   * @param restore throws the local state away and begins to restore it; false: the state stands,
   *     as the application closes. Called on a thread of its own
   */
  ChangelogRestore(Path file, BooleanSupplier restore) {
    this.file = file;
    this.restore = restore;
    this.restored.putAll(read(file));
  }

  private static Map<String, Integer> read(Path file) {
    Map<String, Integer> found = new TreeMap<>();
    try {
      for (String line : Files.exists(file) ? Files.readAllLines(file) : List.<String>of()) {
        int end = line.lastIndexOf(SEPARATOR);
        found.put(line.substring(0, end), Integer.valueOf(line.substring(end + 1)));
      }
      return found;
    } catch (IOException | NumberFormatException | IndexOutOfBoundsException e) {
      LOGGER.warn("{} cannot be read; the state may be restored once more", file, e);
      return Map.of();
    }
  }

  @Override
  public String waitsFor(PublishedGeneration generation) {
    if (generation.generation() <= restored.getOrDefault(generation.view(), 0)) {
      return "";
    }
    wanted.merge(generation.view(), generation.generation(), Math::max);
    if (running.compareAndSet(false, true)) {
      Thread thread = new Thread(this::run, "indexview-restore");
      thread.setDaemon(true);
      thread.start();
    }
    return "waits until the state is restored from its changelog";
  }

  private void run() {
    try {
      Map<String, Integer> now = new TreeMap<>(restored);
      now.putAll(wanted);
      // Who found the state not restored may come here only when it is.
      if (!now.equals(restored) && restore.getAsBoolean()) {
        remember(now);
        outages.succeeded();
        restored.putAll(now);
      }
    } catch (RuntimeException e) {
      outages.failed(
          "The state could not be restored from its changelogs, which is tried again until it works: "
              + e.getMessage(),
          e);
    } finally {
      running.set(false);
    }
  }

  private void remember(Map<String, Integer> generations) {
    List<String> lines =
        generations.entrySet().stream()
            .map(newest -> newest.getKey() + SEPARATOR + newest.getValue())
            .toList();
    try {
      Path written = Files.write(file.resolveSibling(file.getFileName() + ".new"), lines);
      Files.move(
          written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
