package io.indexview.connect.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.amazonaws.services.dynamodbv2.local.embedded.DynamoDBEmbedded;
import com.amazonaws.services.dynamodbv2.local.shared.access.AmazonDynamoDBLocal;
import io.indexview.connect.dynamodb.FaultyItemStore.Fault;
import io.indexview.dynamodb.DynamoDbItemStore;
import io.indexview.dynamodb.ItemQuery;
import io.indexview.dynamodb.ItemStore;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class DynamoDbSinkSessionTest {
  private static final boolean DISABLE_TELEMETRY = true;

  private static AmazonDynamoDBLocal local;
  private static ItemStore tables;
  private static int number;

  private final FakeSinkContext context = new FakeSinkContext(true);
  private FaultyItemStore store;
  private String table;
  private FileRows rows;

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

  private DynamoDbSinkSession session(String... properties) {
    return session(context, properties);
  }

  private DynamoDbSinkSession session(FakeSinkContext sinkContext, String... properties) {
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
        new DynamoDbSinkConfig(config), store, sinkContext, new SteppingClock());
  }

  private void putAll(DynamoDbSinkSession session, SinkRecord... records) {
    session.put(List.of(records));
    drain(session, records.length);
  }

  /** The worker calls again and again, too. */
  private void drain(DynamoDbSinkSession session, int records) {
    callUntil(session, () -> committed(session) >= records);
  }

  private static void callUntil(DynamoDbSinkSession session, Callable<Boolean> done) {
    await()
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(1))
        .until(
            () -> {
              session.put(List.of());
              return done.call();
            });
  }

  private long committed(DynamoDbSinkSession session) {
    return session.committable().values().stream().mapToLong(OffsetAndMetadata::offset).sum();
  }

  private Map<String, Object> item(String objectKey) {
    return tables.get(table, Map.of("objectKey", objectKey)).orElse(null);
  }

  @ParameterizedTest
  @ValueSource(strings = {"conditional", "batch"})
  void createsTheTableAndWritesRows(String mode) {
    DynamoDbSinkSession session = session("dynamodb.mode", mode);

    putAll(
        session,
        rows.upsert(0, "a.txt", 1, "USER001", 10L),
        rows.upsert(0, "b.txt", 2, "USER001", 30L),
        rows.upsert(0, "c.txt", 3, null, null));

    assertThat(item("a.txt"))
        .containsEntry("uploadUser", "USER001")
        .containsEntry("version", BigDecimal.ONE)
        .containsEntry("size", BigDecimal.TEN)
        .containsEntry("_primaryKey", "documents/a.txt");
    assertThat(item("c.txt")).doesNotContainKeys("uploadUser", "size");
    assertThat(
            tables
                .query(
                    ItemQuery.of(table, "bucketName-size-index", "bucketName", "documents")
                        .descending())
                .items())
        .extracting(item -> item.get("objectKey"))
        .containsExactly("b.txt", "a.txt");
  }

  @Test
  void leavesAMarkerThatNoOlderWriteReplaces() {
    DynamoDbSinkSession session = session();

    putAll(session, rows.upsert(0, "a.txt", 5, "USER001", 10L), rows.delete(0, "a.txt", 6));
    DynamoDbSinkSession zombie = session();
    zombie.put(List.of(rows.upsert(0, "a.txt", 5, "USER001", 10L)));
    drain(zombie, 3);

    assertThat(item("a.txt"))
        .containsEntry("_deleted", true)
        .containsEntry("version", BigDecimal.valueOf(6))
        .doesNotContainKeys("uploadUser", "size");
    assertThat(((Number) item("a.txt").get("_expiresAt")).longValue())
        .isGreaterThan(Instant.parse("2017-09-03T23:59:59Z").getEpochSecond())
        .isLessThan(Instant.parse("2017-09-05T00:00:00Z").getEpochSecond());
    putAll(session, rows.upsert(0, "a.txt", 7, "USER002", 1L));
    assertThat(item("a.txt")).containsEntry("uploadUser", "USER002").doesNotContainKey("_deleted");
  }

  @Test
  void remembersTheDeleteOfAnUnknownRow() {
    DynamoDbSinkSession session = session();

    putAll(session, rows.delete(0, "a.txt", 6), rows.upsert(0, "b.txt", 6, "u", 1L));

    assertThat(item("a.txt")).containsEntry("_deleted", true);
  }

  @Test
  void removesRowsWithoutAMarkerInBatches() {
    DynamoDbSinkSession session = session("dynamodb.mode", "batch");

    putAll(session, rows.upsert(0, "a.txt", 5, "u", 10L));
    putAll(session, rows.delete(0, "a.txt", 6));
    drain(session, 2);

    assertThat(item("a.txt")).isNull();
  }

  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {"THROTTLE", "TIMEOUT_AFTER_SUCCESS", "UNPROCESSED"})
  void triesAgainAndCommitsNothingBeforeItIsApplied(Fault fault) {
    DynamoDbSinkSession session = session("dynamodb.mode", "batch");
    putAll(session, rows.upsert(0, "warm-up.txt", 1, "u", 1L));
    store.next(Collections.nCopies(5, fault));

    session.put(List.of(rows.upsert(0, "a.txt", 2, "u", 2L)));
    assertThat(context.nextLook()).isPositive();
    drain(session, 2);

    assertThat(item("a.txt")).isNotNull();
    assertThat(store.writes()).isGreaterThanOrEqualTo(2);
  }

  @Test
  void asksForACommitSoonAfterARowIsApplied() {
    DynamoDbSinkSession session = session();

    session.put(List.of(rows.upsert(0, "a.txt", 2, "u", 2L)));

    callUntil(session, () -> context.commitRequests() > 0);
    assertThat(committed(session)).isEqualTo(1);
  }

  @Test
  void commitsUpToTheLowestOffsetInFlight() {
    DynamoDbSinkSession session = session("dynamodb.max.in.flight.requests", "1");
    TopicPartition partition = new TopicPartition(rows.topic(), 0);
    putAll(session, rows.upsert(0, "warm-up.txt", 1, "u", 1L));
    store.next(Collections.nCopies(50, Fault.THROTTLE));

    session.put(List.of(rows.upsert(0, "a.txt", 2, "u", 2L), rows.upsert(1, "b.txt", 2, "u", 2L)));

    assertThat(session.committable().get(partition).offset()).isEqualTo(1);
    assertThat(session.committable().get(new TopicPartition(rows.topic(), 1)).offset()).isZero();
    drain(session, 3);
  }

  @Test
  void asksKafkaToWaitWhenTooMuchIsWaitingHere() {
    DynamoDbSinkSession session = session("dynamodb.buffer.max.records", "2");
    putAll(session, rows.upsert(0, "warm-up.txt", 1, "u", 1L));
    store.next(Collections.nCopies(2_000, Fault.THROTTLE));
    session.put(List.of(rows.upsert(0, "a.txt", 2, "u", 2L), rows.upsert(0, "b.txt", 3, "u", 2L)));
    SinkRecord next = rows.upsert(0, "c.txt", 4, "u", 2L);

    assertThatThrownBy(() -> session.put(List.of(next))).isInstanceOf(RetriableException.class);

    assertThat(context.nextLook()).isPositive();
    assertThat(committed(session)).isEqualTo(1);
  }

  @Test
  void reportsARecordThatIsNoRowAndGoesOn() {
    DynamoDbSinkSession session = session();
    SinkRecord stranger =
        new SinkRecord(rows.topic(), 7, Schema.STRING_SCHEMA, "key", null, null, 0);

    putAll(session, stranger, rows.upsert(0, "a.txt", 2, "u", 2L));

    assertThat(context.rejected())
        .singleElement()
        .asString()
        .startsWith(rows.topic() + "-7@0: ")
        .contains("indexview.generation");
    assertThat(item("a.txt")).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"conditional", "batch"})
  void reportsTheRowThatTheStoreRefusesAndAppliesTheOthers(String mode) {
    DynamoDbSinkSession session = session("dynamodb.mode", mode);
    putAll(session, rows.upsert(0, "warm-up.txt", 1, "u", 1L));
    store.refuse("a.txt");

    session.put(List.of(rows.upsert(0, "a.txt", 2, "u", 2L), rows.upsert(0, "b.txt", 2, "u", 2L)));
    drain(session, 3);

    assertThat(context.rejected()).containsExactly(rows.topic() + "-0@1: malformed");
    assertThat(item("a.txt")).isNull();
    assertThat(item("b.txt")).isNotNull();
  }

  @Test
  void reportsTheRowThatHasNoPlaceInTheTable() {
    DynamoDbSinkSession session = session();

    putAll(
        session,
        rows.upsert(0, "a.txt", 2, "u".repeat(2_049), 2L),
        rows.upsert(0, "b.txt", 2, "u", 2L));

    assertThat(context.rejected()).singleElement().asString().contains("-0@0: ", "uploadUser");
    assertThat(item("b.txt")).isNotNull();
  }

  @Test
  void endsTheTaskForABadRowWhenNobodyTakesReports() {
    DynamoDbSinkSession session = session(new FakeSinkContext(false));
    SinkRecord tooLong = rows.upsert(0, "a.txt", 2, "u".repeat(2_049), 2L);

    assertThatThrownBy(() -> session.put(List.of(tooLong)))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("-0@0: ");
  }

  @Test
  void rejectsARowWhoseKeyBelongsToSomebodyElse() {
    DynamoDbSinkSession session = session();
    putAll(session, rows.upsert(0, "warm-up.txt", 1, "u", 1L));
    tables.put(table, Map.of("objectKey", "a.txt", "version", "mine")).join();

    session.put(List.of(rows.upsert(0, "a.txt", 2, "u", 2L)));
    drain(session, 2);

    assertThat(context.rejected()).singleElement().asString().contains("is no revision");
    assertThat(item("a.txt")).containsEntry("version", "mine");
  }

  @Test
  void endsTheTaskWhenNothingWillWork() {
    DynamoDbSinkSession session = session();
    putAll(session, rows.upsert(0, "warm-up.txt", 1, "u", 1L));
    store.next(Fault.PERMANENT);

    assertThatThrownBy(
            () -> {
              session.put(List.of(rows.upsert(0, "a.txt", 2, "u", 2L)));
              drain(session, 2);
            })
        .isInstanceOf(ConnectException.class)
        .isNotInstanceOf(RetriableException.class)
        .hasMessage("denied");
  }

  @Test
  void endsTheTaskWhenTheTableIsMissingAndNotToBeCreated() {
    DynamoDbSinkSession session = session("dynamodb.auto.create", "false");

    assertThatThrownBy(() -> session.put(List.of(rows.upsert(0, "a.txt", 2, "u", 2L))))
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining(table);
  }

  @Test
  void writesNothingMoreOfPartitionsThatAreGivenUp() {
    DynamoDbSinkSession session = session();
    putAll(session, rows.upsert(0, "warm-up.txt", 1, "u", 1L));
    store.next(Collections.nCopies(3, Fault.THROTTLE));
    session.put(List.of(rows.upsert(1, "a.txt", 2, "u", 2L), rows.upsert(0, "b.txt", 2, "u", 2L)));

    session.revoke(List.of(new TopicPartition(rows.topic(), 1)));
    drain(session, 2);

    assertThat(item("a.txt")).isNull();
    assertThat(item("b.txt")).isNotNull();
    assertThat(session.committable()).containsOnlyKeys(new TopicPartition(rows.topic(), 0));
  }

  /**
   * Random changes of few rows, delivered twice over by two tasks of which one is a zombie, on a
   * store that throttles, forgets to answer and leaves items unprocessed.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void endsWithExactlyTheNewestRowsWhateverGoesWrong(long seed) {
    Random random = new Random(seed);
    boolean batch = seed % 2 == 0;
    DynamoDbSinkSession session =
        session(
            "dynamodb.mode", batch ? "batch" : "conditional", "dynamodb.buffer.max.records", "40");
    DynamoDbSinkSession zombie = session("dynamodb.buffer.max.records", "40");
    Map<String, Long> expected = new HashMap<>();
    List<SinkRecord> old = new ArrayList<>();
    for (int round = 0; round < 25; round++) {
      List<SinkRecord> records = new ArrayList<>();
      for (int i = 0; i < 1 + random.nextInt(12); i++) {
        String key = "file" + random.nextInt(6);
        long revision = round * 100L + i + 1;
        boolean delete = random.nextInt(3) == 0;
        records.add(
            delete ? rows.delete(0, key, revision) : rows.upsert(0, key, revision, "u", revision));
        expected.put(key, delete ? null : revision);
      }
      Fault[] faults = Fault.values();
      for (int i = 0; i < 4; i++) {
        store.next(faults[random.nextInt(batch ? 4 : 3)]);
      }
      putUntilTaken(session, records);
      if (!batch) {
        old.addAll(records);
        Collections.shuffle(old, random);
        putUntilTaken(zombie, old.subList(0, Math.min(5, old.size())));
      }
    }
    drainAll(session);
    drainAll(zombie);

    for (Map.Entry<String, Long> row : expected.entrySet()) {
      Map<String, Object> item = item(row.getKey());
      boolean gone = item == null || Boolean.TRUE.equals(item.get("_deleted"));
      assertThat(gone ? null : ((Number) item.get("version")).longValue())
          .as(row.getKey())
          .isEqualTo(row.getValue());
    }
    assertThat(context.rejected()).isEmpty();
  }

  private static void putUntilTaken(DynamoDbSinkSession session, List<SinkRecord> records) {
    for (int attempt = 0; attempt < 1_000; attempt++) {
      try {
        session.put(records);
        return;
      } catch (RetriableException e) {
        assertThat(e).hasMessageContaining("wait for DynamoDB");
      }
    }
    throw new AssertionError("records were never taken");
  }

  private static void drainAll(DynamoDbSinkSession session) {
    callUntil(session, () -> !session.busy());
  }
}
