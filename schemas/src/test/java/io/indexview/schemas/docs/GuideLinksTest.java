package io.indexview.schemas.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Guides link to classes, which move. */
class GuideLinksTest {
  private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:)([^)#]*)(?:#([^)]+))?\\)");
  private static final Pattern HEADING = Pattern.compile("^#+ (.+)$", Pattern.MULTILINE);

  static Stream<Path> guides() throws IOException {
    Path project = ComputedPage.projectDirectory();
    try (Stream<Path> root = Files.list(project);
        Stream<Path> docs = Files.list(project.resolve("docs"))) {
      // Read before the directories are closed.
      return Stream.concat(root, docs)
          .filter(file -> file.toString().endsWith(".md"))
          .toList()
          .stream();
    }
  }

  @ParameterizedTest
  @MethodSource("guides")
  void leadsSomewhere(Path page) throws IOException {
    List<String> broken = new ArrayList<>();
    for (var link : LINK.matcher(Files.readString(page)).results().toList()) {
      Path target = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1)).normalize();
      boolean there =
          Files.exists(target)
              && (link.group(2) == null || anchors(target).anyMatch(link.group(2)::equals));
      if (!there) {
        broken.add(link.group());
      }
    }
    assertThat(broken).as("links of %s that lead nowhere", page).isEmpty();
  }

  private static Stream<String> anchors(Path page) throws IOException {
    return HEADING
        .matcher(Files.readString(page))
        .results()
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^a-z0-9 -]", "").replace(' ', '-'));
  }
}
