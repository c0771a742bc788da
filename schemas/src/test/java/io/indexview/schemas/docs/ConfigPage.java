package io.indexview.schemas.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.kafka.common.config.ConfigDef;

/**
 * A page of {@code docs/config}. The page that is checked in must be what the definition gives;
 * with the system property {@code config.docs.write} it is written first.
 *
 * @param file name of the page
 * @param introduction Markdown, above the tables
 */
public record ConfigPage(String file, String title, String introduction, ConfigDef definition) {
  private static final String WRITE_PROPERTY = "config.docs.write";
  private static final String WRITE_COMMAND =
      "mvn test -Dtest=ConfigReferenceTest -Dsurefire.failIfNoSpecifiedTests=false -D%s=true"
          .formatted(WRITE_PROPERTY);

  /** Compares the page that is checked in with the definition. */
  public void verify() throws IOException {
    Path page = directory().resolve(file);
    String expected = render();
    if (Boolean.getBoolean(WRITE_PROPERTY)) {
      Files.createDirectories(page.getParent());
      Files.writeString(page, expected);
    }
    assertThat(page)
        .as("docs/config/%s; write it anew with: %s", file, WRITE_COMMAND)
        .content()
        .isEqualTo(expected);
  }

  String render() {
    return "# %s\n\n%s\n\n%s\n%s"
        .formatted(
            title,
            introduction.strip(),
            ConfigTable.render(definition),
            "Generated from the code's own definition; `%s` writes it anew.\n"
                .formatted(WRITE_COMMAND));
  }

  /** Tests run in their module's directory, at some depth below the project's. */
  private static Path directory() {
    Path start = Path.of("").toAbsolutePath();
    for (Path dir = start; dir != null; dir = dir.getParent()) {
      if (Files.isDirectory(dir.resolve(".mvn"))) {
        return dir.resolve("docs/config");
      }
    }
    throw new IllegalStateException("no directory above " + start + " has a .mvn directory");
  }
}
