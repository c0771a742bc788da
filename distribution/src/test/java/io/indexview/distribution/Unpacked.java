package io.indexview.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The distribution as a user unpacks it. */
final class Unpacked {
  private Unpacked() {}

  /** Unpacks this build's, and returns the one directory that is in it. */
  static Path distribution(Path into) throws IOException, InterruptedException {
    return distribution(Path.of(System.getProperty("distribution")), into);
  }

  /** Unpacks one, and returns the one directory that is in it. */
  static Path distribution(Path archive, Path into) throws IOException, InterruptedException {
    run(into, "tar", "xzf", archive.toString());
    try (Stream<Path> entries = Files.list(into)) {
      Path home = entries.toList().get(0);
      assertThat(home.getFileName() + ".tar.gz").isEqualTo(archive.getFileName().toString());
      return home;
    }
  }

  /** Unpacks its plugins side by side, as a worker's {@code plugin.path} wants them. */
  static void plugins(Path home, Path into) throws IOException, InterruptedException {
    String jar = Path.of(System.getProperty("java.home"), "bin", "jar").toString();
    try (Stream<Path> archives = Files.list(home.resolve("plugins"))) {
      for (Path archive : archives.toList()) {
        run(into, jar, "xf", archive.toAbsolutePath().toString());
      }
    }
  }

  private static void run(Path directory, String... command)
      throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).directory(directory.toFile()).inheritIO().start();
    assertThat(process.waitFor()).as(List.of(command).toString()).isZero();
  }
}
