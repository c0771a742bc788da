package io.indexview.benchmarks.data;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A directory that is gone with all its files when it is closed. */
public record TemporaryDirectory(Path path) implements AutoCloseable {
  /**
   * @param parent null: where the system keeps temporary files
   */
  public static TemporaryDirectory in(Path parent) {
    try {
      return new TemporaryDirectory(
          parent == null
              ? Files.createTempDirectory("indexview-bench")
              : Files.createTempDirectory(parent, "indexview-bench"));
    } catch (IOException e) {
      throw new UncheckedIOException("no temporary directory can be made: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    try (Stream<Path> files = Files.walk(path)) {
      List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : deepestFirst) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot be deleted: " + path, e);
    }
  }
}
