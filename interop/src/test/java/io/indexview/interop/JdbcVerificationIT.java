package io.indexview.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.indexview.client.admin.ViewAdmin;
import io.indexview.local.LocalStack;
import io.indexview.local.PartName;
import io.indexview.local.StackConfig;
import io.indexview.schemas.control.VerificationOptions;
import io.indexview.schemas.control.VerificationOptions.Limits;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewVerification;
import io.indexview.schemas.control.ViewVerification.Case;
import io.indexview.schemas.control.ViewVerification.Counts;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.schemas.control.ViewVerification.Status;
import io.indexview.schemas.progress.KafkaAnswers;
import io.indexview.schemas.registry.RegistryConfig;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.streams.app.IndexViewApp;
import io.indexview.streams.config.AppConfig;
import io.indexview.verification.TargetReader;
import io.indexview.verification.jdbc.JdbcRows;
import io.indexview.verification.live.VerificationAdmin;
import io.indexview.verification.live.VerificationLog;
import io.indexview.verification.live.VerificationWorker;
import io.indexview.views.definition.ViewGeneration;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDate;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * While half of the parcels change all the time, somebody else writes into the tables that
 * Debezium's JDBC sink keeps as the guide configures it. Verification finds exactly that.
 */
@Timeout(900)
class JdbcVerificationIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(3);
  private static final int RECORDS = 400;
  private static final int RESTING = RECORDS / 2;
  private static final int CHANGE_MS =
      1_000 / Math.min(100, Integer.getInteger("verification.rate", 20));
  private static final String TOPIC = "depots.parcels";
  private static final String BY_DEPOT = "parcels-by-depot";
  private static final String DOCUMENTS = "parcels";
  private static final VerificationOptions REPAIR =
      new VerificationOptions(Limits.NONE, VerificationOptions.ALL, false, true, true);
  private static final Schema SCHEMA =
      new Schema.Parser()
          .parse(
              """
              {"type": "record", "name": "Parcel", "namespace": "test", "fields": [
                {"name": "depot", "type": "string"},
                {"name": "due", "type": {"type": "int", "logicalType": "date"}},
                {"name": "pieces", "type": "int"},
                {"name": "note", "type": ["null", "string"]}]}
              """);

  private static final Map<Integer, GenericRecord> published = new TreeMap<>();
  private static final Random random = new Random(11);
  private static TestPostgres database;
  private static LocalStack stack;
  private static SchemaRegistry registry;
  private static Producer<byte[], byte[]> producer;
  private static AvroSerializer<GenericRecord> serializer;
  private static IndexViewApp app;
  private static ViewAdmin views;
  private static VerificationLog log;
  private static VerificationAdmin verifications;
  private static VerificationWorker worker;

  @BeforeAll
  static void start(@TempDir Path directory) throws Exception {
    database = TestPostgres.start(Map.of());
    database.execute(
        """
        CREATE ROLE reader LOGIN;
        ALTER DEFAULT PRIVILEGES FOR ROLE postgres GRANT SELECT ON TABLES TO reader;
        """);
    stack =
        LocalStack.start(
            StackConfig.builder()
                .parts(PartName.BROKER, PartName.CONNECT)
                .pluginPath(Path.of("target", "plugins"))
                .build());
    registry =
        SchemaRegistries.create(Map.of(RegistryConfig.URL_CONFIG, stack.registryUrl().toString()));
    producer = new KafkaProducer<>(kafka(), new ByteArraySerializer(), new ByteArraySerializer());
    serializer = new AvroSerializer<>(registry, false);
    try (Admin admin = Admin.create(kafka())) {
      KafkaAnswers.await(admin.createTopics(List.of(new NewTopic(TOPIC, 2, (short) 1))).all());
    }
    for (int number = 0; number < RECORDS; number++) {
      publish(number);
    }
    app = IndexViewApp.start(AppConfig.parse(appConfig(directory)));
    app.awaitRunning(TIMEOUT);
    stack.connect().put("files-jdbc", sink());
    views = ViewAdmin.connect(kafka(), stack.topics(), registry, Clock.systemUTC());
    for (String view : List.of(BY_DEPOT, DOCUMENTS)) {
      views.awaitReady(view, OptionalLong.empty(), TIMEOUT, status -> {});
    }
    log = VerificationLog.connect(kafka(), stack.topics(), registry);
    verifications =
        new VerificationAdmin(
            log, views::serving, generation -> rows(generation).orElseThrow(), Clock.systemUTC());
    worker =
        VerificationWorker.start(
            log,
            kafka(),
            new VerificationWorker.Settings(directory.resolve("rows"), 1 << 20),
            views,
            JdbcVerificationIT::rows);
  }

  @AfterAll
  static void stop() throws Exception {
    for (AutoCloseable part :
        new AutoCloseable[] {worker, log, views, app, producer, registry, stack, database}) {
      if (part != null) {
        part.close();
      }
    }
  }

  private static Map<String, Object> kafka() {
    return Map.of("bootstrap.servers", stack.bootstrapServers());
  }

  private static Optional<TargetReader> rows(ViewGeneration generation) {
    return Optional.of(new JdbcRows(database.target("reader", 50), generation));
  }

  private static Map<String, String> sink() throws IOException {
    Map<String, String> config = JdbcSinkIT.sinkConfig(database);
    config.remove("name");
    for (String part : List.of("key.converter", "value.converter")) {
      config.put(part + ".schema.registry.url", stack.registryUrl().toString());
    }
    config.put("consumer.override.metadata.max.age.ms", "500");
    return config;
  }

  private static Map<String, String> appConfig(Path directory) throws IOException {
    Path definitions = Files.createDirectories(directory.resolve("views"));
    Files.writeString(
        definitions.resolve("by-depot.yaml"),
        """
        name: parcels-by-depot
        source: parcels
        key: [depot, due]
        include: [pieces, note]
        target: jdbc
        """);
    Files.writeString(
        definitions.resolve("documents.yaml"),
        """
        name: parcels
        source: parcels
        kind: document
        target: jdbc
        """);
    Path schema = Files.writeString(directory.resolve("parcel.avsc"), SCHEMA.toString());
    Map<String, String> config = new HashMap<>();
    config.put("application.id", "parcels");
    config.put("bootstrap.servers", stack.bootstrapServers());
    config.put("schema.registry.url", stack.registryUrl().toString());
    config.put("topic.prefix", stack.topics().prefix());
    config.put("record.sets", "parcels");
    config.put("record.set.parcels.topic", TOPIC);
    config.put("record.set.parcels.format", "flat");
    config.put("record.set.parcels.complete", "topic");
    config.put("record.set.parcels.schema.file", schema.toString());
    config.put("connect.targets", "jdbc");
    config.put("target.jdbc.sink.group", "connect-files-jdbc");
    config.put("views.dir", definitions.toString());
    config.put("state.dir", directory.resolve("state").toString());
    config.put("http.port", "0");
    return config;
  }

  private static void publish(int number) {
    GenericRecord parcel = new GenericData.Record(SCHEMA);
    parcel.put("depot", "depot " + random.nextInt(9));
    parcel.put("due", 17_000 + random.nextInt(300));
    parcel.put("pieces", random.nextInt(1_000));
    parcel.put("note", random.nextBoolean() ? null : "note " + random.nextInt());
    byte[] key = key(number).getBytes(StandardCharsets.UTF_8);
    KafkaAnswers.await(
        producer.send(new ProducerRecord<>(TOPIC, key, serializer.serialize(TOPIC, parcel))));
    published.put(number, parcel);
  }

  private static String key(int number) {
    return "parcel-" + number;
  }

  @Test
  void findsAndMendsExactlyWhatSomebodyElseWroteWhileParcelsChange() throws Exception {
    ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    Future<?> load =
        thread.scheduleAtFixedRate(
            () -> publish(random.nextInt(RESTING)), 0, CHANGE_MS, TimeUnit.MILLISECONDS);
    try {
      findsAndMends(BY_DEPOT, "json_build_array(depot, due::text, \"_primaryKey\")", true);
      findsAndMends(DOCUMENTS, "json_build_array(\"_primaryKey\")", false);
      assertThat(load).as("parcels changed all the time").isNotDone();
    } finally {
      thread.shutdown();
      assertThat(thread.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }
    for (String view : List.of(BY_DEPOT, DOCUMENTS)) {
      // App and sink come to the last parcels a moment later.
      await().atMost(TIMEOUT).untilAsserted(() -> assertHoldsWhatWasPublished(view));
      assertThat(verify(view).run().counts().right()).isEqualTo(RECORDS);
    }
  }

  private static void assertHoldsWhatWasPublished(String view) throws Exception {
    assertThat(
            database.rows(
                "SELECT \"_primaryKey\", depot, due, pieces, note FROM %s ORDER BY 1"
                    .formatted(table(view))))
        .containsExactlyInAnyOrderElementsOf(
            published.entrySet().stream().map(JdbcVerificationIT::text).toList());
  }

  private static String text(Map.Entry<Integer, GenericRecord> parcel) {
    GenericRecord value = parcel.getValue();
    return "%s|%s|%s|%s|%s"
        .formatted(
            key(parcel.getKey()),
            value.get("depot"),
            LocalDate.ofEpochDay((Integer) value.get("due")),
            value.get("pieces"),
            value.get("note"));
  }

  private static String table(String view) {
    return "\"%s_view_jdbc_%s_1\"".formatted(stack.topics().prefix(), view);
  }

  /**
   * @param hasParts whether the key of rows has fields of the parcels
   */
  private static void findsAndMends(String view, String id, boolean hasParts) throws Exception {
    ViewVerification before = verify(view);
    assertThat(before.run().cases()).isEmpty();
    assertThat(before.run().counts().scanned()).isGreaterThanOrEqualTo(RESTING);

    Map<Kind, Set<String>> faults = tamper(table(view), id, hasParts);
    ViewVerification found = verify(view);
    assertThat(byKind(found)).isEqualTo(faults);
    awaitState(view, ViewState.State.DEGRADED, found.id());

    ViewVerification repaired = verify(view, REPAIR);
    assertThat(byKind(repaired)).isEqualTo(faults);
    assertThat(repaired.run().cases())
        .allSatisfy(one -> assertThat(one.repaired()).isEqualTo(one.kind() != Kind.UNDECODABLE));
    Counts counts = repaired.run().counts();
    assertThat(counts.repaired()).isEqualTo(counts.wrong()).isPositive();
    assertThat(counts.unexpected().removed()).isZero();
    awaitState(view, ViewState.State.READY, "");

    database.execute("DELETE FROM %s WHERE due = 'infinity'".formatted(table(view)));
    assertThat(verify(view).run().cases()).isEmpty();
    awaitState(view, ViewState.State.READY, "");
  }

  /** Writes into rows of parcels that rest, and tells what is wrong then. */
  private static Map<Kind, Set<String>> tamper(String table, String id, boolean hasParts)
      throws Exception {
    Map<Kind, Set<String>> faults = new EnumMap<>(Kind.class);
    for (Kind kind : List.of(Kind.MISSING, Kind.EXTRA, Kind.DIFFERENT)) {
      faults.put(kind, new TreeSet<>());
    }
    // Altered, deleted, two exchanged, of an older revision.
    faults.get(Kind.DIFFERENT).addAll(ids(table, id, 300, 302, 303, 306));
    faults.get(Kind.MISSING).addAll(ids(table, id, 301));
    database.execute(
        """
        UPDATE %1$s SET pieces = pieces + 1 WHERE "_primaryKey" = 'parcel-300';
        DELETE FROM %1$s WHERE "_primaryKey" = 'parcel-301';
        UPDATE %1$s t SET pieces = o.pieces, note = o.note || 'x', "_revision" = o."_revision" FROM %1$s o
          WHERE t."_primaryKey" = 'parcel-302' AND o."_primaryKey" = 'parcel-303'
            OR t."_primaryKey" = 'parcel-303' AND o."_primaryKey" = 'parcel-302';
        UPDATE %1$s SET "_revision" = 0 WHERE "_primaryKey" = 'parcel-306';
        INSERT INTO %1$s ("_primaryKey", depot, due, pieces, note, "_revision")
          SELECT 'nobody-' || i, 'depot', date '2020-01-01', 1, NULL, 1000000 FROM generate_series(1, 3) i;
        """
            .formatted(table));
    faults.get(Kind.EXTRA).addAll(ids(table, id, "\"_primaryKey\" LIKE 'nobody-%'"));
    if (hasParts) {
      // Moved, planted beside the right one, and beside it with a key that none can have.
      faults.get(Kind.MISSING).addAll(ids(table, id, 305));
      database.execute(
          """
          UPDATE %1$s SET depot = 'elsewhere' WHERE "_primaryKey" = 'parcel-305';
          INSERT INTO %1$s ("_primaryKey", depot, due, pieces, note, "_revision")
            SELECT "_primaryKey", 'planted', due, pieces, note, "_revision" FROM %1$s
              WHERE "_primaryKey" = 'parcel-304';
          INSERT INTO %1$s ("_primaryKey", depot, due, pieces, note, "_revision")
            SELECT "_primaryKey", depot, 'infinity', pieces, note, "_revision" FROM %1$s
              WHERE "_primaryKey" = 'parcel-307';
          """
              .formatted(table));
      faults.get(Kind.EXTRA).addAll(ids(table, id, "depot IN ('elsewhere', 'planted')"));
      faults.put(
          Kind.UNDECODABLE,
          Set.copyOf(
              ids(table, id, "due = 'infinity'").stream()
                  .map(one -> one.replace("infinity", LocalDate.MAX.toString()))
                  .toList()));
    }
    return faults;
  }

  private static List<String> ids(String table, String id, Integer... numbers) throws Exception {
    List<String> keys = List.of(numbers).stream().map(it -> "'" + key(it) + "'").toList();
    List<String> ids = ids(table, id, "\"_primaryKey\" IN (%s)".formatted(String.join(", ", keys)));
    assertThat(ids).hasSameSizeAs(numbers);
    return ids;
  }

  private static List<String> ids(String table, String id, String where) throws Exception {
    return database.rows("SELECT %s FROM %s WHERE %s".formatted(id, table, where)).stream()
        .map(one -> one.replace("\", \"", "\",\""))
        .toList();
  }

  private static void awaitState(String view, ViewState.State state, String reason) {
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> {
              ViewState shown = views.serving(view).state();
              assertThat(shown.state()).as(shown.reason()).isEqualTo(state);
              assertThat(shown.reason()).contains(reason);
            });
  }

  private static ViewVerification verify(String view) {
    return verify(view, VerificationOptions.DEFAULT);
  }

  private static ViewVerification verify(String view, VerificationOptions options) {
    String id = verifications.request(view, options).id();
    ViewVerification over =
        await()
            .atMost(TIMEOUT)
            .until(() -> verifications.get(view, id).orElseThrow(), one -> one.status().isOver());
    assertThat(over.status()).as(over.run().step()).isEqualTo(Status.DONE);
    return over;
  }

  private static Map<Kind, Set<String>> byKind(ViewVerification verification) {
    Map<Kind, Set<String>> found = new EnumMap<>(Kind.class);
    for (Case one : verification.run().cases()) {
      found.computeIfAbsent(one.kind(), kind -> new TreeSet<>()).add(one.key());
    }
    return found;
  }
}
