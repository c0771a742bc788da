package io.indexview.demo.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.client.admin.ViewAdmin;
import io.indexview.client.admin.ViewStatus;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.open.KvStores;
import io.indexview.local.LocalStack;
import io.indexview.local.PartName;
import io.indexview.local.Poll;
import io.indexview.local.StackConfig;
import io.indexview.local.pipeline.AppLauncher;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.fixtures.ExhaustiveTier;
import io.indexview.schemas.progress.GroupProgress;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.verification.ViewVerifier.Verification;
import io.indexview.views.definition.ViewGeneration;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Connect worker of source and sink is killed at random moments, while records change and are
 * scanned and rows are written; so is the store that it has open, and the application beside it.
 * Then every view is exact. How often: system property {@code kills}; which moments: {@code seed}.
 * Figures are in {@code target/worker-crash/figures.txt}.
 */
@ExhaustiveTier
@Timeout(1_800)
class WorkerCrashIT {
  private static final int KILLS = Integer.getInteger("kills", 1);
  private static final long SEED = Long.getLong("seed", System.nanoTime());
  private static final Duration TIMEOUT = Duration.ofMinutes(4);
  private static final int PARTITIONS = 4;
  private static final int MIN_CHANGES = 200;
  private static final int MAX_CHANGES = 1_500;
  private static final String SOURCE = "crash-source";
  private static final String SINK = "crash-sink";

  private static final Map<String, String> VIEWS =
      Map.of(
          "orders-by-customer",
          "key: [customer]\ninclude: [amount]\nlayout: key-value\ntarget: kv\n",
          "orders-by-day",
          "key: [day, amount]\nshardKey: 1\ntarget: kv\n",
          "orders-of-day",
          "key: [day]\nlayout: list\ntarget: kv\n");

  @TempDir private Path directory;

  private final Path logs = Path.of("target", "worker-crash");
  private final SplittableRandom random = new SplittableRandom(SEED);
  private final List<String> figures = new ArrayList<>();
  private LocalStack stack;
  private Topics topics;
  private String storeUri;
  private ViewAdmin admin;
  private GroupProgress progress;
  private ControlTable<SourceState> sources;

  @Test
  void endsWithExactRowsHoweverOftenTheWorkerIsKilled() throws Exception {
    figures.add("seed " + SEED);
    Files.createDirectories(logs);
    storeUri = "embedded:" + directory.resolve("store");
    StackConfig config =
        StackConfig.builder()
            .dataDirectory(directory.resolve("data"))
            .parts(PartName.BROKER, PartName.REGISTRY)
            .build();
    topics = config.topics();
    try (LocalStack started = LocalStack.start(config);
        Admin kafka = Admin.create(kafka(started));
        Consumer<byte[], byte[]> reader = ControlTable.consumer(kafka(started));
        SchemaRegistry registry =
            SchemaRegistries.create(
                Map.of("schema.registry.url", started.registryUrl().toString()));
        ControlTable<SourceState> states = states(started, registry);
        ViewAdmin connected =
            ViewAdmin.connect(kafka(started), topics, registry, Clock.systemUTC())) {
      stack = started;
      admin = connected;
      progress = new GroupProgress(kafka, reader);
      sources = states;
      stack.createChangeTopics(List.of(Orders.NAME), PARTITIONS);
      try (AutoCloseable app = AppLauncher.inProcess().launch(appConfig())) {
        assertThat(app).isNotNull();
        killAndSettle();
      }
      assertExact();
    } finally {
      Files.write(logs.resolve("figures.txt"), figures);
    }
  }

  private ControlTable<SourceState> states(LocalStack of, SchemaRegistry registry) {
    return new ControlTable<>(
        topics.sourceStates(),
        ControlTable.consumer(kafka(of)),
        new AvroDeserializer(registry, ControlSchemas.SOURCE_STATE),
        SourceState::of);
  }

  private static Map<String, Object> kafka(LocalStack stack) {
    return Map.of("bootstrap.servers", stack.bootstrapServers());
  }

  private void killAndSettle() throws Exception {
    for (int run = 1; run <= KILLS; run++) {
      try (WorkerProcess worker = WorkerProcess.start(stack, storeUri, logs, run)) {
        deploy(worker);
        awaitWork();
        worker.kill();
      }
    }
    try (WorkerProcess worker = WorkerProcess.start(stack, storeUri, logs, KILLS + 1)) {
      awaitWork();
      settle(worker.quiet());
    }
  }

  private void deploy(WorkerProcess worker) throws Exception {
    ConnectorConfigs configs = new ConnectorConfigs(stack, storeUri, directory);
    worker.connect().put(SOURCE, configs.kvSource());
    worker.connect().put(SINK, configs.kvSink());
  }

  /** Returns at a moment like any other of a worker that scans and writes. */
  private void awaitWork() throws Exception {
    long since = System.nanoTime();
    long published = published();
    long applied = applied();
    await("rows of this worker", () -> applied() > applied);
    long until = published() + random.nextInt(MIN_CHANGES, MAX_CHANGES);
    await("changes", () -> published() >= until);
    figures.add(
        "after %.1f s: %d changes published, %d offsets of views applied; sink behind in %d partitions"
            .formatted(
                (System.nanoTime() - since) / 1e9,
                published() - published,
                applied() - applied,
                progress.behind("connect-" + SINK, viewTopics()).size()));
  }

  private long published() {
    return sum(progress.ends(List.of(changes())).values());
  }

  private long applied() {
    return sum(progress.committed("connect-" + SINK).values());
  }

  private static long sum(Collection<Long> offsets) {
    return offsets.stream().mapToLong(Long::longValue).sum();
  }

  private String changes() {
    return topics.changes(Orders.NAME);
  }

  private List<ViewGeneration> serving() {
    return admin.list().stream()
        .flatMap(view -> view.state().flatMap(ViewState::serving).stream())
        .map(serving -> ViewGeneration.fromJson(serving.description()))
        .toList();
  }

  private List<String> viewTopics() {
    return serving().stream().map(ViewGeneration::viewTopic).toList();
  }

  private void settle(long quietSince) throws Exception {
    await("a scan after the last change", () -> hasScannedSince(quietSince));
    await("the app to derive", () -> progress.behind("indexview", List.of(changes())).isEmpty());
    await(
        "the views to be READY",
        () ->
            admin.list().size() == VIEWS.size()
                && admin.list().stream().allMatch(ViewStatus::ready));
    await("the sink to apply", () -> progress.behind("connect-" + SINK, viewTopics()).isEmpty());
  }

  private boolean hasScannedSince(long quietSince) {
    Collection<SourceState> sourcePartitions = sources.refresh().values();
    return !sourcePartitions.isEmpty()
        && sourcePartitions.stream()
            .allMatch(
                sourcePartition ->
                    sourcePartition.upToDate().stream()
                        .anyMatch(scan -> scan.startedAtMs() >= quietSince));
  }

  private void assertExact() {
    assertThat(serving()).hasSize(VIEWS.size());
    try (KvStore store = KvStores.open(storeUri)) {
      for (ViewGeneration generation : serving()) {
        Verification verification = Orders.verify(store, generation);
        figures.add("%s: %s".formatted(generation.view(), verification));
        assertThat(verification.exact()).as("%s: %s", generation.view(), verification).isTrue();
        assertThat(verification.rows()).isPositive();
      }
    }
    assertThat(progress.ends(List.of(topics.deadLetters(), topics.deadLetters("kv"))).values())
        .containsOnly(0L);
  }

  private String phases() {
    return admin.list().stream()
        .map(view -> "%s is %s: %s".formatted(view.view(), view.phase(), view.reason()))
        .collect(Collectors.joining("; "));
  }

  private void await(String what, Callable<Boolean> condition) throws Exception {
    Poll.until(
        () -> condition.call() ? Optional.of(true) : Optional.empty(),
        TIMEOUT,
        () -> new IllegalStateException("waited in vain for " + what + "; " + phases()));
  }

  private Map<String, String> appConfig() throws Exception {
    Path views = Files.createDirectories(directory.resolve("views"));
    for (Map.Entry<String, String> view : VIEWS.entrySet()) {
      Files.writeString(
          views.resolve(view.getKey() + ".yaml"),
          "name: %s\nsource: %s\n%s".formatted(view.getKey(), Orders.NAME, view.getValue()));
    }
    Map<String, String> config = new HashMap<>();
    config.put("application.id", "indexview");
    config.put("bootstrap.servers", stack.bootstrapServers());
    config.put("schema.registry.url", stack.registryUrl().toString());
    config.put("views.dir", views.toString());
    config.put("state.dir", directory.resolve("streams").toString());
    config.put("http.port", "0");
    config.put("record.sets", Orders.NAME);
    config.put("record.set.orders.topic", changes());
    config.put("record.set.orders.schema.file", ConnectorConfigs.schemaFile(directory).toString());
    config.put("target.kv.sink.group", "connect-" + SINK);
    return config;
  }
}
