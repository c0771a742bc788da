package io.indexview.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the guides say of each other, and of the build. */
class DocumentationTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```");
  private static final Pattern INLINE_CODE = Pattern.compile("`[^`\n]*`");
  private static final Pattern LINK = Pattern.compile("\\[[^\\]]*\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+?) *$");
  private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");

  @Test
  void leadsNowhereWhereNothingIs() throws IOException {
    List<Path> pages = pages();
    List<String> dead = new ArrayList<>();
    int links = 0;
    for (Path page : pages) {
      String text = INLINE_CODE.matcher(prose(page)).replaceAll("code");
      for (String link : LINK.matcher(text).results().map(found -> found.group(1)).toList()) {
        links++;
        if (!ELSEWHERE.matcher(link).matches() && !leadsSomewhere(page, link)) {
          dead.add(ROOT.relativize(page) + ": " + link);
        }
      }
    }

    assertThat(dead).isEmpty();
    assertThat(links).as("links in %s", pages).isGreaterThan(50);
  }

  private static List<Path> pages() throws IOException {
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(
              Stream.of(ROOT.resolve("README.md"), ROOT.resolve("CHANGELOG.md")),
              docs.filter(file -> file.toString().endsWith(".md")))
          .toList();
    }
  }

  private static String prose(Path page) throws IOException {
    return FENCED.matcher(Files.readString(page)).replaceAll("");
  }

  private static boolean leadsSomewhere(Path page, String link) throws IOException {
    String[] parts = link.split("#", 2);
    Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
    return Files.exists(target) && (parts.length == 1 || anchors(target).contains(parts[1]));
  }

  /** As the headings are addressed. */
  private static Set<String> anchors(Path page) throws IOException {
    return HEADING
        .matcher(prose(page))
        .results()
        .map((MatchResult heading) -> heading.group(1).toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^\\p{L}\\p{N}_ -]", "").replace(' ', '-'))
        .collect(Collectors.toSet());
  }

  @Test
  void tellsTheTestsThatEveryChangeMustPass() throws IOException {
    List<String> run = Files.readAllLines(ROOT.resolve(".ci/run"));

    assertThat(Files.readString(ROOT.resolve("README.md"))).contains("\nmvn verify ");
    assertThat(run.get(run.size() - 1)).startsWith("mvn ").endsWith(" verify");
  }
}
