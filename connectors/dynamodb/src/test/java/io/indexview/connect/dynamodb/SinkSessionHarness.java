package io.indexview.connect.dynamodb;

import static org.awaitility.Awaitility.await;

import com.amazonaws.services.dynamodbv2.local.embedded.DynamoDBEmbedded;
import com.amazonaws.services.dynamodbv2.local.shared.access.AmazonDynamoDBLocal;
import io.indexview.connect.common.sink.FakeSinkContext;
import io.indexview.connect.dynamodb.DynamoDbSinkTask.SinkStores;
import io.indexview.connect.dynamodb.write.TableLimiters;
import io.indexview.dynamodb.DynamoDbItemStore;
import io.indexview.dynamodb.ItemStore;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** A sink session on DynamoDB Local behind a faulty client, each test with a table of its own. */
abstract class SinkSessionHarness {
  private static final boolean DISABLE_TELEMETRY = true;

  private static AmazonDynamoDBLocal local;
  static ItemStore tables;
  private static int number;

  final FakeSinkContext context = new FakeSinkContext();
  TableLimiters.Listener metrics = TableLimiters.Listener.NONE;
  FaultyItemStore store;
  String table;
  FileRows rows;

  @BeforeAll
  static void startStore() {
    local = DynamoDBEmbedded.create(DISABLE_TELEMETRY);
    tables = DynamoDbItemStore.over(local.dynamoDbAsyncClient());
  }

  @AfterAll
  static void stopStore() {
    tables.close();
    local.shutdown();
  }

  @BeforeEach
  void newTable() {
    store = new FaultyItemStore(tables);
    table = "FileMetaData" + number++;
    rows = new FileRows(table);
  }

  /** By hand, past all that the sink knows. */
  static void dropTable(String name) {
    local.dynamoDbClient().deleteTable(r -> r.tableName(name));
  }

  final DynamoDbSinkSession session(String... properties) {
    return session(context, properties);
  }

  final DynamoDbSinkSession session(FakeSinkContext sinkContext, String... properties) {
    SteppingClock clock = new SteppingClock();
    return session(new SinkStores(store, store), sinkContext, clock, properties);
  }

  final DynamoDbSinkSession session(
      FakeSinkContext sinkContext, ManualClock clock, String... properties) {
    return session(new SinkStores(store, store), sinkContext, clock, properties);
  }

  final DynamoDbSinkSession session(
      SinkStores stores, FakeSinkContext sinkContext, Time time, String... properties) {
    Map<String, String> config =
        new HashMap<>(
            Map.of(
                "aws.region",
                "local",
                "dynamodb.auto.create",
                "true",
                "retry.backoff.initial.ms",
                "1",
                "retry.backoff.max.ms",
                "5"));
    for (int i = 0; i < properties.length; i += 2) {
      config.put(properties[i], properties[i + 1]);
    }
    return new DynamoDbSinkSession(
        new DynamoDbSinkConfig(config), stores, sinkContext, metrics, Runnable::run, time);
  }

  final void putAll(DynamoDbSinkSession session, SinkRecord... records) {
    session.put(List.of(records));
    drain(session, records.length);
  }

  /** The worker calls again and again, too. */
  final void drain(DynamoDbSinkSession session, int records) {
    callUntil(session, () -> committed(session) >= records);
  }

  static void callUntil(DynamoDbSinkSession session, Callable<Boolean> done) {
    await()
        .pollInterval(Duration.ofMillis(1))
        .until(
            () -> {
              session.put(List.of());
              return done.call();
            });
  }

  final long committed(DynamoDbSinkSession session) {
    return session.committable(Map.of()).values().stream()
        .mapToLong(OffsetAndMetadata::offset)
        .sum();
  }

  final Map<String, Object> item(String objectKey) {
    return tables.get(table, Map.of("objectKey", objectKey)).orElse(null);
  }

  static void drainAll(DynamoDbSinkSession session) {
    callUntil(session, () -> !session.busy());
  }
}
