package io.indexview.schemas.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What people copy from samples and guides: secrets stand there as references of a provider. */
class SampleSecretsTest {
  /** A key that names a secret and its value, in properties or JSON, commented out or not. */
  private static final Pattern SECRET =
      Pattern.compile(
          "(?im)^[\\s#]*\"?([\\w.-]*(?:password|secret|token|user\\.info|jaas\\.config|access\\.key)[\\w.-]*)\"?\\s*[=:]\\s*\"?([^\\s\",]+)");

  private static final Pattern REFERENCE = Pattern.compile("\\$\\{[a-z]+:[^}]+}.*");

  @Test
  void samplesHoldNoSecret() throws IOException {
    List<String> secrets = new ArrayList<>();
    int references = 0;
    for (Path file : files()) {
      for (var found : SECRET.matcher(Files.readString(file)).results().toList()) {
        if (REFERENCE.matcher(found.group(2)).matches()) {
          references++;
        } else {
          secrets.add(file.getFileName() + ": " + found.group().strip());
        }
      }
    }
    assertThat(secrets).isEmpty();
    assertThat(references).isPositive();
  }

  @Test
  void aSecretIsNoticed() {
    assertThat(List.of("aws.secret.access.key=AKIA", "#http.token=abc", "  \"x.password\": \"p\","))
        .allMatch(
            line ->
                SECRET
                    .matcher(line)
                    .results()
                    .anyMatch(found -> !REFERENCE.matcher(found.group(2)).matches()));
  }

  /** The samples as they are shipped, and the guides. */
  private static List<Path> files() throws IOException {
    Path project = ComputedPage.projectDirectory();
    List<Path> files = new ArrayList<>();
    files.add(project.resolve("README.md"));
    for (String directory :
        List.of(
            "docs",
            "distribution/src/main/etc",
            "connectors/kvstore/src/main/etc",
            "connectors/s3/src/main/etc",
            "connectors/dynamodb/src/main/etc")) {
      try (Stream<Path> listed = Files.list(project.resolve(directory))) {
        listed.filter(Files::isRegularFile).forEach(files::add);
      }
    }
    return files;
  }
}
