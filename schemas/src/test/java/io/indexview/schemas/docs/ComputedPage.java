package io.indexview.schemas.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A page below {@code docs} that is computed, whole or in part, from the code. The page that is
 * checked in must be what is computed; with the system property {@code config.docs.write} it is
 * written first.
 *
 * @param path below {@code docs}
 * @param test simple name of the test that computes it
 */
public record ComputedPage(String path, String test) {
  private static final String WRITE_PROPERTY = "config.docs.write";
  private static final Pattern CODE = Pattern.compile("`([^`]*)`");

  /** The page as it is checked in. */
  public String read() throws IOException {
    return Files.readString(file());
  }

  /** The words in code type that the rows of a section's tables begin with. */
  public Set<String> firstColumn(String heading) throws IOException {
    String after = read().split("\n## " + Pattern.quote(heading) + "\n", 2)[1];
    return after
        .split("\n## ", 2)[0]
        .lines()
        .filter(line -> line.startsWith("| `"))
        .flatMap(line -> CODE.matcher(line.split("\\|")[1]).results())
        .map(word -> word.group(1))
        .collect(Collectors.toSet());
  }

  /** Compares the page that is checked in with what it should be. */
  public void verify(String expected) throws IOException {
    if (Boolean.getBoolean(WRITE_PROPERTY)) {
      Files.createDirectories(file().getParent());
      Files.writeString(file(), expected);
    }
    assertThat(file())
        .as("docs/%s; write it anew with: %s", path, writeCommand())
        .content()
        .isEqualTo(expected);
  }

  String writeCommand() {
    return "mvn test -Dtest=%s -Dsurefire.failIfNoSpecifiedTests=false -D%s=true"
        .formatted(test, WRITE_PROPERTY);
  }

  private Path file() {
    return projectDirectory().resolve("docs").resolve(path);
  }

  /** Tests run in their module's directory, at some depth below the project's. */
  static Path projectDirectory() {
    Path start = Path.of("").toAbsolutePath();
    for (Path dir = start; dir != null; dir = dir.getParent()) {
      if (Files.isDirectory(dir.resolve(".mvn"))) {
        return dir;
      }
    }
    throw new IllegalStateException("no directory above " + start + " has a .mvn directory");
  }
}
