package io.indexview.demo.load;

import io.indexview.demo.ChildJvm;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.cli.ConnectStandalone;

/** A Connect worker of one connector as a process of its own, so that a test can kill it. */
final class StandaloneWorker implements AutoCloseable {
  private final Process process;
  private final Path log;

  private StandaloneWorker(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /**
   * Starts a worker. It goes on with the offsets that one before it left in the directory.
   *
   * @param directory gets its output, too
   * @param run numbers the output
   */
  static StandaloneWorker start(
      String bootstrapServers, Map<String, String> connector, Path directory, int run)
      throws IOException {
    Path log = directory.resolve("worker-" + run + ".log");
    Process process =
        ChildJvm.of(
                "256m",
                List.of("-Dorg.apache.logging.log4j.level=WARN"),
                ConnectStandalone.class,
                write(directory.resolve("worker.properties"), worker(bootstrapServers, directory)),
                write(directory.resolve("connector.properties"), connector))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    return new StandaloneWorker(process, log);
  }

  private static Map<String, String> worker(String bootstrapServers, Path directory) {
    return Map.of(
        "bootstrap.servers", bootstrapServers,
        "listeners", "http://127.0.0.1:0",
        "plugin.discovery", "service_load",
        "key.converter", "org.apache.kafka.connect.storage.StringConverter",
        "value.converter", "org.apache.kafka.connect.json.JsonConverter",
        "value.converter.schemas.enable", "false",
        "offset.storage.file.filename", directory.resolve("offsets").toString(),
        "offset.flush.interval.ms", "500");
  }

  private static String write(Path file, Map<String, String> content) throws IOException {
    Properties properties = new Properties();
    properties.putAll(content);
    try (Writer writer = Files.newBufferedWriter(file)) {
      properties.store(writer, null);
    }
    return file.toString();
  }

  void assertAlive() {
    if (!process.isAlive()) {
      throw new IllegalStateException("the worker ended; see " + log);
    }
  }

  /** Ends the process at once, as a power failure would. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Lets it end in order; Connect gives its REST server a minute for that. */
  @Override
  public void close() throws InterruptedException, IOException {
    process.destroy();
    if (!process.waitFor(90, TimeUnit.SECONDS)) {
      // Its threads, into the log.
      new ProcessBuilder("kill", "-QUIT", Long.toString(process.pid())).start().waitFor();
      process.waitFor(5, TimeUnit.SECONDS);
      kill();
      throw new IllegalStateException("the worker does not end; see " + log);
    }
  }
}
