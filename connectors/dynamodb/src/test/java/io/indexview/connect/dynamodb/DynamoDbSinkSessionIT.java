package io.indexview.connect.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.indexview.connect.common.sink.FakeSinkContext;
import io.indexview.connect.dynamodb.FaultyItemStore.Fault;
import io.indexview.dynamodb.ItemQuery;
import io.indexview.schemas.fixtures.ManualClock;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class DynamoDbSinkSessionIT extends SinkSessionHarness {

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
        .containsEntry("revision", BigDecimal.ONE)
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
  void leavesATombstoneThatNoOlderWriteReplaces() {
    DynamoDbSinkSession session = session();

    putAll(session, rows.upsert(0, "a.txt", 5, "USER001", 10L), rows.delete(0, "a.txt", 6));
    DynamoDbSinkSession zombie = session();
    zombie.put(List.of(rows.upsert(0, "a.txt", 5, "USER001", 10L)));
    drain(zombie, 3);

    assertThat(item("a.txt"))
        .containsEntry("_deleted", true)
        .containsEntry("revision", BigDecimal.valueOf(6))
        .doesNotContainKeys("uploadUser", "size");
    assertThat(((Number) item("a.txt").get("_expiresAt")).longValue())
        .isGreaterThan(Instant.parse("2017-09-03T23:59:59Z").getEpochSecond())
        .isLessThan(Instant.parse("2017-09-05T00:00:00Z").getEpochSecond());
    session.put(List.of(rows.upsert(0, "a.txt", 7, "USER002", 1L)));
    drain(session, 4);
    assertThat(item("a.txt")).containsEntry("uploadUser", "USER002").doesNotContainKey("_deleted");
  }

  @Test
  void remembersTheDeleteOfAnUnknownRow() {
    DynamoDbSinkSession session = session();

    putAll(session, rows.delete(0, "a.txt", 6), rows.upsert(0, "b.txt", 6, "u", 1L));

    assertThat(item("a.txt")).containsEntry("_deleted", true);
  }

  @Test
  void removesRowsWithoutATombstoneInBatches() {
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
    int writesBefore = store.writes();
    store.next(Collections.nCopies(5, fault));

    session.put(List.of(rows.upsert(0, "a.txt", 2, "u", 2L)));
    assertThat(context.nextScan()).isPositive();
    assertThat(committed(session)).isOne();
    drain(session, 2);

    assertThat(item("a.txt")).isNotNull();
    assertThat(store.writes() - writesBefore).isEqualTo(5 + 1);
  }

  @Test
  void asksForACommitSoonAfterARowIsApplied() {
    DynamoDbSinkSession session = session();

    session.put(List.of(rows.upsert(0, "a.txt", 2, "u", 2L)));

    drainAll(session);
    int requests = context.commitRequests();
    session.put(List.of());
    assertThat(context.commitRequests()).isEqualTo(requests + 1);
    assertThat(committed(session)).isEqualTo(1);
  }

  /** While partitions are shared anew commits fail, and Connect tells no task. */
  @Test
  void asksForTheCommitAgainThoughNothingComes() {
    DynamoDbSinkSession session = session();
    putAll(session, rows.upsert(0, "a.txt", 2, "u", 2L));
    assertThat(committed(session)).isEqualTo(1);
    int requests = context.commitRequests();

    callUntil(session, () -> context.commitRequests() > requests);

    assertThat(context.nextScan()).isEqualTo(250);
  }

  @Test
  void asksForCommitsAlsoWhenTheClockIsSetBack() {
    ManualClock clock = new ManualClock();
    DynamoDbSinkSession session = session(context, clock);
    assertThat(committed(session)).isZero();
    clock.setBack(Duration.ofHours(1));

    clock.pass(Duration.ofMillis(250));
    session.put(List.of());
    assertThat(context.commitRequests()).isOne();
  }

  @Test
  void commitsUpToTheLowestOffsetInFlight() {
    DynamoDbSinkSession session = session("dynamodb.max.in.flight.requests", "1");
    TopicPartition partition = new TopicPartition(rows.topic(), 0);
    putAll(session, rows.upsert(0, "warm-up.txt", 1, "u", 1L));
    store.next(Collections.nCopies(50, Fault.THROTTLE));

    session.put(List.of(rows.upsert(0, "a.txt", 2, "u", 2L), rows.upsert(1, "b.txt", 2, "u", 2L)));

    assertThat(session.committable(Map.of()).get(partition).offset()).isEqualTo(1);
    assertThat(session.committable(Map.of()).get(new TopicPartition(rows.topic(), 1)).offset())
        .isZero();
    drain(session, 3);
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

  /** Both of one revision, as when a generation is built from what the one before came from. */
  @Test
  void letsNoZombieOfAnOlderGenerationReplaceARowOfTheSameTable() {
    FileRows old = new FileRows(table, 1, "in-place");
    FileRows next = new FileRows(table, 2, "in-place");
    DynamoDbSinkSession session = session();
    putAll(session, old.upsert(0, "a.txt", 5, "old", 1L), old.upsert(0, "b.txt", 9, "old", 1L));
    session.put(
        List.of(next.upsert(0, "a.txt", 5, "new", 1L), next.upsert(0, "b.txt", 5, "new", 1L)));
    drain(session, 4);

    DynamoDbSinkSession zombie = session();
    zombie.put(List.of(old.upsert(0, "a.txt", 5, "old", 1L), old.delete(0, "b.txt", 9)));
    drain(zombie, 4);

    assertThat(item("a.txt"))
        .containsEntry("uploadUser", "new")
        .containsEntry("gen", BigDecimal.valueOf(2));
    assertThat(item("b.txt"))
        .containsEntry("uploadUser", "new")
        .containsEntry("gen", BigDecimal.valueOf(2));
    assertThat(context.rejected()).isEmpty();
  }

  /** As long as its time allows, which stands still here. */
  @Test
  void sendsOnWhatHadToWaitBeforeTheWorkerCallsAgain() {
    ManualClock still = new ManualClock();
    DynamoDbSinkSession session = session(context, still, "dynamodb.max.in.flight.requests", "1");
    putAll(session, rows.upsert(0, "warm-up.txt", 1, "u", 1L));
    int before = store.writes();
    List<SinkRecord> records = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      records.add(rows.upsert(0, "file" + i, i + 1, "u", 1L));
    }

    session.put(records);

    assertThat(store.writes() - before).isEqualTo(20);
    drain(session, 21);
  }

  @Test
  void rejectsARowOfASharedTableWhoseKeyBelongsToSomebodyElse() {
    FileRows inPlace = new FileRows(table, 1, "in-place");
    DynamoDbSinkSession session = session();
    putAll(session, inPlace.upsert(0, "warm-up.txt", 1, "u", 1L));
    tables.put(table, Map.of("objectKey", "a.txt", "revision", 7)).join();

    session.put(List.of(inPlace.upsert(0, "a.txt", 2, "u", 2L)));
    drain(session, 2);

    assertThat(context.rejected()).singleElement().asString().contains("has no number gen");
    assertThat(item("a.txt")).containsEntry("revision", BigDecimal.valueOf(7));
  }

  @Test
  void rejectsARowWhoseKeyBelongsToSomebodyElse() {
    DynamoDbSinkSession session = session();
    putAll(session, rows.upsert(0, "warm-up.txt", 1, "u", 1L));
    tables.put(table, Map.of("objectKey", "a.txt", "revision", "mine")).join();

    session.put(List.of(rows.upsert(0, "a.txt", 2, "u", 2L)));
    drain(session, 2);

    assertThat(context.rejected()).singleElement().asString().contains("has no number revision");
    assertThat(item("a.txt")).containsEntry("revision", "mine");
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
  void commitsWhatIsAppliedAndEndsTheTaskAtTheNextPutWhenAnotherWriteFailed() {
    DynamoDbSinkSession session = session();
    TopicPartition partition = new TopicPartition(rows.topic(), 1);
    putAll(session, rows.upsert(0, "warm-up.txt", 1, "u", 1L));
    store.next(Fault.PERMANENT);

    session.put(List.of(rows.upsert(0, "a.txt", 2, "u", 2L), rows.upsert(1, "b.txt", 2, "u", 2L)));

    await().until(() -> session.committable(Map.of()).get(partition).offset() == 1);
    assertThat(session.committable(Map.of()).get(new TopicPartition(rows.topic(), 0)).offset())
        .isEqualTo(1);
    for (int call = 0; call < 2; call++) {
      assertThatThrownBy(() -> session.put(List.of()))
          .isInstanceOf(ConnectException.class)
          .isNotInstanceOf(RetriableException.class)
          .hasMessage("denied");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"conditional", "batch"})
  void waitsForEveryAnswerWhenPartitionsAreGivenUpThoughOneIsAFailure(String mode) {
    DynamoDbSinkSession session = session("dynamodb.mode", mode);
    putAll(session, rows.upsert(0, "warm-up.txt", 1, "u", 1L));
    store.next(Fault.PERMANENT);
    session.put(List.of(rows.upsert(1, "a.txt", 2, "u", 2L), rows.upsert(2, "b.txt", 2, "u", 2L)));

    session.revoke(List.of(new TopicPartition(rows.topic(), 1)));

    TopicPartition kept = new TopicPartition(rows.topic(), 2);
    assertThat(session.committable(Map.of()).get(kept).offset())
        .isEqualTo(mode.equals("conditional") ? 1 : 0);
    assertThatThrownBy(() -> session.put(List.of()))
        .isInstanceOf(ConnectException.class)
        .hasMessage("denied");
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
    assertThat(session.committable(Map.of())).containsOnlyKeys(new TopicPartition(rows.topic(), 0));
  }
}
