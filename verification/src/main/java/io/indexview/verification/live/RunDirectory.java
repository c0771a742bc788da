package io.indexview.verification.live;

import io.indexview.schemas.control.ViewVerification;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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
  private static final String REMOVED = ".removed";

  /**
   * Directories that runs in this process hold. The process loses all its locks of a file as soon
   * as it closes the file once, though it has opened it several times.
   */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  /** Directories about which a warning was logged that they cannot be removed. */
  private static final Set<Path> WARNED = ConcurrentHashMap.newKeySet();

  /** Age from which no run goes on with a directory. */
  private static final Duration FORGOTTEN = Duration.ofDays(1);

  /** Id of the verification, generation, a number; whether somebody is removing it. */
  private static final Pattern NAME =
      Pattern.compile("(\\d{8}T\\d{6}-[0-9a-f]{4})-\\d+-\\d+(\\.removed)?");

  private final Path path;
  private final Path held;
  private final FileChannel lock;

  private RunDirectory(Path path, Path held, FileChannel lock) {
    this.path = path;
    this.held = held;
    this.lock = lock;
  }

  /**
   * Takes the directory that the last run of the verification left, or a new one. What earlier runs
   * left is removed.
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
        Optional<RunDirectory> taken = isMade(left) ? tryTake(left) : Optional.empty();
        if (taken.isPresent() && isOf(verification, left)) {
          return taken.get().of(worker);
        }
        taken.ifPresent(RunDirectory::remove);
      }
      Path made = Files.createTempDirectory(parent, prefix);
      return tryTake(made)
          .orElseThrow(() -> new IOException("somebody else took " + made))
          .of(worker);
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
    try {
      return Files.readString(path.resolve(WORKER)).equals(verification.run().worker());
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  /**
   * Whether a directory is complete. Another process makes one that is not, and has not locked it
   * yet.
   */
  private static boolean isMade(Path path) {
    return Files.exists(path.resolve(WORKER)) && !path.toString().endsWith(REMOVED);
  }

  /** Whether the last run left one from which it can go on, and nobody does. */
  static boolean isLeft(Path parent, ViewVerification verification) {
    try {
      for (Path left : list(parent, verification.id() + "-")) {
        boolean isUsable = isMade(left) && Checkpoints.isIn(left) && isOf(verification, left);
        Optional<RunDirectory> taken = isUsable ? tryTake(left) : Optional.empty();
        taken.ifPresent(RunDirectory::close);
        if (taken.isPresent()) {
          return true;
        }
      }
    } catch (IOException e) {
      LOGGER.warn(
          "{} cannot be read, verification {} begins anew; let the process read and write there",
          parent,
          verification.id(),
          e);
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
        if (!name.matches()) {
          continue;
        }
        if (name.group(2) != null) {
          delete(left);
        } else if (isForgotten(left, now) || (over.contains(name.group(1)) && isMade(left))) {
          tryTake(left).ifPresent(RunDirectory::remove);
        }
      }
    } catch (NoSuchFileException e) {
      LOGGER.debug("Another process removes files in {}, too", parent, e);
    } catch (IOException e) {
      LOGGER.warn(
          "Files of verifications that are over may stay in {}, and it is tried again to remove"
              + " them; let the process read and write there",
          parent,
          e);
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
    Path held;
    try {
      held = path.toRealPath();
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    if (!HELD.add(held)) {
      return Optional.empty();
    }
    RunDirectory taken = null;
    try {
      taken = lock(path, held);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } finally {
      if (taken == null) {
        HELD.remove(held);
      }
    }
    return Optional.ofNullable(taken);
  }

  /** Null: another process has it, or had it and has removed it. */
  private static RunDirectory lock(Path path, Path held) throws IOException {
    Path file = path.resolve(LOCK);
    FileChannel lock = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    boolean isLocked = false;
    try {
      isLocked = lock.tryLock() != null && Files.exists(file);
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

  /**
   * Removes it with all that is in it. Nobody takes it any more under another name, so its lock is
   * closed before: a file that is open stays on NFS.
   */
  void remove() {
    Path aside = path.resolveSibling(path.getFileName() + REMOVED);
    boolean isAside = false;
    try {
      Files.move(path, aside, StandardCopyOption.ATOMIC_MOVE);
      isAside = true;
    } catch (IOException e) {
      warn(path, e);
    }
    close();
    if (isAside) {
      delete(aside);
    }
  }

  private static void delete(Path aside) {
    try (Stream<Path> all = Files.walk(aside)) {
      // What lies in a directory comes behind it.
      List<Path> deepestFirst = all.sorted((one, other) -> other.compareTo(one)).toList();
      for (Path one : deepestFirst) {
        Files.deleteIfExists(one);
      }
    } catch (NoSuchFileException e) {
      LOGGER.debug("Another process has removed {}", aside, e);
    } catch (IOException | UncheckedIOException e) {
      warn(aside, e);
    }
  }

  /** Logs once that files cannot be removed; the removal is tried again each second. */
  private static void warn(Path left, Exception e) {
    if (WARNED.add(left)) {
      LOGGER.warn(
          "Files of a verification that is over stay in {}; let the process remove them, or remove"
              + " them yourself",
          left,
          e);
    }
  }

  /** Leaves it to the next run. */
  @Override
  public void close() {
    try {
      lock.close();
      HELD.remove(held);
    } catch (IOException e) {
      LOGGER.warn(
          "The lock of {} is held until this process ends; to go on with its verification elsewhere,"
              + " end the process",
          path,
          e);
    }
  }
}
