package io.indexview.local;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The schema registry: Apicurio's server in a child process, its data in an H2 file. */
final class RegistryPart implements Part {
  private static final String API = "/apis/ccompat/v7";

  /** Much, since a machine may be busy; one that has ended is noticed at once. */
  private static final Duration READY = Duration.ofMinutes(3);

  private static final Duration REQUEST = Duration.ofSeconds(10);
  private static final Duration ORDERLY_STOP = Duration.ofSeconds(5);
  private static final int REPORTED_LINES = 8;

  private final PartContext context;

  /** The server loses its count of streams when a busy machine delays an upgrade to HTTP/2. */
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private Process process;
  private volatile boolean stopping;

  RegistryPart(PartContext context) {
    this.context = context;
  }

  @Override
  public PartName name() {
    return PartName.REGISTRY;
  }

  @Override
  public Set<PartName> needs() {
    return Set.of();
  }

  @Override
  public void start() throws Exception {
    Path log = context.directory().of("logs").resolve("registry.log");
    process =
        new ProcessBuilder(command())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.to(log.toFile()))
            .start();
    process.onExit().thenAccept(this::reportEnd);
    Poll.until(
        () -> answers(log),
        READY,
        () ->
            new StackException(
                "registry did not answer within %d s; see %s".formatted(READY.toSeconds(), log)));
  }

  private List<String> command() throws IOException {
    Path data = context.directory().of("registry").resolve("registry");
    String classPath = RegistryHome.ownClasses() + File.pathSeparator + RegistryHome.runner();
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx256m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-Djava.util.logging.manager=org.jboss.logmanager.LogManager",
        "-Dquarkus.http.host=" + PartContext.HOST,
        "-Dquarkus.http.port=" + context.ports().of(PartName.REGISTRY),
        "-Dquarkus.datasource.jdbc.url=jdbc:h2:file:" + data + ";WRITE_DELAY=0",
        "-Dquarkus.datasource.jdbc.initial-size=1",
        "-Dquarkus.datasource.jdbc.min-size=1",
        "-Dquarkus.datasource.jdbc.max-size=10",
        "-Dquarkus.datasource.jdbc.acquisition-timeout=" + READY.toSeconds() + "S",
        "-cp",
        classPath,
        RegistryMain.class.getName());
  }

  private void reportEnd(Process ended) {
    if (!stopping) {
      context.failures().report(name(), "has ended with exit code " + ended.exitValue(), null);
    }
  }

  private Optional<Boolean> answers(Path log) throws IOException, InterruptedException {
    if (!process.isAlive()) {
      throw new StackException(
          "registry ended with exit code %d while starting:%n%s"
              .formatted(process.exitValue(), lastLines(log)));
    }
    try {
      if (send(request("/subjects").GET()).statusCode() != 200) {
        return Optional.empty();
      }
      requireBackwardCompatibility();
      return Optional.of(true);
    } catch (IOException notYetListening) {
      return Optional.empty();
    }
  }

  private static String lastLines(Path log) throws IOException {
    List<String> lines = Files.readAllLines(log);
    return String.join(
        "\n", lines.subList(Math.max(0, lines.size() - REPORTED_LINES), lines.size()));
  }

  private void requireBackwardCompatibility() throws IOException, InterruptedException {
    HttpResponse<String> response =
        send(
            request("/config")
                .header("Content-Type", "application/vnd.schemaregistry.v1+json")
                .PUT(HttpRequest.BodyPublishers.ofString("{\"compatibility\":\"BACKWARD\"}")));
    if (response.statusCode() != 200) {
      throw new StackException(
          "registry refused BACKWARD compatibility: status %d, %s"
              .formatted(response.statusCode(), response.body()));
    }
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(address() + path)).timeout(REQUEST);
  }

  private HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  @Override
  public String address() {
    return context.url(PartName.REGISTRY) + API;
  }

  @Override
  public void stop() throws InterruptedException {
    stopping = true;
    if (process == null) {
      return;
    }
    process.destroy();
    if (!process.waitFor(ORDERLY_STOP.toMillis(), TimeUnit.MILLISECONDS)) {
      process.destroyForcibly().waitFor();
    }
  }

  /** Where the registry server lies: unpacked by the build, beside this module's classes. */
  private static final class RegistryHome {
    /** Another place, for a stack that does not run from its build directory. */
    static final String PROPERTY = "indexview.registry.home";

    private static final String DIRECTORY = "registry";

    private RegistryHome() {}

    /** The jar that starts the server; its class path is in its manifest. */
    static Path runner() throws IOException {
      Path home = home();
      if (Files.isDirectory(home)) {
        try (Stream<Path> files = Files.list(home)) {
          var runner = files.filter(file -> file.toString().endsWith("-runner.jar")).findFirst();
          if (runner.isPresent()) {
            return runner.get();
          }
        }
      }
      throw new StackException(
          "registry: no server in %s: build the module \"local\" (mvn package), or set -D%s"
              .formatted(home, PROPERTY));
    }

    private static Path home() {
      String elsewhere = System.getProperty(PROPERTY);
      return elsewhere == null ? ownClasses().resolveSibling(DIRECTORY) : Path.of(elsewhere);
    }

    /** This module's jar or classes directory. */
    static Path ownClasses() {
      try {
        return Path.of(
            RegistryHome.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      } catch (URISyntaxException e) {
        throw new IllegalStateException("the module's own location is not a path", e);
      }
    }
  }
}
