package io.indexview.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the guides say of the build, and what they are not to grow beyond. */
class DocumentationTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  @Test
  void tellsTheTestsThatEveryChangeMustPass() throws IOException {
    List<String> run = Files.readAllLines(ROOT.resolve(".ci/run"));

    assertThat(Files.readString(ROOT.resolve("README.md"))).contains("\nmvn verify ");
    assertThat(run.get(run.size() - 1)).startsWith("mvn ").endsWith(" verify");
  }

  /** Whoever knows the field has to learn so many words, and no more. */
  @Test
  void explainsTwentyFiveTermsAtMost() throws IOException {
    List<String> rows =
        Files.readAllLines(ROOT.resolve("docs/glossary.md")).stream()
            .filter(line -> line.startsWith("| "))
            .toList();

    assertThat(rows.get(0)).startsWith("| term |");
    assertThat(rows).hasSizeBetween(10, 26);
  }
}
