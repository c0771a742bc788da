package io.indexview.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The plugins' archives in workers of each release of {@link OldestWorkerIT}, with their own
 * libraries alone. Logs are in {@code target/worker-releases}.
 */
@Timeout(600)
@EnabledIfSystemProperty(
    named = "tries.longer",
    matches = "[1-9].*",
    disabledReason = "runs with -Pexhaustive")
class WorkerReleasesIT {
  private static final Path FETCH = Path.of("src", "test", "worker", "pom.xml");

  @TempDir private Path directory;

  private static Stream<String> releases() {
    return Stream.of(new File(System.getProperty("workers")).list());
  }

  /** Maven takes them from its own repository, and only what that lacks from elsewhere. */
  private static String libraries(String release, Path into) throws Exception {
    Process maven =
        new ProcessBuilder(
                Path.of(System.getProperty("maven.home"), "bin", "mvn").toString(),
                "-B",
                "-ntp",
                "-q",
                "-f",
                FETCH.toString(),
                "-Dworker.version=" + release,
                "-Dworker.directory=" + into,
                "package")
            .inheritIO()
            .start();
    assertThat(maven.waitFor()).isZero();
    try (Stream<Path> jars = Files.list(into)) {
      return jars.map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }
  }

  @ParameterizedTest
  @MethodSource("releases")
  void runAllPluginsAndKeepViewsExact(String release) throws Exception {
    String libraries = libraries(release, directory.resolve("libraries"));
    assertThat(libraries).contains("connect-runtime-" + release + ".jar");
    Path home = Unpacked.distribution(Files.createDirectory(directory.resolve("home")));
    Path plugins = Files.createDirectory(directory.resolve("plugins"));
    Unpacked.plugins(home, plugins);
    Path logs = Path.of("target", "worker-releases", release);
    try (Deployment deployment = new Deployment(directory, logs)) {
      deployment.startApp(home);
      ConnectWorker worker = deployment.worker(libraries, plugins);
      worker.start();
      deployment.submitConnectors(home, worker);
      try (Load load = Load.start(deployment.stack())) {
        deployment.awaitWork();
        assertThat(load.changes()).isPositive();
      }
      deployment.awaitExactViews();
    }
  }
}
