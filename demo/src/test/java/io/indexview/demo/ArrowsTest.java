package io.indexview.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What the compiled classes of all modules use of each other, as {@code jdeps} reads it. Benchmarks
 * are not among them: they stand above all, and the build lets nobody use them.
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
              "server", Set.of("schemas", "views", "stores/kvstore", "stores/dynamodb", "client")),
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
                  "server",
                  "local",
                  "cli")));

  /** Arrows that close a cycle. Each is a way in to adapters below, which need what is above. */
  private static final Set<String> CYCLES =
      Set.of(
          // KvStores opens the adapter that an address names.
          "kvstore -> kvstore.embedded",
          "kvstore -> kvstore.remote",
          // IndexViewReaders assembles a reader; its exceptions are thrown from inside a target.
          "client.read -> client.read.kv",
          "client.read -> client.read.dynamodb",
          "client.read.target -> client.read");

  private static final Pattern ARROW = Pattern.compile("\\s+(\\S+)\\s+->\\s+(\\S+)\\s.*");
  private static final String PREFIX = "io.indexview.";

  private record Arrow(String from, String to) {
    private static String packageOf(String name) {
      return name.substring(0, name.lastIndexOf('.'));
    }

    boolean isOurs() {
      return to.startsWith(PREFIX);
    }

    /** Between packages, in the words of {@link #CYCLES}. */
    String packages() {
      return packageOf(from).substring(PREFIX.length())
          + " -> "
          + packageOf(to).substring(PREFIX.length());
    }

    boolean crossesPackages() {
      return isOurs() && !packageOf(from).equals(packageOf(to));
    }
  }

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
      StringWriter out = new StringWriter();
      int exitCode =
          ToolProvider.findFirst("jdeps")
              .orElseThrow()
              .run(
                  new PrintWriter(out),
                  new PrintWriter(out),
                  "--ignore-missing-deps",
                  "-verbose:class",
                  "-filter:none",
                  "-regex",
                  "(io\\.indexview|org\\.apache\\.kafka\\.streams)\\..*",
                  classes.toString());
      assertThat(exitCode).as(out.toString()).isZero();
      out.toString()
          .lines()
          .map(ARROW::matcher)
          .filter(Matcher::matches)
          .forEach(line -> arrows.add(new Arrow(line.group(1), line.group(2))));
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
    Map<String, Set<String>> used = new TreeMap<>();
    Set<String> between = new TreeSet<>();
    arrows.stream().filter(Arrow::crossesPackages).map(Arrow::packages).forEach(between::add);
    between.removeAll(CYCLES);
    for (String arrow : between) {
      String[] ends = arrow.split(" -> ");
      used.computeIfAbsent(ends[0], from -> new TreeSet<>()).add(ends[1]);
    }
    boolean smaller = true;
    while (smaller) {
      // What nothing leads out of is in no cycle, nor is then what leads only there.
      smaller = used.values().removeIf(to -> to.stream().noneMatch(used::containsKey));
    }

    assertThat(used).isEmpty();
  }

  @Test
  void makeTheCyclesThatAreKnown() {
    assertThat(arrows.stream().filter(Arrow::crossesPackages).map(Arrow::packages))
        .containsAll(CYCLES);
  }

  /**
   * Of the streams app: only its topology is about Kafka Streams, and each floor stands on these.
   */
  @Test
  void pointDownwardsInWhatDerives() {
    List<String> floors = List.of("topology", "task", "derive", "state");
    Set<String> below = Set.of("config", "error", "generation", "health");
    for (int floor = 0; floor < floors.size(); floor++) {
      String from = "streams." + floors.get(floor) + " -> ";
      Set<String> allowed = new HashSet<>(below);
      allowed.addAll(floors.subList(floor + 1, floors.size()));
      assertThat(arrows.stream().filter(Arrow::crossesPackages).map(Arrow::packages))
          .filteredOn(arrow -> arrow.startsWith(from + "streams."))
          .allMatch(arrow -> allowed.contains(arrow.substring((from + "streams.").length())));
    }
    assertThat(arrows)
        .filteredOn(arrow -> !arrow.isOurs())
        .extracting(arrow -> Arrow.packageOf(arrow.from()))
        .doesNotContain(
            PREFIX + "streams.task", PREFIX + "streams.derive", PREFIX + "streams.state");
  }
}
