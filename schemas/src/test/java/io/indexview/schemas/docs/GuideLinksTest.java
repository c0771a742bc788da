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
import org.junit.jupiter.params.provider.ValueSource;

/** Guides link to classes, which move. */
class GuideLinksTest {
  private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:)([^)#]*)(?:#([^)]+))?\\)");
  private static final Pattern HEADING = Pattern.compile("^#+ (.+)$", Pattern.MULTILINE);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "README.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "docs/views.md",
        "docs/cli.md",
        "docs/server.md",
        "docs/operation.md",
        "docs/run.md",
        "docs/troubleshoot.md",
        "docs/permissions.md",
        "docs/secure-kafka.md",
        "docs/registries.md",
        "docs/metrics.md",
        "docs/sources.md",
        "docs/reference.md",
        "docs/glossary.md",
        "docs/architecture.md",
        "docs/benchmarks.md",
        "docs/reading.md",
        "docs/writing.md",
        "docs/relational.md",
        "docs/aws.md",
        "docs/erasure.md"
      })
  void leadsSomewhere(String guide) throws IOException {
    Path page = ComputedPage.projectDirectory().resolve(guide);
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
    assertThat(broken).as("links of %s that lead nowhere", guide).isEmpty();
  }

  private static Stream<String> anchors(Path page) throws IOException {
    return HEADING
        .matcher(Files.readString(page))
        .results()
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^a-z0-9 -]", "").replace(' ', '-'));
  }
}
