package io.indexview.client.verify.live;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a run of a verification keeps its rows. It is locked while the run's process lives: so two
 * workers that share a disk have each its own, and one that a killed process left can be told, and
 * taken by the next run of the same verification.
 */
final class RunDirectory implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(RunDirectory.class);
  private static final String LOCK = "lock";

  /** After so long nobody goes on with one. */
  private static final Duration FORGOTTEN = Duration.ofDays(1);

  /** Id of the verification, generation, a number. */
  private static final Pattern NAME = Pattern.compile("\\d{8}T\\d{6}-[0-9a-f]{4}-\\d+-\\d+");

  private final Path path;
  private final FileChannel lock;

  private RunDirectory(Path path, FileChannel lock) {
    this.path = path;
    this.lock = lock;
  }

  /**
   * One that an earlier run of the verification left, or a new one.
   *
   * @throws UncheckedIOException if there can be none
   */
  static RunDirectory take(Path parent, String verification, int generation) {
    String prefix = verification + "-" + generation + "-";
    try {
      Files.createDirectories(parent);
      for (Path left : list(parent, prefix)) {
        Optional<RunDirectory> taken = tryTake(left);
        if (taken.isPresent()) {
          return taken.get();
        }
      }
      return tryTake(Files.createTempDirectory(parent, prefix)).orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "rows cannot be kept in %s (verification.dir): %s".formatted(parent, e), e);
    }
  }

  /** Whether an earlier run left one from which it can go on, and nobody does. */
  static boolean isLeft(Path parent, String verification) {
    try {
      for (Path left : list(parent, verification + "-")) {
        Optional<RunDirectory> taken = Checkpoints.isIn(left) ? tryTake(left) : Optional.empty();
        taken.ifPresent(RunDirectory::close);
        if (taken.isPresent()) {
          return true;
        }
      }
    } catch (IOException e) {
      LOGGER.warn("{} cannot be looked into", parent, e);
    }
    return false;
  }

  /** Removes those of runs that nobody went on with. */
  static void removeForgotten(Path parent, Instant now) {
    try {
      for (Path left : list(parent, "")) {
        if (NAME.matcher(left.getFileName().toString()).matches()
            && Files.getLastModifiedTime(left).toInstant().isBefore(now.minus(FORGOTTEN))) {
          tryTake(left).ifPresent(RunDirectory::remove);
        }
      }
    } catch (IOException e) {
      LOGGER.warn("Files of verifications that were left may stay in {}", parent, e);
    }
  }

  private static List<Path> list(Path parent, String prefix) throws IOException {
    if (!Files.isDirectory(parent)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(parent)) {
      return all.filter(one -> one.getFileName().toString().startsWith(prefix)).toList();
    }
  }

  /** Empty: another run has it, or it is gone. */
  private static Optional<RunDirectory> tryTake(Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      return Optional.empty();
    }
    FileChannel lock =
        FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      if (lock.tryLock() != null) {
        return Optional.of(new RunDirectory(path, lock));
      }
    } catch (OverlappingFileLockException e) {
      LOGGER.trace("Another run in this process has {}", path, e);
    }
    lock.close();
    return Optional.empty();
  }

  Path path() {
    return path;
  }

  /** Removes it with all that is in it. */
  void remove() {
    try (Stream<Path> all = Files.walk(path)) {
      // What lies in a directory comes behind it.
      List<Path> deepestFirst = all.sorted((one, other) -> other.compareTo(one)).toList();
      for (Path one : deepestFirst) {
        Files.delete(one);
      }
    } catch (IOException e) {
      LOGGER.warn("Files of a verification are left in {}", path, e);
    }
    close();
  }

  /** Leaves it to the next run. */
  @Override
  public void close() {
    try {
      lock.close();
    } catch (IOException e) {
      LOGGER.warn("The lock of {} is held until this process ends", path, e);
    }
  }
}
