package io.indexview.demo.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.docs.ComputedPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The guides of the client library show its coordinates, and programs that are compiled here. */
class JavaInGuidesTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern DEPENDENCY =
      Pattern.compile("```xml\n<dependency>\n.*?```\n", Pattern.DOTALL);
  private static final Pattern PROGRAM =
      Pattern.compile("```java\nimport .*?\n```\n", Pattern.DOTALL);

  /** CommandLineIT runs the programs. */
  @ParameterizedTest
  @CsvSource({"reading.md, PeopleOfOrg", "writing.md, PutPerson"})
  void showDependencyAndProgramAsTheyAre(String guide, String program) throws IOException {
    ComputedPage page = new ComputedPage(guide, getClass().getSimpleName());

    page.verify(
        replaced(PROGRAM, replaced(DEPENDENCY, page.read(), dependency()), source(program)));
  }

  /** Who the client is, is the same wherever the project names itself. */
  private static String dependency() throws IOException {
    String pom = Files.readString(ROOT.resolve("client/pom.xml"));
    return """
        ```xml
        <dependency>
          <groupId>%s</groupId>
          <artifactId>%s</artifactId>
          <version>%s</version>
        </dependency>
        ```
        """
        .formatted(
            first("<groupId>([^<]*)</groupId>", pom),
            first("</parent>\\s*<artifactId>([^<]*)</artifactId>", pom),
            first("<version>([^<]*)</version>", pom));
  }

  private static String first(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertThat(matcher.find()).as(pattern).isTrue();
    return matcher.group(1);
  }

  /** Without its package, which is the reader's. */
  private static String source(String program) throws IOException {
    Path file = Path.of("src/test/java/io/indexview/demo/guide", program + ".java");
    return "```java\n" + Files.readString(file).replaceFirst("package .*;\n\n", "") + "```\n";
  }

  private static String replaced(Pattern block, String text, String with) {
    Matcher matcher = block.matcher(text);
    assertThat(matcher.results()).as(block.pattern()).hasSize(1);
    return matcher.replaceFirst(Matcher.quoteReplacement(with));
  }
}
