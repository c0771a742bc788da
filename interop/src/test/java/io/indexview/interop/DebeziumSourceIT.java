package io.indexview.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.indexview.client.admin.SourceAdmin;
import io.indexview.client.admin.ViewAdmin;
import io.indexview.client.read.IndexViewReader;
import io.indexview.client.read.IndexViewReaders;
import io.indexview.client.read.PageTokens;
import io.indexview.client.read.ReadOptions;
import io.indexview.client.read.ReaderConfig;
import io.indexview.client.read.RowPage;
import io.indexview.client.read.ViewQuery;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.open.KvStores;
import io.indexview.local.ConnectClient;
import io.indexview.local.LocalStack;
import io.indexview.local.PartName;
import io.indexview.local.StackConfig;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.registry.RegistryConfig;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.streams.app.IndexViewApp;
import io.indexview.streams.config.AppConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A table of PostgreSQL, captured by Debezium's connector, and views of it: with Avro, and with
 * JSON that has schemas and that has none. Its stories are too large for Debezium to have them of
 * each update.
 */
class DebeziumSourceIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(3);
  private static final String DATE = "2026-01-01";

  /** What encodes the events of a record set: its name, which the connector's topics begin with. */
  private enum Encoded {
    SHOP,
    SHOPJSON,
    SHOPPLAIN;

    String recordSet() {
      return name().toLowerCase(Locale.ROOT);
    }

    String topic() {
      return recordSet() + ".public.orders";
    }

    String view() {
      return recordSet() + "-by-date";
    }

    /** Its key has a field of each type that Debezium has a name of its own for. */
    String viewOfTypes() {
      return recordSet() + "-by-tag";
    }
  }

  private static final DateTimeFormatter MICROS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSX").withZone(ZoneOffset.UTC);
  private static final String SINK = "indexview-kvstore-sink";
  private static final List<String> TYPES =
      List.of("tags", "state", "placed", "shipped", "reference");

  @TempDir private static Path directory;
  private static TestPostgres database;
  private static LocalStack stack;
  private static IndexViewApp app;
  private static KvStore store;
  private static IndexViewReader reader;
  private static SchemaRegistry registry;
  private static ViewAdmin views;

  @BeforeAll
  static void start() throws Exception {
    database = TestPostgres.start(Map.of("wal_level", "logical"));
    database.execute(
        """
        CREATE TYPE state AS ENUM ('NEW', 'PAID');
        CREATE TABLE orders (
          id bigint PRIMARY KEY, customer text NOT NULL, ordered date, placed timestamp,
          total numeric(10,2), weight numeric, reference uuid, pieces integer,
          tags text[], state state, shipped timestamptz, story text, remark text DEFAULT 'none', fee numeric DEFAULT 0);
        ALTER TABLE orders ALTER COLUMN story SET STORAGE EXTERNAL;
        INSERT INTO orders
          SELECT i, 'customer ' || i % 3, date '2026-01-01' + i, timestamp '2026-01-01 12:00:00.123456' + i * interval '1 hour',
            i + 0.25, i + 0.5, gen_random_uuid(), i, ARRAY['all', 'tag ' || i % 4], CASE i % 2 WHEN 0 THEN 'NEW' ELSE 'PAID' END::state,
            timestamptz '2026-01-02 12:00:00.123456Z' + i * interval '1 hour',
            CASE i % 10 WHEN 5 THEN repeat('story ' || i || ' ', 400) END,
            CASE i % 2 WHEN 0 THEN 'remark ' || i END, NULLIF(i % 2, 1) FROM generate_series(1, 100) AS i;
        """);
    stack =
        LocalStack.start(
            StackConfig.builder()
                .parts(PartName.BROKER, PartName.REGISTRY, PartName.CONNECT, PartName.KV_STORE)
                .pluginPath(Path.of("target", "plugins"))
                .build());
    for (Encoded encoded : Encoded.values()) {
      createTopic(encoded.topic());
      stack.connect().put(encoded.recordSet(), source(encoded));
    }
    for (Encoded encoded : Encoded.values()) {
      stack.connect().awaitRunning(encoded.recordSet(), TIMEOUT);
    }
    app = IndexViewApp.start(AppConfig.parse(appConfig()));
    app.awaitRunning(TIMEOUT);
    registry =
        SchemaRegistries.create(Map.of(RegistryConfig.URL_CONFIG, stack.registryUrl().toString()));
    views = ViewAdmin.connect(kafka(), stack.topics(), registry, Clock.systemUTC());
    stack.connect().put(SINK, sink());
    stack.connect().awaitRunning(SINK, TIMEOUT);
    store = KvStores.open(KvStoreConfig.of(stack.kvStoreUri()));
    reader = IndexViewReaders.of(store, ReaderConfig.of(PageTokens.ofThisProcess()));
  }

  private static void createTopic(String topic) throws Exception {
    try (Admin admin = Admin.create(kafka())) {
      admin.createTopics(List.of(new NewTopic(topic, 2, (short) 1))).all().get();
    }
  }

  @AfterAll
  static void stop() throws IOException {
    if (views != null) {
      views.close();
      registry.close();
    }
    if (store != null) {
      store.close();
    }
    if (app != null) {
      app.close();
    }
    if (stack != null) {
      stack.close();
    }
    if (database != null) {
      database.close();
    }
  }

  @Test
  void viewsFollowTheTable() throws Exception {
    for (Encoded encoded : Encoded.values()) {
      views.awaitReady(encoded.view(), OptionalLong.empty(), TIMEOUT, status -> {});
      views.awaitReady(encoded.viewOfTypes(), OptionalLong.empty(), TIMEOUT, status -> {});
    }
    awaitLikeTheTable();
    awaitLikeTheTypes();

    database.execute(
        """
        INSERT INTO orders SELECT i, 'late', NULL, NULL, NULL, NULL, NULL, i FROM generate_series(101, 120) AS i;
        UPDATE orders SET pieces = pieces + 1 WHERE id % 2 = 0;
        UPDATE orders SET ordered = ordered + 40, total = -total WHERE id % 3 = 0;
        UPDATE orders SET id = id + 1000 WHERE id % 10 = 0;
        DELETE FROM orders WHERE id % 7 = 0;
        """);
    awaitLikeTheTable();
    awaitLikeTheTypes();

    database.execute(
        """
        ALTER TABLE orders ADD COLUMN priority integer NOT NULL DEFAULT 3;
        ALTER TABLE orders DROP COLUMN pieces;
        UPDATE orders SET total = total + 1 WHERE id % 4 = 0;
        INSERT INTO orders (id, customer, ordered, priority) VALUES (201, 'new', date '2026-05-05', 1);
        """);
    awaitLikeTheTable();

    endConnectionsOfDebezium();
    database.execute("UPDATE orders SET customer = customer || ' again' WHERE id % 5 = 0");
    stack.restart(PartName.CONNECT);
    database.execute("DELETE FROM orders WHERE id % 5 = 1");
    awaitLikeTheTable();

    // With its key the record before is another one, so nobody has its story.
    database.execute("UPDATE orders SET id = id + 2000 WHERE id = 85");
    awaitPhase(ViewState.State.DEGRADED);
    for (Encoded encoded : Encoded.values()) {
      assertThat(views.get(encoded.view()).reason()).contains("cannot be read");
    }
    database.execute("ALTER TABLE orders REPLICA IDENTITY FULL");
    database.execute("UPDATE orders SET customer = 'whole' WHERE id = 2085");
    awaitPhase(ViewState.State.READY);
    awaitLikeTheTable();

    database.execute("TRUNCATE orders");
    awaitPhase(ViewState.State.DEGRADED);
    try (SourceAdmin sources = SourceAdmin.connect(kafka(), stack.topics(), registry)) {
      for (Encoded encoded : Encoded.values()) {
        assertThat(views.get(encoded.view()).reason()).contains("a truncate names no record");
        sources.publishedAgain(encoded.topic(), Instant.now());
      }
    }
    awaitPhase(ViewState.State.READY);
    database.execute(
        "INSERT INTO orders (id, customer, ordered) VALUES (301, 'next', date '2026-06-06')");
    awaitLikeTheTable();
  }

  /** Of such an array Debezium has no placeholder: it would send null, which nobody could tell. */
  @Test
  void theConnectorEndsAtAValueThatItCannotConvert() throws Exception {
    database.execute(
        """
        CREATE TABLE series (id bigint PRIMARY KEY, pieces integer, points double precision[]);
        ALTER TABLE series ALTER COLUMN points SET STORAGE EXTERNAL;
        INSERT INTO series SELECT 1, 1, array_agg(i) FROM generate_series(1, 1000) AS i;
        """);
    createTopic("series.public.series");
    Map<String, String> config = source("series");
    config.put("table.include.list", "public.series");
    stack.connect().put("series", config);

    // An update that comes before the snapshot is over is part of it; a later one is not.
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> {
              database.execute("UPDATE series SET pieces = pieces + 1");
              assertThat(stack.connect().status("series").flatMap(ConnectClient.Status::failure))
                  .hasValueSatisfying(
                      failure -> assertThat(failure).contains("'public.series.points'"));
            });

    stack.connect().delete("series");
  }

  /** As a failover does. */
  private static void endConnectionsOfDebezium() throws SQLException {
    assertThat(
            database.rows(
                "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE active AND slot_name LIKE 'shop%'"))
        .hasSize(Encoded.values().length)
        .containsOnly("t");
  }

  private static void awaitPhase(ViewState.State phase) {
    for (Encoded encoded : Encoded.values()) {
      await().atMost(TIMEOUT).until(() -> views.get(encoded.view()).phase() == phase);
    }
  }

  private static void awaitLikeTheTable() throws SQLException {
    List<String> expected =
        database.rows(
            """
            SELECT ordered, id, customer, total, to_char(placed, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), reference, story, remark
            FROM orders WHERE ordered IS NOT NULL
            """);
    for (Encoded encoded : Encoded.values()) {
      await()
          .atMost(TIMEOUT)
          .untilAsserted(
              () ->
                  assertThat(rows(encoded.view()))
                      .as(encoded.view())
                      .isSortedAccordingTo(
                          Comparator.comparing(row -> row.substring(0, DATE.length())))
                      .containsExactlyInAnyOrderElementsOf(expected));
    }
  }

  private static void awaitLikeTheTypes() throws SQLException {
    List<String> expected =
        database.rows(
            """
            SELECT tag, state, to_char(placed, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
              to_char(shipped AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), reference, id
            FROM orders, unnest(tags) AS tag
            """);
    assertThat(expected).hasSizeGreaterThan(100);
    for (Encoded encoded : Encoded.values()) {
      await()
          .atMost(TIMEOUT)
          .untilAsserted(
              () ->
                  assertThat(read(encoded.viewOfTypes()))
                      .as(encoded.viewOfTypes())
                      .extracting(DebeziumSourceIT::types)
                      .containsExactlyInAnyOrderElementsOf(expected));
    }
  }

  private static String types(RowPage.Row row) {
    return Stream.concat(TYPES.stream().map(row.key()::get), Stream.of(row.primaryKey()))
        .map(value -> value instanceof Instant time ? MICROS.format(time) : value.toString())
        .collect(Collectors.joining("|"));
  }

  /** The sink writes what readers know of the view after its state says READY. */
  private static List<RowPage.Row> read(String view) {
    ReadOptions waiting = ReadOptions.DEFAULT.withNotReady(new ReadOptions.NotReady.Wait(TIMEOUT));
    return reader.read(ViewQuery.of(view).withLimit(1_000), waiting).rows();
  }

  private static List<String> rows(String view) {
    return read(view).stream().map(DebeziumSourceIT::text).toList();
  }

  private static String text(RowPage.Row row) {
    Instant placed = (Instant) row.values().get("placed");
    return Stream.of(
            row.key().get("ordered"),
            row.primaryKey(),
            row.values().get("customer"),
            row.values().get("total"),
            placed == null ? null : MICROS.format(placed),
            row.values().get("reference"),
            row.values().get("story"),
            row.values().get("remark"))
        .map(String::valueOf)
        .collect(Collectors.joining("|"));
  }

  private static Map<String, Object> kafka() {
    return Map.of("bootstrap.servers", stack.bootstrapServers());
  }

  private static Map<String, String> source(Encoded encoded) throws IOException {
    Map<String, String> config = source(encoded.recordSet());
    if (encoded != Encoded.SHOP) {
      boolean schemas = encoded == Encoded.SHOPJSON;
      for (String part : List.of("key.converter", "value.converter")) {
        config.remove(part + ".schema.registry.url");
        config.put(part, "org.apache.kafka.connect.json.JsonConverter");
        config.put(part + ".schemas.enable", Boolean.toString(schemas));
      }
      config.put("value.converter.replace.null.with.default", "false");
    }
    return config;
  }

  /** In Avro, as the guide has it. */
  private static Map<String, String> source(String connector) throws IOException {
    Map<String, String> config = GuideConfig.of("debezium.md");
    config.remove("name");
    config.put("database.hostname", "127.0.0.1");
    config.put("database.port", Integer.toString(database.port()));
    config.put("database.user", "postgres");
    config.put("database.password", "postgres");
    config.put("database.dbname", "postgres");
    config.put("topic.prefix", connector);
    config.put("slot.name", connector);
    config.put("publication.name", connector);
    avro(config);
    return config;
  }

  private static Map<String, String> sink() {
    Map<String, String> config = new HashMap<>();
    config.put("connector.class", "io.indexview.connect.kvstore.sink.KvStoreSinkConnector");
    config.put("kvstore.uri", stack.kvStoreUri());
    config.put("topic.prefix", stack.topics().prefix());
    config.put("topics.regex", stack.topics().sinkPattern("kv"));
    config.put("consumer.override.isolation.level", "read_committed");
    config.put(
        "consumer.override.partition.assignment.strategy",
        CooperativeStickyAssignor.class.getName());
    config.put("consumer.override.auto.offset.reset", "earliest");
    config.put("consumer.override.metadata.max.age.ms", "500");
    config.put("errors.retry.timeout", "-1");
    config.put("errors.tolerance", "all");
    config.put("errors.deadletterqueue.topic.name", stack.topics().deadLetters("kv"));
    config.put("errors.deadletterqueue.topic.replication.factor", "1");
    avro(config);
    return config;
  }

  private static void avro(Map<String, String> config) {
    for (String part : List.of("key.converter", "value.converter")) {
      config.put(part, "io.indexview.connect.common.avro.AvroConverter");
      config.put(part + ".schema.registry.url", stack.registryUrl().toString());
    }
  }

  private static Map<String, String> appConfig() throws IOException {
    Path views = Files.createDirectories(directory.resolve("views"));
    for (Encoded encoded : Encoded.values()) {
      Files.writeString(
          views.resolve(encoded + ".yaml"),
          """
          name: %s
          source: %s
          key: [ordered]
          include: [customer, total, placed, reference, story, remark]
          layout: key-value
          target: kv
          """
              .formatted(encoded.view(), encoded.recordSet()));
      Files.writeString(
          views.resolve(encoded + "-types.yaml"),
          """
          name: %s
          source: %s
          key: [%s]
          target: kv
          """
              .formatted(encoded.viewOfTypes(), encoded.recordSet(), String.join(", ", TYPES)));
    }
    Path schema =
        Files.writeString(
            directory.resolve("order.avsc"),
            """
            {"type": "record", "name": "Order", "fields": [
              {"name": "id", "type": "long"},
              {"name": "customer", "type": "string"},
              {"name": "ordered", "type": ["null", {"type": "int", "logicalType": "date"}]},
              {"name": "placed", "type": ["null", {"type": "long", "logicalType": "timestamp-micros"}]},
              {"name": "total", "type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}]},
              {"name": "reference", "type": ["null", "string"]},
              {"name": "tags", "type": ["null", {"type": "array", "items": ["null", "string"]}]},
              {"name": "state", "type": ["null", {"type": "enum", "name": "State", "symbols": ["NEW", "PAID"]}]},
              {"name": "shipped", "type": ["null", "string"]},
              {"name": "story", "type": ["null", "string"]},
              {"name": "remark", "type": ["null", "string"]}]}
            """);
    Map<String, String> config = new HashMap<>();
    config.put("application.id", "shop");
    config.put("bootstrap.servers", stack.bootstrapServers());
    config.put("schema.registry.url", stack.registryUrl().toString());
    config.put("topic.prefix", stack.topics().prefix());
    config.put("record.sets", "shop,shopjson,shopplain");
    for (Encoded encoded : Encoded.values()) {
      config.put("record.set.%s.topic".formatted(encoded.recordSet()), encoded.topic());
      config.put("record.set.%s.complete".formatted(encoded.recordSet()), "debezium");
    }
    config.put("record.set.shopjson.encoding", "json");
    config.put("record.set.shopplain.encoding", "json");
    config.put("record.set.shopplain.schema.file", schema.toString());
    config.put("views.dir", views.toString());
    config.put("state.dir", directory.resolve("state").toString());
    config.put("http.port", "0");
    return config;
  }
}
