package io.indexview.benchmarks.app;

import io.indexview.benchmarks.command.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The program of the contestants of Flink: a module that only the profile {@code flink} builds,
 * with a class path that has nothing of this one but its own classes.
 */
final class FlinkProgram {
  /** System property with its class path. */
  static final String CLASS_PATH = "indexview.bench.flink-class-path";

  /** What it takes to have one. */
  static final String NEEDED =
      "needs Flink, which bin/indexview-bench fetches from Maven Central, as does"
          + " mvn -Pflink -pl benchmarks/flink -am -DskipTests package";

  private static final String MAIN = "io.indexview.benchmarks.flink.FlinkContestant";

  private FlinkProgram() {}

  /** Empty if it has not been built. */
  static Optional<String> classPath() {
    return Optional.ofNullable(System.getProperty(CLASS_PATH)).filter(path -> !path.isBlank());
  }

  /**
   * Starts a process.
   *
   * @param options of Java, beside those that Flink's own scripts start it with
   */
  static ChildJvm start(String name, Path logs, List<String> options, Entrant entrant)
      throws IOException {
    String classPath =
        classPath().orElseThrow(() -> new IOException(entrant.kind() + " " + NEEDED));
    List<String> all = new ArrayList<>();
    Stream.of(
            "java.lang",
            "java.net",
            "java.io",
            "java.nio",
            "sun.nio.ch",
            "java.lang.reflect",
            "java.text",
            "java.time",
            "java.util",
            "java.util.concurrent",
            "java.util.concurrent.atomic",
            "java.util.concurrent.locks")
        .forEach(opened -> all.add("--add-opens=java.base/%s=ALL-UNNAMED".formatted(opened)));
    all.addAll(options);
    return ChildJvm.start(name, logs, classPath, all, MAIN, EntrantCommand.arguments(entrant));
  }
}
