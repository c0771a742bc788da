package io.indexview.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.plugin.ArchiveLicences;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What goes into the image of the emulators. */
class EmulatorsImageIT {
  private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
  private static final Path STAGE = HOME.resolve("target/images/emulators");

  @BeforeAll
  static void stage() throws IOException, InterruptedException {
    ProcessBuilder script =
        new ProcessBuilder(HOME.resolve("deploy/build-images.sh").toString(), "emulators")
            .inheritIO();
    script.environment().put("INDEXVIEW_SKIP_BUILD", "1");
    script.environment().put("INDEXVIEW_STAGE_ONLY", "1");
    assertThat(script.start().waitFor()).isZero();
  }

  /** Names of all files below a directory. */
  private static List<String> files(String directory) throws IOException {
    Path below = STAGE.resolve(directory);
    try (Stream<Path> files = Files.walk(below)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> below.relativize(file).toString())
          .toList();
    }
  }

  @Test
  void imageNamesTheLicencesOfItsLibraries() throws IOException {
    ArchiveLicences.check(
        files("lib"),
        Files.readString(STAGE.resolve("home/THIRD-PARTY.txt")),
        files("home/licenses"));
    assertThat(files("home")).contains("LICENSE", "NOTICE");
  }

  @Test
  void holdsOwnJarsApartAndNothingThatMayNotBeRedistributed() throws IOException {
    assertThat(files("own"))
        .isNotEmpty()
        .allMatch(name -> name.matches("indexview-.*\\.jar"))
        .anyMatch(name -> name.startsWith("indexview-demo-"));
    assertThat(files("lib"))
        .noneMatch(name -> name.startsWith("indexview-"))
        .noneMatch(name -> name.contains("DynamoDBLocal") || name.contains("sqlite4java"));
  }
}
