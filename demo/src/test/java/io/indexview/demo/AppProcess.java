package io.indexview.demo;

import io.indexview.local.Poll;
import io.indexview.local.pipeline.AppLauncher;
import io.indexview.streams.app.IndexViewApp;
import java.io.IOException;
import java.io.Writer;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/** The streams app as a process of its own, so that a test can kill it. */
public final class AppProcess implements AutoCloseable {
  private static final Duration START = Duration.ofMinutes(2);

  private final Process process;

  private AppProcess(Process process) {
    this.process = process;
  }

  /** Starts the app with the class path of the test; its output goes into the directory. */
  public static AppLauncher launcher(Path directory) {
    return config -> {
      int port = ChildJvm.freePort();
      Path file = directory.resolve("streams-app.properties");
      write(file, config, port);
      Process process =
          ChildJvm.of("256m", List.of(), IndexViewApp.class, "--config", file.toString())
              .redirectErrorStream(true)
              .redirectOutput(
                  ProcessBuilder.Redirect.appendTo(directory.resolve("streams-app.log").toFile()))
              .start();
      AppProcess app = new AppProcess(process);
      app.awaitReady(port, directory);
      return app;
    };
  }

  private static void write(Path file, Map<String, String> config, int port) throws IOException {
    Properties properties = new Properties();
    properties.putAll(config);
    properties.put("http.port", Integer.toString(port));
    // The least that the broker allows: the tasks of one that was killed soon go on.
    properties.put("streams.main.consumer.session.timeout.ms", "6000");
    try (Writer writer = Files.newBufferedWriter(file)) {
      properties.store(writer, null);
    }
  }

  private void awaitReady(int port, Path directory) throws Exception {
    HttpClient http = HttpClient.newHttpClient();
    HttpRequest ready =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/health/ready")).build();
    Poll.until(
        () -> {
          if (!process.isAlive()) {
            throw new IllegalStateException("the app ended; see " + directory);
          }
          try {
            int status = http.send(ready, HttpResponse.BodyHandlers.discarding()).statusCode();
            return status == 200 ? Optional.of(true) : Optional.empty();
          } catch (ConnectException e) {
            return Optional.empty();
          }
        },
        START,
        () -> new IllegalStateException("the app is not ready; see " + directory));
  }

  /** Ends the process at once, as a power failure would. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      kill();
    }
  }
}
