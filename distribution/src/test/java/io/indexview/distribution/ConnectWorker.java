package io.indexview.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.indexview.local.ConnectClient;
import io.indexview.local.StackException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.Writer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A distributed Connect worker as a process, which has nothing of Indexview but the plugins. */
final class ConnectWorker implements AutoCloseable {
  private static final Duration START = Duration.ofMinutes(3);
  private static final Duration PROBE = Duration.ofSeconds(5);

  /** What Kafka's own distribution has beside its jars. */
  private static final Pattern LIBRARIES =
      Pattern.compile(
          ".*/(org/apache/(kafka|logging|maven)|org/slf4j|org/eclipse|org/glassfish|org/reflections"
              + "|org/javassist|org/bitbucket|com/fasterxml/jackson|com/github/luben|org/xerial|at/yawk"
              + "|org/lz4|jakarta|javax|aopalliance|org/jvnet|io/swagger)/.*\\.jar");

  private final Path properties;
  private final Map<String, String> environment;
  private final String libraries;
  private final Path log;
  private final ConnectClient client;
  private Process process;

  private ConnectWorker(
      Path properties,
      Map<String, String> environment,
      String libraries,
      Path log,
      ConnectClient client) {
    this.properties = properties;
    this.environment = environment;
    this.libraries = libraries;
    this.log = log;
    this.client = client;
  }

  /**
   * A worker that is not started yet.
   *
   * @param sample a file of worker properties
   * @param overrides of the sample
   * @param libraries its class path
   * @param directory gets the properties and the log
   */
  static ConnectWorker of(
      int port,
      Path sample,
      Map<String, String> overrides,
      Map<String, String> environment,
      String libraries,
      Path directory)
      throws IOException {
    String url = "http://127.0.0.1:" + port;
    Properties properties = new Properties();
    try (Reader text = Files.newBufferedReader(sample)) {
      properties.load(text);
    }
    properties.putAll(overrides);
    properties.put("listeners", url);
    properties.put("rest.advertised.host.name", "127.0.0.1");
    properties.put("rest.advertised.port", Integer.toString(port));
    Path file = directory.resolve("worker-" + port + ".properties");
    try (Writer text = Files.newBufferedWriter(file)) {
      properties.store(text, null);
    }
    return new ConnectWorker(
        file,
        environment,
        libraries,
        directory.resolve("worker-" + port + ".log"),
        new ConnectClient(URI.create(url)));
  }

  /** Starts the process, and returns when it has joined the group. */
  void start() throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx384m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dlog4j2.configurationFile=" + Path.of("../deploy/docker/connect-log4j2.xml"),
                "-cp",
                libraries,
                "org.apache.kafka.connect.cli.ConnectDistributed",
                properties.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().putAll(environment);
    process = builder.start();
    await()
        .atMost(START)
        .failFast("the worker has ended, see " + log, () -> !process.isAlive())
        .ignoreExceptionsInstanceOf(StackException.class)
        .untilAsserted(() -> client.awaitMember(PROBE, PROBE));
  }

  /** Starts the process again, and returns when the group's leader has given it tasks. */
  void startWithTasks() throws Exception {
    long before = Files.size(log);
    start();
    await().pollInterval(Duration.ofMillis(20)).atMost(START).until(() -> hasStartedTasks(before));
  }

  /**
   * @param since position in the log; to read all of it each time would hold up the process
   */
  private boolean hasStartedTasks(long since) throws IOException {
    try (InputStream in = Files.newInputStream(log)) {
      in.skipNBytes(since);
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1)
          .contains("] Starting task ");
    }
  }

  /** Those of the release that Indexview is built with. */
  static String newestLibraries() {
    List<String> jars =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(jar -> LIBRARIES.matcher(jar).matches())
            .toList();
    assertThat(jars).noneMatch(jar -> jar.contains("indexview-"));
    return jars.stream().collect(Collectors.joining(File.pathSeparator));
  }

  boolean isAlive() {
    return process != null && process.isAlive();
  }

  ConnectClient client() {
    return client;
  }

  /** Ends the process in order. */
  void stop() throws InterruptedException {
    process.destroy();
    assertThat(process.waitFor(START.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  /** Ends the process at once, as a power failure would. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Holds all its threads where they are: the group takes it for dead, and it does not know. */
  void suspend() throws Exception {
    signal("STOP");
  }

  void resume() throws Exception {
    signal("CONT");
  }

  private void signal(String name) throws Exception {
    Process kill =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).inheritIO().start();
    assertThat(kill.waitFor()).isZero();
  }

  @Override
  public void close() throws InterruptedException {
    if (process != null) {
      kill();
    }
  }
}
