package io.indexview.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.common.collect.Iterators;
import io.indexview.client.verify.DynamoDbRows;
import io.indexview.client.verify.KvRows;
import io.indexview.client.verify.PrimaryRecord;
import io.indexview.client.verify.TargetRows;
import io.indexview.client.verify.Verification;
import io.indexview.client.verify.ViewVerifier;
import io.indexview.dynamodb.ItemStore;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.local.LocalStack;
import io.indexview.local.PartName;
import io.indexview.local.StackConfig;
import io.indexview.local.pipeline.Settling;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.progress.GroupProgress;
import io.indexview.views.definition.ViewGeneration;
import java.io.IOException;
import java.io.Reader;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The distribution on a cluster of two Connect workers, with the configurations that it ships: only
 * addresses are another's, and times are shorter. A follower and the leader are killed while
 * records and files change. Then every view is exact. Logs are in {@code target/connect-cluster}.
 */
@Timeout(900)
class ConnectClusterIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(3);
  private static final int PARTITIONS = 4;
  private static final int WORK = 100;
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

  @TempDir private static Path directory;

  private final Path logs = Path.of("target", "connect-cluster");
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private Path home;
  private LocalStack stack;
  private Process app;
  private ConnectWorker leader;
  private ConnectWorker follower;
  private GroupProgress progress;

  @BeforeEach
  void start() throws Exception {
    home = Unpacked.distribution(directory);
    Files.createDirectories(logs);
    stack =
        LocalStack.start(
            StackConfig.builder()
                .dataDirectory(directory.resolve("data"))
                .parts(
                    PartName.BROKER,
                    PartName.REGISTRY,
                    PartName.KV_STORE,
                    PartName.S3,
                    PartName.SQS,
                    PartName.DYNAMODB)
                .serveKvStore()
                .bucket(Load.BUCKET)
                .build());
    opened.push(stack);
    stack.createChangeTopics(RECORD_SETS, PARTITIONS);
    for (Map.Entry<String, String> file : Load.SCHEMAS.entrySet()) {
      Files.writeString(schema(file.getKey()), file.getValue());
    }
    Map<String, Object> kafka = Map.of("bootstrap.servers", stack.bootstrapServers());
    Admin admin = Admin.create(kafka);
    opened.push(admin);
    Consumer<byte[], byte[]> reader = ControlTable.consumer(kafka);
    opened.push(reader);
    progress = new GroupProgress(admin, reader);
    startApp();
    startWorkers();
  }

  private Path schema(String recordSet) {
    return directory.resolve(recordSet + ".avsc");
  }

  private void startApp() throws IOException {
    Path views = Files.createDirectory(directory.resolve("views"));
    for (Map.Entry<String, String> view : VIEWS.entrySet()) {
      Files.writeString(
          views.resolve(view.getKey() + ".yaml"),
          "name: %s\n%s".formatted(view.getKey(), view.getValue()));
    }
    ProcessBuilder builder =
        new ProcessBuilder(
                home.resolve("bin/indexview-app").toString(),
                "--config",
                home.resolve("etc/app.properties").toString())
            .redirectErrorStream(true)
            .redirectOutput(logs.resolve("app.log").toFile());
    Map<String, String> environment = builder.environment();
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("INDEXVIEW_APP_BOOTSTRAP_SERVERS", stack.bootstrapServers());
    environment.put("INDEXVIEW_APP_SCHEMA_REGISTRY_URL", stack.registryUrl().toString());
    environment.put("INDEXVIEW_APP_RECORD_SETS", String.join(",", RECORD_SETS));
    for (String recordSet : List.of("people", "orders")) {
      environment.put(
          "INDEXVIEW_APP_RECORD_SET_%s_SCHEMA_FILE".formatted(recordSet.toUpperCase(Locale.ROOT)),
          schema(recordSet).toString());
    }
    environment.put(
        "INDEXVIEW_APP_RECORD_SET_FILES_SCHEMA_FILE",
        home.resolve("etc/schemas/FileRecord.avsc").toString());
    environment.put("INDEXVIEW_APP_VIEWS_DIR", views.toString());
    environment.put("INDEXVIEW_APP_STATE_DIR", directory.resolve("state").toString());
    environment.put("INDEXVIEW_APP_TOPIC_REPLICATION_FACTOR", "1");
    environment.put("INDEXVIEW_APP_HTTP_PORT", Integer.toString(freePort()));
    app = builder.start();
    opened.push(() -> app.destroyForcibly().waitFor());
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  /** The member that comes first leads the group. */
  private void startWorkers() throws Exception {
    Path plugins = Files.createDirectory(directory.resolve("plugins"));
    Unpacked.plugins(home, plugins);
    leader = worker(plugins);
    opened.push(leader);
    follower = worker(plugins);
    opened.push(follower);
    leader.start();
    follower.start();
  }

  private ConnectWorker worker(Path plugins) throws IOException {
    return ConnectWorker.of(
        freePort(),
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
            "AWS_ACCESS_KEY_ID", StackConfig.ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY", StackConfig.SECRET_KEY),
        logs);
  }

  @AfterEach
  void stop() throws Exception {
    while (!opened.isEmpty()) {
      opened.pop().close();
    }
  }

  @Test
  void keepsViewsExactWhenAFollowerAndTheLeaderAreKilled() throws Exception {
    deploy();
    Load load = Load.start(stack);
    try (load) {
      awaitWork();
      follower.kill();
      awaitWork();
      follower.start();
      leader.kill();
      awaitWork();
      leader.start();
    }
    assertThat(load.changes()).isGreaterThan(WORK);

    try (Settling settling =
        new Settling(stack, List.of("people", "orders"), List.of(), "indexview", view -> true)) {
      settling.settle(TIMEOUT);
      assertThat(settling.generations()).hasSize(VIEWS.size());
      try (KvStore store = stack.openKvStore();
          ItemStore items = stack.openItemStore()) {
        for (ViewGeneration generation : settling.generations()) {
          Verification verification = verify(generation, store, items);
          assertThat(verification.exact()).as("%s", verification).isTrue();
          assertThat(verification.rows()).isPositive();
        }
      }
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

  private void deploy() throws IOException {
    List<String> names = new ArrayList<>();
    for (String file : List.of("kvstore-source", "kvstore-sink", "s3-source", "dynamodb-sink")) {
      Map<String, String> config = sample(file);
      names.add(config.remove("name"));
      leader.client().put(names.get(names.size() - 1), config);
    }
    names.forEach(name -> follower.client().awaitRunning(name, TIMEOUT));
  }

  private Map<String, String> sample(String name) throws IOException {
    Properties sample = new Properties();
    try (Reader text =
        Files.newBufferedReader(home.resolve("etc/connectors/" + name + ".properties"))) {
      sample.load(text);
    }
    Map<String, String> config = new HashMap<>();
    sample.stringPropertyNames().forEach(key -> config.put(key, sample.getProperty(key)));
    addresses().forEach(config::replace);
    if (config.containsKey("s3.topic")) {
      config.put("s3.endpoint", stack.s3Url().toString());
      config.put("sqs.endpoint", stack.sqsUrl().toString());
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
        Map.entry("scan.interval.ms", "1000"));
  }

  /** Returns at a moment like any other, after every connector has done something. */
  private void awaitWork() {
    Map<String, Long> before = work();
    await()
        .atMost(TIMEOUT)
        .failFast("the app has ended, see " + logs, () -> !app.isAlive())
        .pollInterval(Duration.ofMillis(500))
        .untilAsserted(
            () ->
                work()
                    .forEach(
                        (what, done) ->
                            assertThat(done).as(what).isGreaterThan(before.get(what) + WORK)));
  }

  private Map<String, Long> work() {
    Map<String, Long> work =
        RECORD_SETS.stream()
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

  private Verification verify(ViewGeneration generation, KvStore store, ItemStore items) {
    String source = generation.definition().source();
    TargetRows rows =
        source.equals("orders")
            ? new DynamoDbRows(items, generation)
            : new KvRows(store, generation);
    if (source.equals("files")) {
      return ViewVerifier.verify(generation, Load.files(stack), rows, Set.of());
    }
    try (KvIterator<KvRecord> records = store.storeIterator(KvScan.under(Load.prefix(source)))) {
      Iterator<PrimaryRecord> primaries =
          Iterators.transform(records, record -> Load.primaryRecord(source, record));
      return ViewVerifier.verify(generation, primaries, rows, Set.of());
    }
  }
}
