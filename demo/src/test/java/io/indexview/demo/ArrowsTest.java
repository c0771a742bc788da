package io.indexview.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.ClassArrows;
import io.indexview.schemas.fixtures.ClassArrows.Arrow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What the compiled classes of all modules use of each other. Benchmarks are not among them: they
 * stand above all, the build lets nobody use them, and they have a test of their own.
 */
class ArrowsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** Each module, from the bottom up, and all modules that it uses. */
  private static final Map<String, Set<String>> MODULES =
      Map.ofEntries(
          Map.entry("schemas", Set.of()),
          Map.entry("views", Set.of("schemas")),
          Map.entry("stores/kvstore", Set.of("schemas")),
          Map.entry("stores/aws", Set.of()),
          Map.entry("stores/dynamodb", Set.of("stores/aws")),
          Map.entry("connectors/common", Set.of("schemas", "views")),
          Map.entry(
              "connectors/kvstore",
              Set.of("schemas", "views", "stores/kvstore", "connectors/common")),
          Map.entry("connectors/s3", Set.of("schemas", "stores/aws", "connectors/common")),
          Map.entry(
              "connectors/dynamodb",
              Set.of("schemas", "views", "stores/dynamodb", "connectors/common")),
          Map.entry("streams-app", Set.of("schemas", "views")),
          Map.entry("client", Set.of("schemas", "views", "stores/kvstore", "stores/dynamodb")),
          Map.entry(
              "verification",
              Set.of("schemas", "views", "stores/kvstore", "stores/dynamodb", "client")),
          Map.entry(
              "server",
              Set.of(
                  "schemas",
                  "views",
                  "stores/kvstore",
                  "stores/dynamodb",
                  "client",
                  "verification")),
          Map.entry(
              "local",
              Set.of(
                  "schemas",
                  "views",
                  "stores/kvstore",
                  "stores/aws",
                  "stores/dynamodb",
                  "streams-app",
                  "client")),
          Map.entry("cli", Set.of()),
          Map.entry(
              "demo",
              Set.of(
                  "schemas",
                  "views",
                  "stores/kvstore",
                  "stores/aws",
                  "stores/dynamodb",
                  "client",
                  "verification",
                  "server",
                  "local",
                  "cli")));

  /** The latter is one package. */
  private static final Set<String> BENCHMARKS = Set.of("benchmarks", "benchmarks/flink");

  private static final String STREAMS = "io.indexview.streams.";

  private static final Map<String, String> modules = new HashMap<>();
  private static final Set<Arrow> arrows = new HashSet<>();

  @BeforeAll
  static void read() throws IOException {
    for (String module : MODULES.keySet()) {
      Path classes = ROOT.resolve(module).resolve("target").resolve("classes");
      try (Stream<Path> files = Files.walk(classes)) {
        files
            .map(file -> classes.relativize(file).toString().replace('/', '.'))
            .filter(name -> name.endsWith(".class"))
            .forEach(name -> modules.put(name.substring(0, name.length() - 6), module));
      }
      arrows.addAll(ClassArrows.of(classes, "io.indexview", "org.apache.kafka.streams"));
    }
    assertThat(modules.values()).containsAll(MODULES.keySet());
    assertThat(arrows).as("jdeps is understood").hasSizeGreaterThan(modules.size());
  }

  @Test
  void pointFromEachModuleWhereTheyMay() {
    Map<String, Set<String>> used = new TreeMap<>();
    MODULES.keySet().forEach(module -> used.put(module, new TreeSet<>()));
    for (Arrow arrow : arrows) {
      String from = modules.get(arrow.from());
      String to = modules.get(arrow.to());
      if (to != null && !from.equals(to)) {
        used.get(from).add(to);
      }
    }

    assertThat(used).isEqualTo(MODULES);
  }

  @Test
  void makeNoCycleOfPackages() {
    assertThat(ClassArrows.packageCycles(arrows)).isEmpty();
  }

  @Test
  void areReadInEveryModule() throws IOException {
    try (Stream<Path> modules =
        Files.find(ROOT, 2, (path, found) -> Files.isDirectory(path.resolve("src/main/java")))) {
      assertThat(modules.map(module -> ROOT.relativize(module).toString()))
          .containsExactlyInAnyOrderElementsOf(
              Stream.concat(MODULES.keySet().stream(), BENCHMARKS.stream()).toList());
    }
  }

  /**
   * Of the streams app: only its topology is about Kafka Streams, and each floor stands on these.
   */
  @Test
  void pointDownwardsInWhatDerives() {
    List<String> floors = List.of("topology", "task", "derive", "state");
    Set<String> below = Set.of("config", "error", "generation", "health");
    for (int floor = 0; floor < floors.size(); floor++) {
      String from = STREAMS + floors.get(floor);
      Set<String> allowed = new HashSet<>(below);
      allowed.addAll(floors.subList(floor, floors.size()));
      assertThat(arrows)
          .filteredOn(arrow -> arrow.fromPackage().equals(from))
          .filteredOn(arrow -> arrow.toPackage().startsWith(STREAMS))
          .extracting(arrow -> arrow.toPackage().substring(STREAMS.length()))
          .isSubsetOf(allowed);
    }
    assertThat(arrows)
        .filteredOn(arrow -> arrow.to().startsWith("org.apache.kafka.streams."))
        .extracting(Arrow::fromPackage)
        .doesNotContain(STREAMS + "task", STREAMS + "derive", STREAMS + "state");
  }
}
