package io.indexview.benchmarks.app;

import io.indexview.benchmarks.data.People;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.RegistryConfig;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.MessageReader;
import io.indexview.schemas.serde.Subjects;
import io.indexview.streams.app.IndexViewApp;
import io.indexview.streams.config.AppConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
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
    awaitBuilt(entrant, registry);
    return app;
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

  /** In the same order, so that each gets its id again. */
  private static void loadRegistry(Entrant entrant, SchemaRegistry registry) throws IOException {
    Path file = entrant.directory().resolve(REGISTRY_FILE);
    if (Files.exists(file)) {
      for (String line : Files.readAllLines(file)) {
        String[] parts = line.split("\t", 2);
        registry.register(parts[0], new Schema.Parser().parse(parts[1]));
      }
    }
  }

  private static void awaitBuilt(Entrant entrant, SchemaRegistry registry) throws IOException {
    MessageReader reader = new MessageReader(registry);
    Map<String, Object> settings =
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            entrant.bootstrap(),
            ConsumerConfig.ISOLATION_LEVEL_CONFIG,
            "read_committed");
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> progress = List.of(new TopicPartition(entrant.progress(), 0));
      consumer.assign(progress);
      consumer.seekToBeginning(progress);
      Set<String> built = new HashSet<>();
      int views = entrant.generations().size();
      long until = System.nanoTime() + START.toNanos();
      while (built.size() < views * Entrant.PARTITIONS) {
        if (System.nanoTime() > until) {
          throw new IOException("only %s were built in %s".formatted(built, START));
        }
        for (ConsumerRecord<byte[], byte[]> one : consumer.poll(Duration.ofSeconds(1))) {
          GenericRecord report = (GenericRecord) reader.read(one.topic(), one.value()).value();
          if (TaskProgress.isIn(report)
              && TaskProgress.of(report).phase() == TaskProgress.Phase.BUILT) {
            built.add(TaskProgress.of(report).key());
          }
        }
      }
    }
  }
}
