package io.indexview.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.common.collect.Sets;
import io.indexview.local.ConnectClient;
import io.indexview.local.FreePorts;
import io.indexview.local.LocalStack;
import io.indexview.local.PartName;
import io.indexview.local.StackConfig;
import io.indexview.local.StackException;
import io.indexview.local.pipeline.Settling;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.progress.GroupProgress;
import java.io.IOException;
import java.io.Reader;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;

/**
 * App, workers and connectors as processes of a distribution, with the configurations that it
 * ships: only addresses are another's, and times are shorter. What they connect is in this process.
 */
final class Deployment implements AutoCloseable {
  static final Duration TIMEOUT = Duration.ofMinutes(3);

  /** What each stage of the way does at least, until it counts as at work. */
  static final int WORK = Integer.getInteger("load.work", 50);

  /** What a source's task says that asked a dying leader to fence the tasks before it. */
  private static final String LEADER_IS_GONE = "IO Error trying to forward REST request";

  private static final int PARTITIONS = 4;
  private static final List<String> RECORD_SETS = List.of("people", "orders", "files");
  private static final String KV_SINK = "indexview-kvstore-sink";
  private static final String DYNAMODB_SINK = "indexview-dynamodb-sink";
  private static final Map<String, String> VIEWS =
      Map.of(
          "people-by-org",
          "source: people\nkey: [org]\ninclude: [name]\nlayout: key-value\ntarget: kv\n",
          "orders-by-customer",
          "source: orders\nkey: [customer]\ninclude: [amount]\ntarget: dynamodb\n",
          "files-by-size",
          "source: files\nkey: [size]\ninclude: [objectKey]\nlayout: key-value\ntarget: kv\n");

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final List<String> connectors = new ArrayList<>();
  private final List<ConnectWorker> workers = new ArrayList<>();
  private final Path directory;
  private final Path logs;
  private final LocalStack stack;
  private final GroupProgress progress;
  private final int serverPort;
  private final List<Process> apps = new ArrayList<>();
  private Process server;

  /**
   * @param directory for data
   * @param logs gets the logs of all processes
   */
  Deployment(Path directory, Path logs) throws IOException {
    this.directory = directory;
    this.logs = Files.createDirectories(logs);
    this.serverPort = freePort();
    this.stack =
        LocalStack.start(
            StackConfig.builder()
                .parts(
                    PartName.BROKER,
                    PartName.REGISTRY,
                    PartName.KV_STORE,
                    PartName.S3,
                    PartName.SQS,
                    PartName.DYNAMODB)
                .serveKvStore()
                .bucket(Load.BUCKET)
                .build()
                .withDataDirectory(directory.resolve("data")));
    opened.push(stack);
    stack.createChangeTopics(RECORD_SETS, PARTITIONS);
    for (Map.Entry<String, String> file : Load.SCHEMAS.entrySet()) {
      Files.writeString(schema(file.getKey()), file.getValue());
    }
    Path views = Files.createDirectory(views());
    for (Map.Entry<String, String> view : VIEWS.entrySet()) {
      Files.writeString(
          views.resolve(view.getKey() + ".yaml"),
          "name: %s\n%s".formatted(view.getKey(), view.getValue()));
    }
    Map<String, Object> kafka = Map.of("bootstrap.servers", stack.bootstrapServers());
    Admin admin = Admin.create(kafka);
    opened.push(admin);
    Consumer<byte[], byte[]> reader = ControlTable.consumer(kafka);
    opened.push(reader);
    this.progress = new GroupProgress(admin, reader);
  }

  LocalStack stack() {
    return stack;
  }

  private Path schema(String recordSet) {
    return directory.resolve(recordSet + ".avsc");
  }

  static int freePort() throws IOException {
    return FreePorts.next(InetAddress.getLoopbackAddress());
  }

  /**
   * Starts the app of a distribution: the first instance, or another one beside those that run.
   *
   * @param home of the distribution
   */
  void startApp(Path home) throws IOException {
    startApp(home, RECORD_SETS, "state-" + apps.size());
  }

  /**
   * Stops the app, and starts it again with the same state and these record sets; its sample has no
   * keys of others then.
   */
  void restartApp(Path home, List<String> recordSets) throws Exception {
    stop(apps.get(apps.size() - 1));
    Path sample = home.resolve("etc/app.properties");
    Pattern key = Pattern.compile("record\\.set\\.([^.]+)\\..*");
    List<String> lines = new ArrayList<>(Files.readAllLines(sample));
    lines.removeIf(
        line -> {
          Matcher matcher = key.matcher(line);
          return matcher.matches() && !recordSets.contains(matcher.group(1));
        });
    Files.write(sample, lines);
    startApp(home, recordSets, "state-0");
  }

  private void startApp(Path home, List<String> recordSets, String state) throws IOException {
    Map<String, String> environment = new HashMap<>();
    environment.put("INDEXVIEW_APP_BOOTSTRAP_SERVERS", stack.bootstrapServers());
    environment.put("INDEXVIEW_APP_SCHEMA_REGISTRY_URL", stack.registryUrl().toString());
    environment.put("INDEXVIEW_APP_RECORD_SETS", String.join(",", recordSets));
    for (String recordSet : recordSets) {
      String written = Load.written(recordSet);
      environment.put(
          "INDEXVIEW_APP_RECORD_SET_%s_SCHEMA_FILE".formatted(recordSet.toUpperCase(Locale.ROOT)),
          (written.equals("files") ? home.resolve("etc/schemas/FileRecord.avsc") : schema(written))
              .toString());
    }
    environment.put("INDEXVIEW_APP_VIEWS_DIR", views().toString());
    environment.put("INDEXVIEW_APP_STATE_DIR", directory.resolve(state).toString());
    environment.put("INDEXVIEW_APP_TOPIC_REPLICATION_FACTOR", "1");
    environment.put("INDEXVIEW_APP_HTTP_PORT", Integer.toString(freePort()));
    apps.add(start(home, "app", environment));
  }

  /** Where the definitions of views are that the app begins with. */
  Path views() {
    return directory.resolve("views");
  }

  /** Starts a part of a distribution from its sample; closed with all else. */
  private Process start(Path home, String part, Map<String, String> environment)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
                home.resolve("bin/indexview-" + part).toString(),
                "--config",
                home.resolve("etc/" + part + ".properties").toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(logs.resolve(part + ".log").toFile()));
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("INDEXVIEW_JVM_OPTIONS", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1");
    builder.environment().putAll(environment);
    Process process = builder.start();
    opened.push(() -> process.destroyForcibly().waitFor());
    return process;
  }

  /** Ends the instance of the app in order that was started before the newest one. */
  void stopFormerApp() throws InterruptedException {
    stop(apps.get(apps.size() - 2));
  }

  private static void stop(Process process) throws InterruptedException {
    process.destroy();
    assertThat(process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  /** Starts the server of a distribution. */
  void startServer(Path home) throws IOException {
    server =
        start(
            home,
            "server",
            Map.of(
                "INDEXVIEW_SERVER_BOOTSTRAP_SERVERS",
                stack.bootstrapServers(),
                "INDEXVIEW_SERVER_SCHEMA_REGISTRY_URL",
                stack.registryUrl().toString(),
                "INDEXVIEW_SERVER_KVSTORE_URI",
                stack.kvStoreUri(),
                "INDEXVIEW_SERVER_AWS_REGION",
                StackConfig.REGION,
                "INDEXVIEW_SERVER_DYNAMODB_ENDPOINT",
                stack.dynamoDbUrl().toString(),
                "AWS_ACCESS_KEY_ID",
                StackConfig.ACCESS_KEY,
                "AWS_SECRET_ACCESS_KEY",
                StackConfig.SECRET_KEY,
                "INDEXVIEW_SERVER_HTTP_PORT",
                Integer.toString(serverPort)));
  }

  /** Ends the server in order. */
  void stopServer() throws InterruptedException {
    stop(server);
  }

  /** Runs a command of a distribution against the server until it succeeds. */
  void command(Path home, String... arguments) {
    List<String> command = new ArrayList<>(List.of(home.resolve("bin/indexview").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(
                ProcessBuilder.Redirect.appendTo(logs.resolve("commands.log").toFile()));
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("INDEXVIEW_SERVER", "http://127.0.0.1:" + serverPort);
    await()
        .atMost(TIMEOUT)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofSeconds(2))
        .until(() -> builder.start().waitFor() == 0);
  }

  /**
   * Makes a worker, which is not started yet; closed with all else.
   *
   * @param libraries its class path
   * @param plugins its plugin path
   */
  ConnectWorker worker(String libraries, Path plugins) throws IOException {
    int port = freePort();
    ConnectWorker worker =
        ConnectWorker.of(
            port,
            Path.of("../deploy/etc/worker.properties"),
            Map.of(
                "bootstrap.servers",
                stack.bootstrapServers(),
                "plugin.path",
                plugins.toString(),
                "config.providers.file.param.allowed.paths",
                directory.toString(),
                "scheduled.rebalance.max.delay.ms",
                "1000",
                "session.timeout.ms",
                "6000",
                "heartbeat.interval.ms",
                "1000"),
            Map.of(
                "HOSTNAME", "worker-" + port,
                "AWS_ACCESS_KEY_ID", StackConfig.ACCESS_KEY,
                "AWS_SECRET_ACCESS_KEY", StackConfig.SECRET_KEY),
            libraries,
            logs);
    opened.push(worker);
    workers.add(worker);
    return worker;
  }

  /** Submits the samples of a distribution as all its connectors, and returns when they run. */
  void submitConnectors(Path home, ConnectWorker worker) throws IOException {
    submitConnectors(home, worker, Map.of());
  }

  /**
   * Submits the samples of a distribution as all its connectors, and returns when they run.
   *
   * @param more settings, by sample
   */
  void submitConnectors(Path home, ConnectWorker worker, Map<String, Map<String, String>> more)
      throws IOException {
    for (String file : List.of("kvstore-source", "kvstore-sink", "s3-source", "dynamodb-sink")) {
      connectors.add(submit(home, worker, file, more.getOrDefault(file, Map.of())));
    }
    awaitConnectors(worker);
  }

  /**
   * Submits a sample of a distribution, or gives a connector that runs other settings.
   *
   * @param more an empty text takes a setting of the sample away
   * @return its name
   */
  String submit(Path home, ConnectWorker worker, String file, Map<String, String> more)
      throws IOException {
    Map<String, String> config = sample(home, file);
    config.putAll(more);
    config.values().removeIf(String::isEmpty);
    String name = config.remove("name");
    worker.client().put(name, config);
    return name;
  }

  /** Waits until all connectors run. */
  void awaitConnectors(ConnectWorker worker) {
    connectors.forEach(name -> worker.client().awaitRunning(name, TIMEOUT));
  }

  private Map<String, String> sample(Path home, String name) throws IOException {
    Properties sample = new Properties();
    try (Reader text =
        Files.newBufferedReader(home.resolve("etc/connectors/" + name + ".properties"))) {
      sample.load(text);
    }
    Map<String, String> config = new HashMap<>();
    sample.stringPropertyNames().forEach(key -> config.put(key, sample.getProperty(key)));
    addresses().forEach(config::replace);
    // What the connectors ask may have to wait for a processor.
    config.put("preflight.timeout.ms", "60000");
    if (config.containsKey("s3.topic")) {
      config.put("s3.endpoint", stack.s3Url().toString());
      config.put("sqs.endpoint", stack.sqsUrl().toString());
      // What a killed task had taken comes again then.
      config.put("sqs.visibility.timeout.ms", "10000");
    } else if (config.containsKey("dynamodb.mode")) {
      config.put("dynamodb.endpoint", stack.dynamoDbUrl().toString());
    }
    if (config.containsKey("topics.regex")) {
      config.put("errors.deadletterqueue.topic.replication.factor", "1");
      config.put("consumer.override.session.timeout.ms", "6000");
      config.put("consumer.override.heartbeat.interval.ms", "1000");
      config.put("consumer.override.metadata.max.age.ms", "1000");
    }
    return config;
  }

  /** What there is in each installation under another address. */
  private Map<String, String> addresses() {
    String registry = stack.registryUrl().toString();
    return Map.ofEntries(
        Map.entry("kvstore.uri", stack.kvStoreUri()),
        Map.entry("kafka.bootstrap.servers", stack.bootstrapServers()),
        Map.entry("schema.registry.url", registry),
        Map.entry("key.converter.schema.registry.url", registry),
        Map.entry("value.converter.schema.registry.url", registry),
        Map.entry("record.set.people.schema.file", schema("people").toString()),
        Map.entry("record.set.orders.schema.file", schema("orders").toString()),
        Map.entry("index.dir", directory.resolve("index").toString()),
        Map.entry("sqs.queue.url", stack.queueUrl().toString()),
        Map.entry("aws.region", StackConfig.REGION),
        Map.entry("scan.interval.ms", "1000"),
        Map.entry("scan.max.time.percent", "100"));
  }

  /**
   * Returns at a moment like any other, after every connector has done something. A task that
   * failed because the leader of its group died is started again, as an operator does.
   */
  void awaitWork() {
    awaitWork(RECORD_SETS);
  }

  /**
   * Returns after every connector has done something.
   *
   * @param recordSets that sources fill
   */
  void awaitWork(List<String> recordSets) {
    Map<String, Long> before = work(recordSets);
    await()
        .atMost(TIMEOUT)
        .failFast("the app has ended, see " + logs, () -> !apps.get(apps.size() - 1).isAlive())
        .pollInterval(Duration.ofMillis(500))
        // A worker that has not heard yet that its leader is dead refuses commands.
        .ignoreExceptionsInstanceOf(StackException.class)
        .untilAsserted(
            () -> {
              Map<String, String> failures = restartOrphans();
              work(recordSets)
                  .forEach(
                      (what, done) ->
                          assertThat(done)
                              .as("%s, failed: %s", what, failures)
                              .isGreaterThan(before.get(what) + WORK));
            });
  }

  /** Restarts what the leader's death made fail; returns why others have failed, by connector. */
  private Map<String, String> restartOrphans() {
    Map<String, String> failures = new TreeMap<>();
    Optional<ConnectWorker> running = workers.stream().filter(ConnectWorker::isAlive).findFirst();
    for (String connector : running.isPresent() ? connectors : List.<String>of()) {
      ConnectClient client = running.orElseThrow().client();
      client
          .status(connector)
          .flatMap(ConnectClient.Status::failure)
          .ifPresent(failure -> failures.put(connector, failure));
      if (failures.getOrDefault(connector, "").contains(LEADER_IS_GONE)) {
        client.restartFailed(connector);
      }
    }
    return failures;
  }

  private Map<String, Long> work(List<String> recordSets) {
    Map<String, Long> work =
        recordSets.stream()
            .map(stack.topics()::changes)
            .collect(
                Collectors.toMap(
                    topic -> topic, topic -> sum(progress.ends(List.of(topic)).values())));
    for (String sink : List.of(KV_SINK, DYNAMODB_SINK)) {
      work.put(sink, sum(progress.committed("connect-" + sink).values()));
    }
    return work;
  }

  private static long sum(Collection<Long> offsets) {
    return offsets.stream().mapToLong(Long::longValue).sum();
  }

  /**
   * Waits until all that was written is in the views, and compares every row.
   *
   * @param more names of views that the test has made
   */
  void awaitExactViews(String... more) throws InterruptedException {
    awaitExactViews(List.of("people", "orders"), more);
  }

  /**
   * Waits until all that was written is in the views, and compares every row.
   *
   * @param inStore the record sets that scans fill
   * @param more names of views that the test has made
   */
  void awaitExactViews(List<String> inStore, String... more) throws InterruptedException {
    try (Settling settling = new Settling(stack, inStore, List.of(), "indexview", view -> true)) {
      settling.settle(TIMEOUT);
      assertThat(settling.generations())
          .extracting(generation -> generation.definition().name())
          .containsExactlyInAnyOrderElementsOf(Sets.union(VIEWS.keySet(), Set.of(more)));
      ExactRows.verify(stack, settling.generations());
    }
    Topics topics = stack.topics();
    assertThat(
            progress
                .ends(
                    List.of(
                        topics.deadLetters(),
                        topics.deadLetters("kv"),
                        topics.deadLetters("dynamodb")))
                .values())
        .containsOnly(0L);
  }

  @Override
  public void close() throws Exception {
    while (!opened.isEmpty()) {
      opened.pop().close();
    }
  }
}
