package io.indexview.benchmarks.app;

import io.indexview.benchmarks.data.BenchViews;
import io.indexview.benchmarks.data.People;
import io.indexview.client.admin.ViewAdmin;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.RegistryConfig;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.MessageReader;
import io.indexview.schemas.serde.Subjects;
import io.indexview.streams.app.IndexViewApp;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.health.RecordSetCounters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The streams app with its views, as users start it. */
final class ShippedApp {
  private static final Duration START = Duration.ofMinutes(3);
  private static final String REGISTRY = "bench";
  private static final String REGISTRY_FILE = "registry";

  private ShippedApp() {}

  /** Returns when all tasks follow all views. */
  static IndexViewApp start(Entrant entrant) throws Exception {
    Path views = Files.createDirectories(entrant.directory().resolve("views"));
    for (Map.Entry<String, String> file : entrant.views().files().entrySet()) {
      Files.writeString(views.resolve(file.getKey() + ".yaml"), file.getValue());
    }
    Map<String, String> settings = new HashMap<>();
    settings.put(AppConfig.BOOTSTRAP_SERVERS_CONFIG, entrant.bootstrap());
    settings.put(RegistryConfig.URL_CONFIG, "mock://" + REGISTRY);
    settings.put(AppConfig.APPLICATION_ID_CONFIG, entrant.id());
    settings.put(AppConfig.TOPIC_PREFIX_CONFIG, entrant.id());
    settings.put(AppConfig.STATE_DIR_CONFIG, entrant.directory().resolve("state").toString());
    settings.put("http.port", "0");
    settings.put(AppConfig.VIEWS_DIR_CONFIG, views.toString());
    settings.put(AppConfig.THREADS_CONFIG, Integer.toString(Entrant.THREADS));
    settings.put(AppConfig.RECORD_SETS_CONFIG, People.NAME);
    String recordSet = "record.set." + People.NAME;
    RecordFormat format = entrant.kind().format();
    settings.put(recordSet + ".format", format.name().toLowerCase(Locale.ROOT));
    settings.put(recordSet + ".complete", "topic");
    settings.putAll(entrant.settings());
    SchemaRegistry registry = InMemorySchemaRegistry.shared(REGISTRY);
    loadRegistry(entrant, registry);
    registry.register(Subjects.value(entrant.changes()), Backlog.schema(format));
    AppConfig config = AppConfig.parse(settings);
    boolean transactions = entrant.kind() != Entrant.Kind.APP_AT_LEAST_ONCE;
    IndexViewApp app = IndexViewApp.start(transactions ? config : config.withoutTransactions());
    app.awaitRunning(START);
    awaitBuilt(entrant, registry, view -> true, entrant.generations().size());
    return app;
  }

  /**
   * Defines one view more, and waits until all tasks follow it. Returns how long that took in ns,
   * how long building took in ms, from the first task's first report to the last one's last, and
   * how many records were read.
   */
  static String addView(Entrant entrant) throws Exception {
    SchemaRegistry registry = InMemorySchemaRegistry.shared(REGISTRY);
    Map<String, Object> kafka =
        Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, entrant.bootstrap());
    long start = System.nanoTime();
    try (ViewAdmin admin =
        ViewAdmin.connect(kafka, new Topics(entrant.id()), registry, Clock.systemUTC())) {
      admin.apply("bench", BenchViews.ADDED_DEFINITION, OptionalLong.empty());
    }
    List<TaskProgress> reports = awaitBuilt(entrant, registry, BenchViews.ADDED::equals, 1);
    long taken = System.nanoTime() - start;
    LongSummaryStatistics times =
        reports.stream().mapToLong(TaskProgress::reportedAtMs).summaryStatistics();
    // A task may report once more while others build.
    Map<String, Long> records = new HashMap<>();
    reports.stream()
        .filter(report -> report.phase() == TaskProgress.Phase.BUILT)
        .forEach(report -> records.put(report.key(), report.done()));
    return "%d %d %d"
        .formatted(
            taken,
            times.getMax() - times.getMin(),
            records.values().stream().mapToLong(Long::longValue).sum());
  }

  /** How many entries of the state an app has read from RocksDB and written there. */
  static String disk(AutoCloseable app) {
    RecordSetCounters state = ((IndexViewApp) app).metrics().recordSet(People.NAME);
    return state.diskReads() + " " + state.diskWrites();
  }

  /** Lets a process that comes after this one, should it be killed, know the same schemas. */
  static void saveRegistry(Entrant entrant) throws IOException {
    InMemorySchemaRegistry registry = InMemorySchemaRegistry.shared(REGISTRY);
    Map<Integer, String> byId = new TreeMap<>();
    for (String subject : registry.subjects()) {
      registry
          .versions(subject)
          .forEach(
              version ->
                  byId.merge(
                      version.id(),
                      subject + "\t" + version.schema(),
                      (one, other) -> one + "\n" + other));
    }
    Files.write(entrant.directory().resolve(REGISTRY_FILE), byId.values());
  }

  /** Lets another instance know the schemas that this one has saved. */
  static void copyRegistry(Entrant from, Entrant to) throws IOException {
    Files.copy(
        from.directory().resolve(REGISTRY_FILE),
        to.directory().resolve(REGISTRY_FILE),
        StandardCopyOption.REPLACE_EXISTING);
  }

  /** Registers the schemas in their former order, so that each gets its id again. */
  static void loadRegistry(Entrant entrant, SchemaRegistry registry) throws IOException {
    Path file = entrant.directory().resolve(REGISTRY_FILE);
    if (Files.exists(file)) {
      for (String line : Files.readAllLines(file)) {
        String[] parts = line.split("\t", 2);
        registry.register(parts[0], new Schema.Parser().parse(parts[1]));
      }
    }
  }

  /** Returns all reports of the views, until each task has built all of them. */
  private static List<TaskProgress> awaitBuilt(
      Entrant entrant, SchemaRegistry registry, Predicate<String> views, int count)
      throws IOException {
    MessageReader reader = new MessageReader(registry);
    Map<String, Object> settings =
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            entrant.bootstrap(),
            ConsumerConfig.ISOLATION_LEVEL_CONFIG,
            "read_committed");
    List<TaskProgress> reports = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> progress = List.of(new TopicPartition(entrant.progress(), 0));
      consumer.assign(progress);
      consumer.seekToBeginning(progress);
      Set<String> built = new HashSet<>();
      long until = System.nanoTime() + START.toNanos();
      while (built.size() < count * Entrant.PARTITIONS) {
        if (System.nanoTime() > until) {
          throw new IOException("only %s were built in %s".formatted(built, START));
        }
        for (ConsumerRecord<byte[], byte[]> one : consumer.poll(Duration.ofSeconds(1))) {
          GenericRecord record = (GenericRecord) reader.read(one.topic(), one.value()).value();
          if (!TaskProgress.isIn(record)) {
            continue;
          }
          TaskProgress report = TaskProgress.of(record);
          if (views.test(report.view())) {
            reports.add(report);
            if (report.phase() == TaskProgress.Phase.BUILT) {
              built.add(report.key());
            }
          }
        }
      }
    }
    return reports;
  }
}
