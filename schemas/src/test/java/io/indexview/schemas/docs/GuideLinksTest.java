package io.indexview.schemas.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Guides link to classes, which move, and to each other. */
class GuideLinksTest {
  private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```");
  private static final Pattern INLINE_CODE = Pattern.compile("`[^`\n]*`");
  private static final Pattern LINK = Pattern.compile("\\[[^\\]]*\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+?) *$");
  private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");

  static List<Path> guides() throws IOException {
    Path project = ComputedPage.projectDirectory();
    try (Stream<Path> root = Files.list(project);
        Stream<Path> docs = Files.walk(project.resolve("docs"))) {
      return Stream.concat(root, docs).filter(file -> file.toString().endsWith(".md")).toList();
    }
  }

  @ParameterizedTest
  @MethodSource("guides")
  void leadsSomewhere(Path page) throws IOException {
    List<String> dead = new ArrayList<>();
    for (String link : links(page)) {
      if (!leadsSomewhere(page, link)) {
        dead.add(link);
      }
    }
    assertThat(dead).as("links of %s that lead nowhere", page).isEmpty();
  }

  @Test
  void findsTheLinksThereAre() throws IOException {
    int links = 0;
    for (Path page : guides()) {
      links += links(page).size();
    }
    assertThat(links).isGreaterThan(500);
  }

  private static List<String> links(Path page) throws IOException {
    String text = INLINE_CODE.matcher(prose(page)).replaceAll("code");
    return LINK.matcher(text)
        .results()
        .map(found -> found.group(1))
        .filter(link -> !ELSEWHERE.matcher(link).matches())
        .toList();
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
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^\\p{L}\\p{N}_ -]", "").replace(' ', '-'))
        .collect(Collectors.toSet());
  }
}
