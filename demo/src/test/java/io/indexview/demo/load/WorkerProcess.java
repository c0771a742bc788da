package io.indexview.demo.load;

import io.indexview.demo.ChildJvm;
import io.indexview.local.ConnectClient;
import io.indexview.local.LocalStack;
import io.indexview.local.Poll;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/** {@link WorkerMain} as a process of its own, so that a test can kill it. */
final class WorkerProcess implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private static final Duration PROBE = Duration.ofSeconds(5);

  /** The least that the broker allows, so that a killed worker's successor need not wait long. */
  static final String SESSION_TIMEOUT_MS = "6000";

  private final Process process;
  private final OutputStream orders;
  private final Path quiet;
  private final ConnectClient connect;

  private WorkerProcess(Process process, Path quiet, ConnectClient connect) {
    this.process = process;
    this.orders = process.getOutputStream();
    this.quiet = quiet;
    this.connect = connect;
  }

  /**
   * Starts a worker of the stack and its load.
   *
   * @param directory gets its output, too
   * @param run which load
   */
  static WorkerProcess start(LocalStack stack, String storeUri, Path directory, int run)
      throws Exception {
    String address = "http://127.0.0.1:" + ChildJvm.freePort();
    Path properties = directory.resolve("worker-" + run + ".properties");
    write(properties, stack, address);
    Path quiet = directory.resolve("quiet-" + run);
    Files.deleteIfExists(quiet);
    ConnectClient connect = new ConnectClient(URI.create(address));
    Process process =
        ChildJvm.of(
                "384m",
                List.of("-Dorg.apache.logging.log4j.level=WARN"),
                WorkerMain.class,
                properties.toString(),
                storeUri,
                stack.registryUrl().toString(),
                quiet.toString(),
                Integer.toString(run))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("worker-" + run + ".log").toFile())
            .start();
    WorkerProcess worker = new WorkerProcess(process, quiet, connect);
    try {
      connect.awaitMember(TIMEOUT, PROBE);
    } catch (Exception e) {
      // Nobody else knows of the process, and it may have the lock of the store.
      worker.kill();
      throw e;
    }
    return worker;
  }

  private static void write(Path file, LocalStack stack, String address) throws IOException {
    String prefix = stack.config().topics().prefix() + ".connect";
    Properties properties = new Properties();
    properties.put("bootstrap.servers", stack.bootstrapServers());
    properties.put("group.id", prefix);
    properties.put("listeners", address);
    properties.put("plugin.discovery", "service_load");
    properties.put("exactly.once.source.support", "enabled");
    properties.put("key.converter", "org.apache.kafka.connect.storage.StringConverter");
    properties.put("value.converter", "org.apache.kafka.connect.converters.ByteArrayConverter");
    for (String storage : new String[] {"config", "offset", "status"}) {
      properties.put(storage + ".storage.topic", prefix + "-" + storage + "s");
      properties.put(storage + ".storage.replication.factor", "1");
    }
    properties.put("offset.storage.partitions", "1");
    properties.put("status.storage.partitions", "1");
    properties.put("scheduled.rebalance.max.delay.ms", "0");
    properties.put("session.timeout.ms", SESSION_TIMEOUT_MS);
    properties.put("heartbeat.interval.ms", "1000");
    try (Writer writer = Files.newBufferedWriter(file)) {
      properties.store(writer, null);
    }
  }

  ConnectClient connect() {
    return connect;
  }

  /** Ends the load, and returns when it has ended, ms since the epoch. */
  long quiet() throws Exception {
    orders.write('q');
    orders.flush();
    Poll.until(
        () -> {
          if (!process.isAlive()) {
            throw new IllegalStateException("the worker ended; its log is beside " + quiet);
          }
          return Files.exists(quiet) ? Optional.of(true) : Optional.empty();
        },
        TIMEOUT,
        () -> new IllegalStateException("the load does not end"));
    return System.currentTimeMillis();
  }

  /** Ends the process at once, as a power failure would. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Lets it end in order. */
  @Override
  public void close() throws IOException, InterruptedException {
    if (!process.isAlive()) {
      return;
    }
    orders.close();
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      kill();
      throw new IllegalStateException("the worker does not end; its log is beside " + quiet);
    }
  }
}
