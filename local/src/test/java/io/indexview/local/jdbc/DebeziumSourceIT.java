package io.indexview.local.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.abort;

import io.indexview.client.page.PageTokens;
import io.indexview.client.read.IndexViewReader;
import io.indexview.client.read.IndexViewReaders;
import io.indexview.client.read.ReadOptions;
import io.indexview.client.read.ReaderConfig;
import io.indexview.client.read.RowPage;
import io.indexview.client.read.ViewQuery;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvStores;
import io.indexview.local.LocalStack;
import io.indexview.local.PartName;
import io.indexview.local.StackConfig;
import io.indexview.streams.app.IndexViewApp;
import io.indexview.streams.config.AppConfig;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A table of PostgreSQL, captured by Debezium's connector, and views of it. */
class DebeziumSourceIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(3);
  private static final String TOPIC = "shop.public.orders";
  private static final String SOURCE = "shop-orders";
  private static final String SINK = "indexview-kvstore-sink";

  @TempDir private static Path directory;
  private static EmbeddedPostgres database;
  private static LocalStack stack;
  private static IndexViewApp app;
  private static KvStore store;
  private static IndexViewReader reader;

  @BeforeAll
  static void start() throws Exception {
    try {
      database =
          EmbeddedPostgres.builder()
              .setServerConfig("wal_level", "logical")
              .setPGStartupWait(Duration.ofMinutes(2))
              .start();
    } catch (IllegalStateException e) {
      if (String.valueOf(e.getMessage()).contains("Missing")) {
        abort("no PostgreSQL binaries for this platform: " + e.getMessage());
      }
      throw e;
    }
    execute(
        """
        CREATE TABLE orders (
          id bigint PRIMARY KEY, customer text NOT NULL, ordered date, placed timestamp,
          total numeric(10,2), weight numeric, reference uuid, pieces integer);
        INSERT INTO orders
          SELECT i, 'customer ' || i % 3, date '2026-01-01' + i, timestamp '2026-01-01 12:00:00.123456' + i * interval '1 hour',
            i + 0.25, i + 0.5, gen_random_uuid(), i FROM generate_series(1, 100) AS i;
        """);
    stack =
        LocalStack.start(
            StackConfig.builder()
                .parts(PartName.BROKER, PartName.REGISTRY, PartName.CONNECT, PartName.KV_STORE)
                .pluginPath(Path.of("target", "plugins"))
                .build());
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", stack.bootstrapServers()))) {
      admin.createTopics(List.of(new NewTopic(TOPIC, 2, (short) 1))).all().get();
    }
    stack.connect().put(SOURCE, source());
    stack.connect().awaitRunning(SOURCE, TIMEOUT);
    app = IndexViewApp.start(AppConfig.parse(appConfig()));
    app.awaitRunning(TIMEOUT);
    stack.connect().put(SINK, sink());
    stack.connect().awaitRunning(SINK, TIMEOUT);
    store = KvStores.open(KvStoreConfig.of(stack.kvStoreUri()));
    reader = IndexViewReaders.of(store, ReaderConfig.of(PageTokens.ofThisProcess()));
  }

  @AfterAll
  static void stop() throws IOException {
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
    awaitViews();
  }

  private static void awaitViews() throws Exception {
    List<String> byDate = table("SELECT ordered, id FROM orders ORDER BY 1, id");
    await()
        .atMost(TIMEOUT)
        .untilAsserted(() -> assertThat(view("orders-by-date")).isEqualTo(byDate));
  }

  private static List<String> view(String view) {
    RowPage page =
        reader.read(
            ViewQuery.of(view).withLimit(1_000),
            ReadOptions.DEFAULT.withNotReady(new ReadOptions.NotReady.Wait(TIMEOUT)));
    return page.rows().stream().map(Object::toString).toList();
  }

  private static List<String> table(String query) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Connection sql = database.getPostgresDatabase().getConnection();
        Statement statement = sql.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      while (result.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
          row.add(result.getString(i));
        }
        rows.add(String.join("|", row));
      }
    }
    return rows;
  }

  private static void execute(String statements) throws SQLException {
    try (Connection sql = database.getPostgresDatabase().getConnection();
        Statement statement = sql.createStatement()) {
      statement.execute(statements);
    }
  }

  private static Map<String, String> source() {
    Map<String, String> config = new HashMap<>();
    config.put("connector.class", "io.debezium.connector.postgresql.PostgresConnector");
    config.put("database.hostname", "127.0.0.1");
    config.put("database.port", Integer.toString(database.getPort()));
    config.put("database.user", "postgres");
    config.put("database.password", "postgres");
    config.put("database.dbname", "postgres");
    config.put("plugin.name", "pgoutput");
    config.put("publication.autocreate.mode", "filtered");
    config.put("topic.prefix", "shop");
    config.put("table.include.list", "public.orders");
    config.put("skipped.operations", "none");
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
    Files.writeString(
        views.resolve("orders.yaml"),
        """
        name: orders-by-date
        source: orders
        key: [ordered]
        include: [customer, total, placed, weight, reference]
        layout: key-value
        target: kv
        """);
    Map<String, String> config = new HashMap<>();
    config.put("application.id", "shop");
    config.put("bootstrap.servers", stack.bootstrapServers());
    config.put("schema.registry.url", stack.registryUrl().toString());
    config.put("topic.prefix", stack.topics().prefix());
    config.put("record.sets", "orders");
    config.put("record.set.orders.topic", TOPIC);
    config.put("record.set.orders.complete", "topic");
    config.put("views.dir", views.toString());
    config.put("state.dir", directory.resolve("state").toString());
    return config;
  }
}
