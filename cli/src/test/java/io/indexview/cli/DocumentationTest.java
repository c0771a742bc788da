package io.indexview.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

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
  void explainsTwentyFiveTermsAtMostAndSixWordsForWhatIsNotProcessed() throws IOException {
    String[] tables =
        Files.readString(ROOT.resolve("docs/glossary.md")).split("\n## What is not processed\n");

    assertThat(tables).hasSize(2);
    assertThat(rows(tables[0])).hasSizeBetween(10, 26).first(STRING).startsWith("| term |");
    assertThat(rows(tables[1])).hasSizeBetween(2, 7).first(STRING).startsWith("| word |");
  }

  private static List<String> rows(String table) {
    return table.lines().filter(line -> line.startsWith("| ")).toList();
  }
}
