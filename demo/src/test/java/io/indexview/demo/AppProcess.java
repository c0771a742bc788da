package io.indexview.demo;

import io.indexview.local.Poll;
import io.indexview.local.pipeline.AppLauncher;
import io.indexview.streams.app.IndexViewApp;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/** The streams app as a process of its own, so that a test can kill it or have it stand still. */
public final class AppProcess implements AutoCloseable {
  private static final String LOG = "streams-app.log";
  private static final Duration START = Duration.ofMinutes(2);
  private static final Duration ANSWER = Duration.ofSeconds(30);

  private final Process process;
  private final int port;
  private final Path directory;

  private AppProcess(Process process, int port, Path directory) {
    this.process = process;
    this.port = port;
    this.directory = directory;
  }

  /** Starts the app with the class path of the test; its output goes into the directory. */
  public static AppLauncher launcher(Path directory) {
    return config -> {
      AppProcess app = start(directory, config);
      app.awaitReady();
      return app;
    };
  }

  /** Starts it likewise, and does not wait until it is ready. */
  public static AppProcess start(Path directory, Map<String, String> config) throws IOException {
    int port = ChildJvm.freePort();
    Path file = directory.resolve("streams-app.properties");
    write(file, config, port);
    Process process =
        ChildJvm.of("256m", List.of(), IndexViewApp.class, "--config", file.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve(LOG).toFile()))
            .start();
    return new AppProcess(process, port, directory);
  }

  /** How long its log is by now, over all its starts, in bytes. */
  public long logSize() throws IOException {
    return Files.size(directory.resolve(LOG));
  }

  /**
   * Whether it has logged this.
   *
   * @param since position in the log; to read all of it each time would hold up the process
   */
  public boolean hasLogged(String text, long since) throws IOException {
    try (InputStream in = Files.newInputStream(directory.resolve(LOG))) {
      in.skipNBytes(since);
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).contains(text);
    }
  }

  private static void write(Path file, Map<String, String> config, int port) throws IOException {
    Properties properties = new Properties();
    properties.putAll(config);
    properties.put("http.port", Integer.toString(port));
    // The least that the broker allows: the tasks of one that was killed soon go on.
    properties.putIfAbsent("streams.main.consumer.session.timeout.ms", "6000");
    try (Writer writer = Files.newBufferedWriter(file)) {
      properties.store(writer, null);
    }
  }

  /**
   * Waits until it says that it is ready.
   *
   * @throws IllegalStateException if it ended, or the time is over
   */
  public void awaitReady() throws Exception {
    HttpClient http = HttpClient.newHttpClient();
    Poll.until(
        () -> {
          if (!process.isAlive()) {
            throw new IllegalStateException("the app ended; see " + directory);
          }
          try {
            int status = http.send(ready(), HttpResponse.BodyHandlers.discarding()).statusCode();
            return status == 200 ? Optional.of(true) : Optional.empty();
          } catch (IOException e) {
            // It does not listen yet, or not answer in time on a machine that is busy.
            return Optional.empty();
          }
        },
        START,
        () -> new IllegalStateException("the app is not ready; see " + directory));
  }

  private HttpRequest ready() {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/health/ready"))
        .timeout(ANSWER)
        .build();
  }

  /** Has it stand still, as a machine does that swaps or is moved. */
  public void suspend() throws Exception {
    signal("-STOP");
  }

  /** Lets it go on, as if no time had passed. */
  public void resume() throws Exception {
    signal("-CONT");
  }

  private void signal(String signal) throws Exception {
    Process kill = new ProcessBuilder("kill", signal, Long.toString(process.pid())).start();
    if (kill.waitFor() != 0) {
      throw new IllegalStateException("process " + process.pid() + " did not get " + signal);
    }
  }

  /** Ends the process at once, as a power failure would. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** What {@code /health/ready} says is in the way; empty: it is ready. */
  public String trouble() throws Exception {
    HttpResponse<String> answer =
        HttpClient.newHttpClient().send(ready(), HttpResponse.BodyHandlers.ofString());
    return answer.statusCode() == 200 ? "" : answer.body();
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      kill();
    }
  }
}
