package io.indexview.verification.live;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How far the first comparison of a verification is, in a file beside the rows that it has read, so
 * that it goes on after its process was killed. Not safe for use by several threads.
 */
final class Checkpoints {
  private static final Logger LOGGER = LoggerFactory.getLogger(Checkpoints.class);
  private static final String FILE = "checkpoint";
  private static final ObjectMapper JSON = JsonMapper.builder().build();

  private final Path directory;
  private final Duration interval;
  private final boolean isSynced;
  private long writtenAtNanos = System.nanoTime();

  /**
   * What is done.
   *
   * @param end up to where the topic is read, or is to be read
   * @param position that the scan of the target has reached; null: its end
   * @param expected rows in the files; null: the topic is not read to its end
   * @param actual rows in the files
   */
  record Checkpoint(
      Map<Integer, Long> end,
      String position,
      DigestJoin.Extent expected,
      DigestJoin.Extent actual,
      Findings.Scanned found) {
    Checkpoint {
      end = Map.copyOf(end);
      Objects.requireNonNull(actual, "actual");
      Objects.requireNonNull(found, "found");
    }

    /** Opens the files as they were. */
    DigestJoin join(Path files) {
      return new DigestJoin(files, expectedRows(), actual);
    }

    private DigestJoin.Extent expectedRows() {
      return expected == null ? DigestJoin.Extent.empty(actual.bytes().size()) : expected;
    }

    boolean isTopicRead() {
      return expected != null;
    }

    boolean isTargetRead() {
      return position == null;
    }
  }

  /**
   * @param directory of the verification
   * @param interval between two
   * @param isSynced whether they outlast a crash of the system, and not only one of the process
   */
  Checkpoints(Path directory, Duration interval, boolean isSynced) {
    this.directory = directory;
    this.interval = interval;
    this.isSynced = isSynced;
  }

  /** Whether a directory has one. */
  static boolean isIn(Path directory) {
    return Files.exists(directory.resolve(FILE));
  }

  /**
   * The last one; empty: none, or none to go on from, and then it is removed.
   *
   * @param files of rows
   * @param isCountEnough whether of what is no row its count is enough, which is all that is kept
   */
  Optional<Checkpoint> read(Path files, boolean isCountEnough) {
    Optional<Checkpoint> last = isIn(directory) ? usable(files) : Optional.empty();
    Optional<Checkpoint> usable =
        last.filter(one -> isCountEnough || one.found().unexpected().isEmpty());
    if (usable.isEmpty()) {
      remove();
    }
    return usable;
  }

  private Optional<Checkpoint> usable(Path files) {
    try {
      Checkpoint last =
          JSON.readValue(Files.readAllBytes(directory.resolve(FILE)), Checkpoint.class);
      if (DigestJoin.holds(files, last.expectedRows(), last.actual())) {
        return Optional.of(last);
      }
      LOGGER.warn("Files in {} are shorter than they were; the verification begins anew", files);
    } catch (IOException e) {
      LOGGER.warn("{} cannot be read; the verification begins anew", directory.resolve(FILE), e);
    }
    return Optional.empty();
  }

  boolean isSynced() {
    return isSynced;
  }

  boolean isDue() {
    return System.nanoTime() - writtenAtNanos >= interval.toNanos();
  }

  /** Replaces the last one. */
  void write(Checkpoint checkpoint) {
    Path next = directory.resolve(FILE + ".next");
    try {
      Files.write(next, json(checkpoint));
      if (isSynced) {
        try (FileChannel written = FileChannel.open(next, StandardOpenOption.WRITE)) {
          written.force(true);
        }
      }
      Files.move(next, directory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "how far it is cannot be kept in %s: %s; has the disk space?".formatted(directory, e), e);
    }
    writtenAtNanos = System.nanoTime();
  }

  private static byte[] json(Checkpoint checkpoint) throws JsonProcessingException {
    return JSON.writeValueAsBytes(checkpoint);
  }

  void remove() {
    try {
      Files.deleteIfExists(directory.resolve(FILE));
    } catch (IOException e) {
      throw new UncheckedIOException("a file of a verification is left in " + directory, e);
    }
  }
}
