package io.indexview.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What derives uses only what lies below it. */
class PackageArrowsTest {
  private static final Path SOURCES = Path.of("src", "main", "java", "io", "indexview", "streams");
  private static final Pattern IMPORT =
      Pattern.compile("^import (static )?io\\.indexview\\.streams\\.(\\w+)\\.", Pattern.MULTILINE);

  /** From the top down. */
  private static final List<String> FLOORS = List.of("topology", "task", "derive", "state");

  private static final Set<String> BELOW_ALL = Set.of("config", "error", "generation", "health");

  private static Set<String> usedBy(String name) throws IOException {
    Set<String> used = new TreeSet<>();
    try (Stream<Path> files = Files.list(SOURCES.resolve(name))) {
      for (Path file : files.toList()) {
        Matcher imports = IMPORT.matcher(Files.readString(file));
        while (imports.find()) {
          used.add(imports.group(2));
        }
      }
    }
    used.removeAll(BELOW_ALL);
    used.remove(name);
    return used;
  }

  @ParameterizedTest
  @ValueSource(strings = {"topology", "task", "derive", "state"})
  void pointDownwards(String name) throws IOException {
    assertThat(usedBy(name)).isSubsetOf(FLOORS.subList(FLOORS.indexOf(name) + 1, FLOORS.size()));
  }

  @Test
  void onlyTheTopologyKnowsKafkaStreams() throws IOException {
    for (String name : FLOORS.subList(1, FLOORS.size())) {
      try (Stream<Path> files = Files.list(SOURCES.resolve(name))) {
        for (Path file : files.toList()) {
          assertThat(Files.readString(file)).doesNotContain("import org.apache.kafka.streams");
        }
      }
    }
  }
}
