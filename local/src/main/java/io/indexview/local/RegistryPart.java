package io.indexview.local;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** The schema registry: Apicurio's server in a child process, its data in an H2 file. */
final class RegistryPart implements Part {
  private static final String API = "/apis/ccompat/v7";
  private static final String SERVER = "io.quarkus.runner.GeneratedMain";

  private final PartContext context;
  private final ChildProcess process;

  RegistryPart(PartContext context) {
    this.context = context;
    this.process = new ChildProcess(context, PartName.REGISTRY);
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
    // The server's jar names its libraries; newer ones in place of some come first.
    String classPath =
        Files.readString(process.file("", "classpath.txt"))
            + File.pathSeparator
            + process.file("server", "*-runner.jar");
    process.start(options(), classPath, List.of(SERVER), this::answers);
  }

  private List<String> options() {
    Path data = context.directory().of("registry").resolve("registry");
    return List.of(
        "-XX:TieredStopAtLevel=1",
        "-Djava.util.logging.manager=org.jboss.logmanager.LogManager",
        "-Dquarkus.http.host=" + PartContext.HOST,
        "-Dquarkus.http.port=" + context.ports().of(PartName.REGISTRY),
        "-Dquarkus.datasource.jdbc.url=jdbc:h2:file:" + data + ";WRITE_DELAY=0",
        "-Dquarkus.datasource.jdbc.initial-size=1",
        "-Dquarkus.datasource.jdbc.min-size=1",
        "-Dquarkus.datasource.jdbc.max-size=10",
        "-Dquarkus.datasource.jdbc.acquisition-timeout=" + ChildProcess.READY.toSeconds() + "S");
  }

  private boolean answers() throws IOException, InterruptedException {
    if (process.send(request("/subjects").GET()).statusCode() != 200) {
      return false;
    }
    requireBackwardCompatibility();
    return true;
  }

  private void requireBackwardCompatibility() throws IOException, InterruptedException {
    HttpResponse<String> response =
        process.send(
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
    return HttpRequest.newBuilder(URI.create(address() + path));
  }

  @Override
  public String address() {
    return context.url(PartName.REGISTRY) + API;
  }

  @Override
  public void stop() throws InterruptedException {
    process.stop();
  }
}
