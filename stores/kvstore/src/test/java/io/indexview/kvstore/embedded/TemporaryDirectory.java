package io.indexview.kvstore.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A directory for one test container, whichever engine runs it. */
public record TemporaryDirectory(Path path) {
  public static TemporaryDirectory create() {
    try {
      return new TemporaryDirectory(Files.createTempDirectory("kvstore-test"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public void delete() {
    try (Stream<Path> files = Files.walk(path)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
