package io.indexview.client.verify.live;

import io.indexview.schemas.control.ViewVerification;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a run of a verification keeps its rows. It is locked while the run's process lives: so two
 * workers that share a disk have each its own, and one that a killed process left can be told, and
 * taken by the next run of the same verification, unless another worker had that meanwhile.
 */
final class RunDirectory implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(RunDirectory.class);
  private static final String LOCK = "lock";
  private static final String WORKER = "worker";

  /**
   * Those that runs in this process have: the process loses all its locks of a file as soon as it
   * closes the file once, though it has opened it several times.
   */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  /** After so long nobody goes on with one. */
  private static final Duration FORGOTTEN = Duration.ofDays(1);

  /** Id of the verification, generation, a number. */
  private static final Pattern NAME = Pattern.compile("(\\d{8}T\\d{6}-[0-9a-f]{4})-\\d+-\\d+");

  private final Path path;
  private final Path held;
  private final FileChannel lock;

  private RunDirectory(Path path, Path held, FileChannel lock) {
    this.path = path;
    this.held = held;
    this.lock = lock;
  }

  /**
   * One that the last run of the verification left, or a new one. What earlier runs left is
   * removed.
   *
   * @param verification as the last run left it
   * @param worker that has it now
   * @throws UncheckedIOException if there can be none
   */
  static RunDirectory take(
      Path parent, ViewVerification verification, int generation, String worker) {
    String prefix = verification.id() + "-" + generation + "-";
    try {
      Files.createDirectories(parent);
      for (Path left : list(parent, prefix)) {
        boolean isLast = isOf(verification, left);
        Optional<RunDirectory> taken = tryTake(left);
        if (taken.isPresent() && isLast) {
          return taken.get().of(worker);
        }
        taken.ifPresent(RunDirectory::remove);
      }
      return tryTake(Files.createTempDirectory(parent, prefix)).orElseThrow().of(worker);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "rows cannot be kept in %s (verification.dir): %s".formatted(parent, e), e);
    }
  }

  private RunDirectory of(String worker) throws IOException {
    Files.writeString(path.resolve(WORKER), worker);
    return this;
  }

  /** Whether it is of the last run, and not of one whose worker somebody else took for gone. */
  private static boolean isOf(ViewVerification verification, Path path) throws IOException {
    Path file = path.resolve(WORKER);
    return Files.exists(file) && Files.readString(file).equals(verification.run().worker());
  }

  /** Whether the last run left one from which it can go on, and nobody does. */
  static boolean isLeft(Path parent, ViewVerification verification) {
    try {
      for (Path left : list(parent, verification.id() + "-")) {
        boolean isUsable = Checkpoints.isIn(left) && isOf(verification, left);
        Optional<RunDirectory> taken = isUsable ? tryTake(left) : Optional.empty();
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

  /**
   * Removes those of runs that nobody goes on with.
   *
   * @param known verifications; there may be others on the same disk
   */
  static void removeLeft(Path parent, List<ViewVerification> known, Instant now) {
    Set<String> over =
        known.stream()
            .filter(one -> one.status().isOver())
            .map(ViewVerification::id)
            .collect(Collectors.toSet());
    try {
      for (Path left : list(parent, "")) {
        Matcher name = NAME.matcher(left.getFileName().toString());
        if (name.matches() && (over.contains(name.group(1)) || isForgotten(left, now))) {
          tryTake(left).ifPresent(RunDirectory::remove);
        }
      }
    } catch (NoSuchFileException e) {
      LOGGER.debug("Another process removes files in {}, too", parent, e);
    } catch (IOException e) {
      LOGGER.warn("Files of verifications that were left may stay in {}", parent, e);
    }
  }

  private static boolean isForgotten(Path left, Instant now) throws IOException {
    return Files.getLastModifiedTime(left).toInstant().isBefore(now.minus(FORGOTTEN));
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
    Path held = path.toRealPath();
    if (!HELD.add(held)) {
      return Optional.empty();
    }
    RunDirectory taken = null;
    try {
      taken = lock(path, held);
    } finally {
      if (taken == null) {
        HELD.remove(held);
      }
    }
    return Optional.ofNullable(taken);
  }

  /** Null: another process has it. */
  private static RunDirectory lock(Path path, Path held) throws IOException {
    FileChannel lock =
        FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    boolean isLocked = false;
    try {
      isLocked = lock.tryLock() != null;
    } finally {
      if (!isLocked) {
        lock.close();
      }
    }
    return isLocked ? new RunDirectory(path, held, lock) : null;
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
      HELD.remove(held);
    } catch (IOException e) {
      LOGGER.warn("The lock of {} is held until this process ends", path, e);
    }
  }
}
