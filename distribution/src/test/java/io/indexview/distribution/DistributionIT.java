package io.indexview.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.indexview.connect.common.plugin.ArchiveLicences;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The distribution as a user unpacks it. */
class DistributionIT {
  private static final long COMMAND_S = 60;

  @TempDir private static Path directory;
  private static Path home;

  @TempDir private Path work;

  @BeforeAll
  static void unpack() throws IOException, InterruptedException {
    home = Unpacked.distribution(directory);
  }

  private static List<String> names(Path parent) throws IOException {
    try (Stream<Path> entries = Files.list(parent)) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    }
  }

  private Process start(Map<String, String> environment, String... command) throws IOException {
    List<String> words = new ArrayList<>(List.of(command));
    words.set(0, home.resolve("bin").resolve(command[0]).toString());
    ProcessBuilder builder =
        new ProcessBuilder(words)
            .redirectErrorStream(true)
            .redirectOutput(work.resolve("output").toFile())
            .directory(work.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("INDEXVIEW_JVM_OPTIONS", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1");
    builder.environment().putAll(environment);
    return builder.start();
  }

  private int run(String... command) throws IOException, InterruptedException {
    return run(Map.of(), command);
  }

  private int run(Map<String, String> environment, String... command)
      throws IOException, InterruptedException {
    Process process = start(environment, command);
    try {
      assertThat(process.waitFor(COMMAND_S, TimeUnit.SECONDS)).as(this::output).isTrue();
      return process.exitValue();
    } finally {
      process.destroyForcibly();
    }
  }

  private String output() {
    try {
      return Files.readString(work.resolve("output"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"indexview", "indexview-app", "indexview-server"})
  void explainsItself(String script) throws Exception {
    assertThat(run(script, "--help")).as(this::output).isZero();
    assertThat(output()).contains("Usage: " + script.replace("-app", "-streams"));
  }

  @ParameterizedTest
  @CsvSource({"indexview-app, app.properties", "indexview-server, server.properties"})
  void refusesAConfigurationAndNamesEveryProblem(String script, String sample) throws Exception {
    Path config = Files.copy(home.resolve("etc").resolve(sample), work.resolve(sample));
    Files.writeString(config, Files.readString(config) + "\nno.such.key=1\nhttp.port=x\n");

    assertThat(run(script, "--config", config.toString())).as(this::output).isEqualTo(2);
    assertThat(output()).contains("no.such.key", "http.port");
  }

  /** As cron and systemd start it; keys and records would be written with "?" in them. */
  @Test
  void takesArgumentsAndWritesInUtf8WhereNoLocaleIsSet() throws Exception {
    String command =
        "exec \"$0\" views apply --server http://127.0.0.1:1 -f $'Z\\303\\274rich.yaml'";

    int exitCode =
        run(
            Map.of("LC_ALL", "C"),
            "/usr/bin/env",
            "bash",
            "-c",
            command,
            home.resolve("bin/indexview").toString());

    assertThat(exitCode).as(this::output).isEqualTo(2);
    assertThat(output()).contains("there is no file Z\u00FCrich.yaml");
  }

  @ParameterizedTest
  @CsvSource({
    "--server http://127.0.0.1:3 --data other, http://127.0.0.1:3",
    "--data other, http://127.0.0.1:2",
    "-o json, http://127.0.0.1:1"
  })
  void takesTheServerOfTheCommandLineBeforeThatOfTheEnvironment(String options, String server)
      throws Exception {
    Path other = Files.createDirectory(work.resolve("other"));
    Files.writeString(other.resolve("server.json"), "{\"url\": \"http://127.0.0.1:2\"}");
    List<String> command = new ArrayList<>(List.of("indexview", "views", "list"));
    command.addAll(List.of(options.split(" ")));

    int exitCode =
        run(Map.of("INDEXVIEW_SERVER", "http://127.0.0.1:1"), command.toArray(String[]::new));

    assertThat(exitCode).as(this::output).isEqualTo(5);
    assertThat(output()).contains("no answer from " + server);
  }

  /** Without that, it would read all pages that head does not want. */
  @Test
  void failsIfNobodyTakesItsOutput() throws Exception {
    String command = "\"$0\" --version > /dev/full";

    int exitCode =
        run(
            Map.of(),
            "/usr/bin/env",
            "bash",
            "-c",
            command,
            home.resolve("bin/indexview").toString());

    assertThat(exitCode).as(this::output).isEqualTo(1);
  }

  @Test
  void startsTheAppFromItsSampleAndLogs() throws Exception {
    int port = Deployment.freePort();
    Path schema = home.resolve("etc/schemas/FileRecord.avsc");
    Process app =
        start(
            Map.of(
                "INDEXVIEW_APP_BOOTSTRAP_SERVERS",
                "127.0.0.1:1",
                "INDEXVIEW_APP_SCHEMA_REGISTRY_URL",
                "http://127.0.0.1:1",
                "INDEXVIEW_APP_RECORD_SET_PEOPLE_SCHEMA_FILE",
                schema.toString(),
                "INDEXVIEW_APP_STATE_DIR",
                work.resolve("state").toString(),
                "INDEXVIEW_APP_HTTP_PORT",
                Integer.toString(port),
                "INDEXVIEW_LOG_FORMAT",
                "json"),
            "indexview-app",
            "--config",
            home.resolve("etc/app.properties").toString());
    try {
      HttpRequest ready =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/health/ready")).build();
      await()
          .atMost(Duration.ofMinutes(1))
          .ignoreExceptionsInstanceOf(IOException.class)
          .untilAsserted(
              () ->
                  assertThat(HttpClient.newHttpClient().send(ready, BodyHandlers.ofString()).body())
                      .as(this::output)
                      .contains("waiting for"));
      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(
              () ->
                  assertThat(output())
                      .startsWith("{\"@timestamp\":")
                      .contains("\"log.logger\":\"io.indexview."));
      app.destroy();
      assertThat(app.waitFor(COMMAND_S, TimeUnit.SECONDS)).as(this::output).isTrue();
      // The unit of docs/deploy.md takes it for a success.
      assertThat(app.exitValue()).as(this::output).isEqualTo(143);
    } finally {
      app.destroyForcibly();
    }
  }

  @Test
  void holdsPluginsSamplesAndTheListOfWhatIsInside() throws IOException {
    assertThat(names(home.resolve("plugins")))
        .hasSize(3)
        .allMatch(name -> name.matches("indexview-connect-(kvstore|s3|dynamodb)-.*\\.zip"));
    assertThat(names(home.resolve("etc/connectors")))
        .contains("kvstore-source.properties", "kvstore-sink.properties")
        .contains("s3-source.properties", "dynamodb-sink.properties");
    assertThat(names(home.resolve("etc/prometheus")))
        .containsExactlyInAnyOrder("alerts.yml", "jmx-exporter.yml");
    assertThat(Files.readString(home.resolve("indexview.cdx.json"))).contains("CycloneDX");
    assertThat(names(home))
        .contains(
            "LICENSE",
            "NOTICE",
            "README.md",
            "CHANGELOG.md",
            "SECURITY.md",
            "docs",
            "bin",
            "lib",
            "etc");
    assertThat(Files.readString(home.resolve("README.md")))
        .as("the checkout's names commands that are not here")
        .contains("docs/deploy.md")
        .doesNotContain("bin/indexview demo", "mvn verify");
  }

  @Test
  void holdsEachLibraryOnceAndNoneThatMayNotBeRedistributed() throws IOException {
    List<String> libraries = names(home.resolve("lib"));
    assertThat(libraries.stream().map(name -> name.replaceFirst("-\\d.*", "")))
        .doesNotHaveDuplicates();
    assertThat(libraries)
        .anyMatch(name -> name.startsWith("indexview-streams-app-"))
        .noneMatch(name -> name.contains("DynamoDBLocal") || name.contains("sqlite4java"))
        .noneMatch(name -> name.startsWith("indexview-connect-") || name.contains("junit"));
  }

  @Test
  void archiveNamesTheLicencesOfItsLibraries() throws IOException {
    Path licences = home.resolve("licenses");
    try (Stream<Path> files = Files.walk(licences)) {
      ArchiveLicences.check(
          names(home.resolve("lib")),
          Files.readString(home.resolve("THIRD-PARTY.txt")),
          files
              .filter(Files::isRegularFile)
              .map(file -> licences.relativize(file).toString())
              .toList());
    }
  }
}
