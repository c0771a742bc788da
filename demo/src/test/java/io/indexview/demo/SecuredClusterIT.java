package io.indexview.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.contentOf;
import static org.awaitility.Awaitility.await;

import io.indexview.cli.Cli;
import io.indexview.local.ConnectClient;
import io.indexview.local.LocalStack;
import io.indexview.local.PartName;
import io.indexview.local.StackConfig;
import io.indexview.local.StackException;
import io.indexview.schemas.config.ConfigFile;
import io.indexview.schemas.fixtures.ExhaustiveTier;
import io.indexview.server.IndexviewServer;
import io.indexview.server.config.ServerConfig;
import io.indexview.streams.app.IndexViewApp;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import kafka.admin.ConfigCommand;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.connect.cli.ConnectDistributed;
import org.apache.kafka.connect.runtime.Connect;
import org.apache.kafka.tools.AclCommand;
import org.apache.kafka.tools.TopicCommand;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The guide to TLS, SCRAM and ACLs, run as it stands. */
@Timeout(600)
@ExhaustiveTier
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SecuredClusterIT {
  private static final Path GUIDE = Path.of("..", "docs", "secure-kafka.md");
  private static final Path SAMPLES = Path.of("..", "connectors", "kvstore", "src", "main", "etc");
  private static final Duration START = Duration.ofMinutes(2);
  private static final Duration WAIT = Duration.ofMinutes(3);
  private static final String ANN = "{\"name\": \"Ann\", \"org\": \"Walk\"}";

  @TempDir private static Path directory;

  private static final Deque<AutoCloseable> RUNNING = new ArrayDeque<>();
  private static final Map<Path, Connect<?>> WORKERS = new LinkedHashMap<>();
  private static Process app;
  private static Path appLog;
  private static int sourcesPort;
  private static int sinksPort;
  private static URI server;
  private static LocalStack stores;

  @BeforeAll
  static void start() throws Exception {
    stores =
        LocalStack.start(
            StackConfig.builder()
                .dataDirectory(directory.resolve("stores"))
                .parts(PartName.REGISTRY, PartName.KV_STORE)
                .build());
    RUNNING.push(stores);
    sourcesPort = ChildJvm.freePort();
    sinksPort = ChildJvm.freePort();
    Map<String, String> here = new LinkedHashMap<>();
    here.put("kafka1.example.com:9092", "localhost:" + ChildJvm.freePort());
    here.put("kafka1.example.com:9093", "localhost:" + ChildJvm.freePort());
    here.put("kafka1.example.com:9094", "localhost:" + ChildJvm.freePort());
    here.put("kafka1.example.com", "localhost");
    here.put("/etc/indexview", directory.resolve("etc").toString());
    here.put("/var/lib/indexview", directory.resolve("var").toString());
    here.put(
        "/opt/connect/plugins", Files.createDirectory(directory.resolve("plugins")).toString());
    here.put("http://REGISTRY:8081", stores.registryUrl().toString());
    here.put("oracle://kv1.example.com:5000,kv2.example.com:5000/kvstore", stores.kvStoreUri());
    here.put("http.port=8085", "http.port=0");
    here.put("http.port=8480", "http.port=0");
    here.put(":8083", ":" + sourcesPort);
    here.put(":8084", ":" + sinksPort);
    new GuideScript(GUIDE, directory, here).run(programs());
    submit(sourcesPort, source());
    awaitTopicsOfTheApp();
    submit(sinksPort, sink());
  }

  /** A sink may not create its dead-letter topic. */
  private static void awaitTopicsOfTheApp() throws Exception {
    try (Admin admin = Admin.create(adminSettings())) {
      await()
          .atMost(START)
          .failFast("the app has ended, see " + appLog, () -> !app.isAlive())
          .until(() -> admin.listTopics().names().get().contains("indexview.dead-letters.kv"));
    }
  }

  private static Map<String, GuideScript.Program> programs() {
    return Map.of(
        "kafka-storage.sh",
        (words, environment) -> format(words),
        "kafka-server-start.sh",
        (words, environment) -> startBroker(Path.of(words.get(1))),
        "kafka-configs.sh",
        (words, environment) -> ConfigCommand.main(words.toArray(String[]::new)),
        "kafka-acls.sh",
        (words, environment) -> AclCommand.main(words.toArray(String[]::new)),
        "kafka-topics.sh",
        (words, environment) -> run(TopicCommand.class, words),
        "connect-distributed.sh",
        (words, environment) -> startWorker(Path.of(words.get(1))),
        "indexview-app",
        SecuredClusterIT::startApp,
        "indexview-server",
        (words, environment) -> startServer(Path.of(words.get(1)), environment));
  }

  private static void format(List<String> words) {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(output, true, StandardCharsets.UTF_8);
    assertThat(StorageTool.execute(words.toArray(String[]::new), out))
        .as(output::toString)
        .isZero();
  }

  private static void run(Class<?> main, List<String> words) throws Exception {
    Process process =
        ChildJvm.of("128m", List.of(), main, words.toArray(String[]::new)).inheritIO().start();
    assertThat(process.waitFor()).isZero();
  }

  private static void startBroker(Path file) throws Exception {
    Properties properties = Utils.loadProps(file.toString());
    properties.setProperty("authorizer.class.name", RecordingAuthorizer.class.getName());
    properties.setProperty("offsets.topic.num.partitions", "4");
    properties.setProperty("transaction.state.log.num.partitions", "4");
    properties.setProperty("group.initial.rebalance.delay.ms", "0");
    properties.setProperty("log.cleaner.dedupe.buffer.size", "2097152");
    KafkaRaftServer broker =
        new KafkaRaftServer(KafkaConfig.fromProps(properties, false), Time.SYSTEM);
    broker.startup();
    RUNNING.push(
        () -> {
          broker.shutdown();
          broker.awaitShutdown();
        });
  }

  private static void startApp(List<String> words, Map<String, String> environment)
      throws IOException {
    appLog = directory.resolve("app.log");
    ProcessBuilder builder =
        ChildJvm.of("256m", List.of(), IndexViewApp.class, words.toArray(String[]::new))
            .redirectErrorStream(true)
            .redirectOutput(appLog.toFile());
    builder.environment().putAll(environment);
    // What is dropped goes at once.
    builder.environment().put("INDEXVIEW_APP_GENERATION_GRACE_MS", "1000");
    app = builder.start();
    RUNNING.push(() -> app.destroyForcibly().waitFor());
  }

  private static void startServer(Path file, Map<String, String> environment) throws IOException {
    IndexviewServer started =
        IndexviewServer.start(
            ServerConfig.parse(ConfigFile.read(file, "INDEXVIEW_SERVER_", environment)));
    RUNNING.push(started);
    server = started.address();
  }

  private static void startWorker(Path file) throws IOException {
    Thread thread = Thread.currentThread();
    ClassLoader outside = thread.getContextClassLoader();
    try {
      Map<String, String> properties = Utils.propsToStringMap(Utils.loadProps(file.toString()));
      properties.put("offset.flush.interval.ms", "500");
      WORKERS.put(file, new ConnectDistributed().startConnect(properties));
    } finally {
      thread.setContextClassLoader(outside);
    }
  }

  private static Map<String, String> sample(String name) throws IOException {
    return Utils.propsToStringMap(Utils.loadProps(SAMPLES.resolve(name).toString()));
  }

  private static Map<String, String> source() throws IOException {
    Map<String, String> config = sample("kvstore-source.properties");
    config.putAll(
        Utils.propsToStringMap(
            Utils.loadProps(directory.resolve("kvstore-source.properties").toString())));
    config.keySet().removeIf(key -> key.startsWith("record.set.orders."));
    config.put("record.set.people.schema.file", directory.resolve("etc/person.avsc").toString());
    config.put("index.dir", directory.resolve("var/index").toString());
    config.put("scan.interval.ms", "500");
    config.put("scan.max.time.percent", "100");
    return local(config);
  }

  private static Map<String, String> sink() throws IOException {
    Map<String, String> config = sample("kvstore-sink.properties");
    config.put("consumer.override.metadata.max.age.ms", "500");
    return local(config);
  }

  private static Map<String, String> local(Map<String, String> config) {
    config.put("kvstore.uri", stores.kvStoreUri());
    config.replaceAll(
        (key, value) ->
            key.endsWith("schema.registry.url") ? stores.registryUrl().toString() : value);
    return config;
  }

  private static ConnectClient worker(int port) {
    return new ConnectClient(URI.create("http://127.0.0.1:" + port));
  }

  /** A right that is given holds a moment later. */
  private static void submit(int port, Map<String, String> config) throws Exception {
    ConnectClient worker = worker(port);
    worker.awaitMember(START, Duration.ofSeconds(5));
    await()
        .atMost(START)
        .ignoreExceptionsInstanceOf(StackException.class)
        .untilAsserted(
            () -> {
              worker.put(config.get("name"), config);
              worker.restart(config.get("name"));
              worker.awaitRunning(config.get("name"), START);
            });
  }

  @AfterAll
  static void stop() throws Exception {
    for (Connect<?> worker : WORKERS.values()) {
      worker.stop();
      worker.awaitStop();
    }
    while (!RUNNING.isEmpty()) {
      RUNNING.pop().close();
    }
  }

  private static String succeeds(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--server=" + server);
    Cli.Run run = Cli.execute(all.toArray(String[]::new));
    assertThat(run.exitCode()).as("%s: %s%s", List.of(arguments), run.out(), run.err()).isZero();
    return run.out();
  }

  private static Map<String, Object> adminSettings() throws IOException {
    Map<String, Object> settings =
        new HashMap<>(
            Utils.propsToStringMap(
                Utils.loadProps(
                    directory.resolve("etc/secrets/admin/client.properties").toString())));
    settings.put(
        "bootstrap.servers",
        Utils.loadProps(directory.resolve("etc/app.properties").toString())
            .getProperty("bootstrap.servers"));
    return settings;
  }

  /** The whole way, with all that the guide lets its users do; in the end the source is retired. */
  @Test
  @Order(1)
  void noRightIsMissing() throws Exception {
    // The app knows its record sets a moment after it made its topics.
    await()
        .atMost(START)
        .untilAsserted(
            () -> succeeds("views", "apply", "-f", definition("by-org").toString(), "--wait=2m"));
    succeeds("records", "put", "people", "/Corporate/people/1", ANN);
    awaitRow("by-org");
    succeeds("views", "rebuild", "by-org", "--from", "replay", "--wait=2m");
    succeeds("views", "rebuild", "by-org", "--from", "snapshot", "--wait=2m");
    succeeds("status");
    // The second repair looks for what is left of the first.
    for (int i = 0; i < 2; i++) {
      OutsideWrites.removeRows(stores.kvStoreUri());
      assertThat(succeeds("views", "verify", "by-org", "--repair", "--with-source"))
          .contains("missing, repaired", "rests on scan ");
      awaitRow("by-org");
    }

    OutsideWrites.putUnreadable(stores.kvStoreUri(), adminSettings());
    awaitOutput("rejected", "views", "show", "by-org");
    await().atMost(WAIT).untilAsserted(() -> assertThat(deadLetters()).isGreaterThanOrEqualTo(2));
    succeeds("records", "put", "people", "/Corporate/people/1", ANN);
    succeeds("records", "put", "people", "/Corporate/people/2", ANN);
    succeeds("views", "drop", "by-org");
    await()
        .atMost(WAIT)
        .untilAsserted(() -> assertThat(succeeds("views", "list")).doesNotContain("by-org"));
    worker(sourcesPort).delete("kvstore-source");
    succeeds("sources", "retire", "corporate");

    assertThat(RecordingAuthorizer.takeDenied()).isEmpty();
  }

  private static void awaitOutput(String part, String... command) {
    await()
        .atMost(WAIT)
        .untilAsserted(
            () ->
                assertThat(succeeds(command)).as("%s", contentOf(appLog.toFile())).contains(part));
  }

  private static Path definition(String view) throws IOException {
    return Files.writeString(
        directory.resolve(view + ".yaml"),
        "name: %s\nsource: people\nkey: [org]\nshardKey: 1\ntarget: kv\n".formatted(view));
  }

  private static void awaitRow(String view) {
    awaitOutput("/Corporate/people/1", "query", view, "org=Walk");
  }

  /** Those of source and app. */
  private static long deadLetters() throws Exception {
    TopicPartition topic = new TopicPartition("indexview.dead-letters", 0);
    try (Admin admin = Admin.create(adminSettings())) {
      return admin
          .listOffsets(Map.of(topic, OffsetSpec.latest()))
          .partitionResult(topic)
          .get()
          .offset();
    }
  }

  private static Collection<AclBinding> acls() throws Exception {
    try (Admin admin = Admin.create(adminSettings())) {
      return admin.describeAcls(AclBindingFilter.ANY).values().get();
    }
  }

  private static void without(String user, String resource, Check check) throws Exception {
    List<AclBinding> taken =
        acls().stream()
            .filter(acl -> acl.entry().principal().equals("User:" + user))
            .filter(acl -> acl.pattern().name().equals(resource))
            .toList();
    assertThat(taken).isNotEmpty();
    try (Admin admin = Admin.create(adminSettings())) {
      // The broker may refuse a little longer than until the rights of the last time are back.
      RecordingAuthorizer.takeDenied();
      admin.deleteAcls(taken.stream().map(AclBinding::toFilter).toList()).all().get();
      try {
        check.run();
      } finally {
        admin.createAcls(taken).all().get();
      }
      assertThat(RecordingAuthorizer.takeDenied())
          .isNotEmpty()
          .allMatch(asked -> asked.principal().equals("User:" + user))
          .allMatch(asked -> asked.resource().name().equals(resource));
    }
  }

  private interface Check {
    void run() throws Exception;
  }

  @Test
  @Order(2)
  void aMissingRightIsNamedByWhoLacksIt() throws Exception {
    without(
        "sources",
        "indexview.changes.people",
        () ->
            assertThatThrownBy(() -> worker(sourcesPort).put("kvstore-source", source()))
                .hasMessageContainingAll(
                    "indexview.changes.people", "kafka.*", "authorization failed"));
    submit(sourcesPort, source());
    without(
        "app",
        "connect-indexview-kvstore-sink",
        () -> {
          succeeds("views", "apply", "-f", definition("by-org").toString());
          awaitOutput(
              "a right in Kafka that the application's user lacks: FindCoordinator request for groupId `CoordinatorKey(idValue='connect-indexview-kvstore-sink'",
              "views",
              "show",
              "by-org");
        });
    succeeds("views", "wait", "by-org", "--timeout", "2m");
    awaitRow("by-org");
    withoutRightToWrite("by-org");
    without(
        "app",
        "indexview.changes.people",
        () -> {
          assertThat(app.waitFor(WAIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
          assertThat(app.exitValue()).isEqualTo(1);
          assertThat(appLog)
              .content()
              .contains("Not authorized to access topics: [indexview.changes.people]");
        });
  }

  /** The app goes on without the view, and a build makes up for what it missed. */
  private static void withoutRightToWrite(String view) throws Exception {
    ResourcePattern topics =
        new ResourcePattern(
            ResourceType.TOPIC, "indexview.view.kv." + view + ".", PatternType.PREFIXED);
    AclBinding denied =
        new AclBinding(
            topics,
            new AccessControlEntry("User:app", "*", AclOperation.WRITE, AclPermissionType.DENY));
    try (Admin admin = Admin.create(adminSettings())) {
      admin.createAcls(List.of(denied)).all().get();
      succeeds("records", "put", "people", "/Corporate/people/1", ANN.replace("Walk", "Sales"));
      awaitOutput("refuses rows", "views", "show", view);
      admin.deleteAcls(List.of(denied.toFilter())).all().get();
    }
    succeeds("records", "put", "people", "/Corporate/people/1", ANN);
    succeeds("views", "rebuild", view, "--wait=2m");
    awaitRow(view);
  }

  /** After all that was done before; the app ended, so the server sees how far it is behind. */
  @Test
  @Order(3)
  void everyRightIsNeeded() throws Exception {
    succeeds("records", "put", "people", "/Corporate/people/1", ANN);
    succeeds("views", "show", "by-org");
    // A worker that finds its topics looks at their settings.
    for (Connect<?> worker : WORKERS.values()) {
      worker.stop();
      worker.awaitStop();
    }
    for (Path file : List.copyOf(WORKERS.keySet())) {
      startWorker(file);
    }
    worker(sourcesPort).awaitMember(START, Duration.ofSeconds(5));
    worker(sinksPort).awaitMember(START, Duration.ofSeconds(5));

    assertThat(RecordingAuthorizer.unneeded(acls())).isEmpty();
  }
}
