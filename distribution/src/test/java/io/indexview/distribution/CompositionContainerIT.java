package io.indexview.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.DockerClientFactory;

/**
 * docker-compose.yml comes up with the images of deploy/build-images.sh, with volumes and ports of
 * its own. {@code -Dcompose.env} names a file with other images.
 */
@Tag("containers")
class CompositionContainerIT {
  private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
  private static final String PROJECT = "indexview-it";
  private static final int CONNECT = 18083;
  private static final int APP = 18085;

  private static final Map<String, String> PORTS =
      Map.ofEntries(
          Map.entry("BROKER_PORT", "19092"),
          Map.entry("REGISTRY_PORT", "18081"),
          Map.entry("CONNECT_1_PORT", Integer.toString(CONNECT)),
          Map.entry("CONNECT_2_PORT", "18084"),
          Map.entry("APP_PORT", Integer.toString(APP)),
          Map.entry("SERVER_PORT", "18480"),
          Map.entry("DYNAMODB_PORT", "18000"),
          Map.entry("KVSTORE_PORT", "17700"),
          Map.entry("S3_PORT", "19000"),
          Map.entry("SQS_PORT", "19324"),
          Map.entry("PROMETHEUS_PORT", "19090"));

  @TempDir private static Path work;
  private static List<String> compose = List.of();

  @BeforeEach
  void up() throws Exception {
    assumeTrue(
        DockerClientFactory.instance().isDockerAvailable(),
        "No Docker answers: start its daemon, or name it in DOCKER_HOST.");
    List<String> found =
        Stream.of(List.of("docker", "compose"), List.of("docker-compose"))
            .filter(CompositionContainerIT::answers)
            .findFirst()
            .orElse(List.of());
    assumeTrue(!found.isEmpty(), "Neither \"docker compose\" nor \"docker-compose\" can be run.");
    assertThat(run(List.of(HOME.resolve("deploy/make-secrets.sh").toString()))).isZero();
    compose = found;
    assertThat(compose("up", "-d")).as(CompositionContainerIT::output).isZero();
  }

  @AfterEach
  void down() throws Exception {
    if (!compose.isEmpty()) {
      compose("down", "-v", "--timeout", "30");
    }
  }

  @Test
  void runsConnectorsAndApp() throws Exception {
    // Ends when the job has submitted them all, and their tasks run.
    assertThat(compose("run", "--rm", "connectors")).as(CompositionContainerIT::output).isZero();

    assertThat(get(APP, "/health/ready").statusCode()).isEqualTo(200);
    assertThat(get(CONNECT, "/connectors").body())
        .contains("indexview-kvstore-source", "indexview-s3-source")
        .contains("indexview-kvstore-sink", "indexview-dynamodb-sink");
  }

  private static HttpResponse<String> get(int port, String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
            BodyHandlers.ofString());
  }

  private static boolean answers(List<String> command) {
    try {
      List<String> version = new ArrayList<>(command);
      version.add("version");
      return run(version) == 0;
    } catch (IOException | InterruptedException e) {
      return false;
    }
  }

  private static int compose(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(compose);
    String images = System.getProperty("compose.env", "");
    if (!images.isEmpty()) {
      command.addAll(List.of("--env-file", Path.of(images).toAbsolutePath().toString()));
    }
    command.addAll(List.of("--project-name", PROJECT));
    command.addAll(List.of(arguments));
    return run(command);
  }

  private static int run(List<String> command) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(HOME.toFile())
            .redirectErrorStream(true)
            .redirectOutput(work.resolve("output").toFile());
    builder.environment().putAll(PORTS);
    Process process = builder.start();
    if (!process.waitFor(20, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      throw new IOException(String.join(" ", command) + " did not end: " + output());
    }
    return process.exitValue();
  }

  private static String output() {
    try {
      return Files.readString(work.resolve("output"));
    } catch (IOException e) {
      return e.toString();
    }
  }
}
