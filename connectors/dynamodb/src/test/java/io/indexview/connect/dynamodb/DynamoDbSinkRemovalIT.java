package io.indexview.connect.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.common.metadata.StateRecords;
import io.indexview.connect.common.metadata.ViewStates;
import io.indexview.connect.dynamodb.DynamoDbSinkConfig.WriteMode;
import io.indexview.connect.dynamodb.FaultyItemStore.Fault;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.schemas.control.ViewState.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

class DynamoDbSinkRemovalIT extends SinkSessionHarness {
  private final StateRecords control = new StateRecords();

  @Test
  void deletesTheTableOfTheGenerationAndNoOther() {
    FileRows next = new FileRows(table, 2, "new-table");
    FileRows other = new FileRows(table + "-b");
    DynamoDbSinkSession session = session();
    session.put(
        List.of(
            rows.upsert(0, "a.txt", 1, "u", 1L),
            next.upsert(0, "a.txt", 1, "u", 1L),
            other.upsert(0, "a.txt", 1, "u", 1L)));

    session.put(List.of(removal(rows, 1)));
    untilCommitted(session, rows, 2);

    assertThat(tables.describe(table)).isEmpty();
    assertThat(names(table + "-g2")).containsExactly("a.txt");
    assertThat(names(table + "-b")).containsExactly("a.txt");
    assertThat(context.rejected()).isEmpty();
  }

  @Test
  void removesNothingBeforeTheRowsThatCameBeforeAreApplied() {
    DynamoDbSinkSession session = session();
    putAll(session, rows.upsert(0, "warm-up.txt", 1, "u", 1L));
    AtomicInteger deletions = new AtomicInteger();
    store.beforeDeletion(
        () -> {
          deletions.incrementAndGet();
          assertThat(item("a.txt")).isNotNull();
        });
    store.next(Collections.nCopies(5, Fault.THROTTLE));

    session.put(List.of(rows.upsert(0, "a.txt", 2, "u", 2L), removal(rows, 2)));
    untilCommitted(session, rows, 3);

    assertThat(deletions).hasValue(1);
    assertThat(tables.describe(table)).isEmpty();
  }

  @Test
  void goesOnWithOtherRowsMeanwhileAndCommitsOnlyWhenTheTableIsGone() throws Exception {
    FileRows other = new FileRows(table + "-b");
    DynamoDbSinkSession session = session("dynamodb.buffer.max.records", "1");
    putAll(session, rows.upsert(0, "a.txt", 1, "u", 1L));
    CountDownLatch gate = new CountDownLatch(1);
    store.beforeDeletion(() -> await(gate));

    session.put(List.of(removal(rows, 1)));
    session.put(List.of(other.upsert(0, "b.txt", 1, "u", 1L)));
    callUntil(session, () -> !names(table + "-b").isEmpty());
    callUntil(session, () -> offset(session, other) == 1);

    assertThat(offset(session, rows)).isEqualTo(1);
    assertThat(context.nextScan()).isEqualTo(10);
    int commits = context.commitRequests();
    gate.countDown();
    callUntil(session, () -> !session.busy() && context.commitRequests() > commits);
    assertThat(offset(session, rows)).isEqualTo(2);
    session.close();
  }

  @Test
  void triesAgainWhileTheStoreIsNotAvailable() {
    DynamoDbSinkSession session = session();
    putAll(session, rows.upsert(0, "a.txt", 1, "u", 1L));
    AtomicInteger attempts = new AtomicInteger();
    store.beforeDeletion(
        () -> {
          if (attempts.incrementAndGet() < 3) {
            throw new ItemStoreException.Unavailable("throttled", null);
          }
        });

    session.put(List.of(removal(rows, 1)));
    untilCommitted(session, rows, 2);

    assertThat(attempts).hasValue(3);
  }

  @Test
  void emptiesATableThatItDidNotCreate() {
    putAll(session(), rows.upsert(0, "a.txt", 1, "u", 1L), rows.delete(0, "b.txt", 2));
    DynamoDbSinkSession session = session("dynamodb.auto.create", "false");

    session.put(List.of(removal(rows, 2)));
    untilCommitted(session, rows, 3);

    assertThat(tables.describe(table)).isPresent();
    assertThat(names(table)).isEmpty();
  }

  @Test
  void leavesATableThatWasThereBeforeAndItemsThatAreNoRows() {
    createTable();
    putOwnItem();
    ItemStore.await(tables.put(table, Map.of("objectKey", "versioned", "revision", 1)));
    ItemStore.await(
        tables.put(table, Map.of("objectKey", "marked", "revision", 1, "gen", "of theirs")));
    DynamoDbSinkSession session = session();
    putAll(session, rows.upsert(0, "a.txt", 1, "u", 1L), rows.delete(0, "b.txt", 2));

    session.put(List.of(removal(rows, 2)));
    untilCommitted(session, rows, 3);

    assertThat(names(table)).containsExactlyInAnyOrder("own", "versioned", "marked");
  }

  /** A value that is none of its field makes a row undecodable, and no item of somebody else. */
  @Test
  void removesRowsOfWhichSomebodyChangedAValue() {
    createTable();
    DynamoDbSinkSession session = session();
    putAll(session, rows.upsert(0, "a.txt", 1, "u", 1L));
    Map<String, Object> item = new HashMap<>(item("a.txt"));
    item.put("size", 242.7);
    ItemStore.await(tables.put(table, item));

    session.put(List.of(removal(rows, 1)));
    untilCommitted(session, rows, 2);

    assertThat(names(table)).isEmpty();
  }

  /** Whoever drops the view may delete the table that is his at once, too. */
  @Test
  void isDoneWhenSomebodyElseDeletesTheTableMeanwhile() {
    createTable();
    DynamoDbSinkSession session = session();
    putAll(session, rows.upsert(0, "a.txt", 1, "u", 1L));
    AtomicInteger scans = new AtomicInteger();
    store.beforeScan(
        () -> {
          if (scans.getAndIncrement() == 0) {
            dropTable(table);
          }
        });

    session.put(List.of(removal(rows, 1)));
    untilCommitted(session, rows, 2);

    assertThat(scans).hasValue(1);
    assertThat(tables.describe(table)).isEmpty();
  }

  @Test
  void deletesATableThatItCouldRememberOnlyLater() {
    DynamoDbSinkSession session = session();
    SinkRecord row = rows.upsert(0, "a.txt", 1, "u", 1L);
    store.next(Fault.THROTTLE, Fault.TIMEOUT_AFTER_SUCCESS);
    putAll(session, row);

    session.put(List.of(removal(rows, 1)));
    untilCommitted(session, rows, 2);

    assertThat(tables.describe(table)).isEmpty();
  }

  @Test
  void emptiesATableOfWhichItEndedBeforeRememberingThatItCreatedIt() {
    store.next(Fault.PERMANENT);
    SinkRecord row = rows.upsert(0, "a.txt", 1, "u", 1L);
    assertThatThrownBy(() -> session().put(List.of(row))).hasMessageContaining("denied");
    DynamoDbSinkSession next = session();
    putAll(next, row);

    next.put(List.of(removal(rows, 1)));
    untilCommitted(next, rows, 2);

    assertThat(names(table)).isEmpty();
  }

  @Test
  void deletesATableThatWasNotUsableBeforeItEnded() {
    putAll(session(), new FileRows(table + "-b").upsert(0, "b.txt", 1, "u", 1L));
    store.afterCreation(
        () -> {
          throw new ItemStoreException.Unavailable("not active yet", null);
        });
    SinkRecord row = rows.upsert(0, "a.txt", 1, "u", 1L);
    DynamoDbSinkSession ended = session();
    ended.put(List.of(row));
    assertThat(ended.busy()).isTrue();
    DynamoDbSinkSession next = session();
    putAll(next, row);

    next.put(List.of(removal(rows, 1)));
    untilCommitted(next, rows, 2);

    assertThat(tables.describe(table)).isEmpty();
  }

  @Test
  void leavesATableThatSomebodyMadeInPlaceOfItsOwn() {
    SinkRecord row = rows.upsert(0, "a.txt", 1, "u", 1L);
    putAll(session(), row);
    dropTable(table);
    createTable();
    putOwnItem();
    DynamoDbSinkSession session = session();
    putAll(session, row);

    session.put(List.of(removal(rows, 1)));
    untilCommitted(session, rows, 2);

    assertThat(names(table)).containsExactly("own");
  }

  @Test
  void leavesATableThatItMadeForOthersToUse() {
    removeAll(new FileRows(table, 1, "in-place"));
    putOwnItem();

    removeAll(rows);

    assertThat(names(table)).containsExactly("own");
  }

  @Test
  void leavesATableThatWasGivenToOthersAfterItsCreation() {
    putAll(session(), rows.upsert(0, "a.txt", 1, "u", 1L));
    removeAll(new FileRows(table, 2, "in-place"));
    putOwnItem();

    removeAll(rows);

    assertThat(names(table)).containsExactly("own");
  }

  @Test
  void leavesATableThatHasOutlivedItsGeneration() {
    putAll(session(), rows.upsert(0, "a.txt", 1, "u", 1L));
    removeAll(new FileRows(table), "dynamodb.auto.create", "false");
    putOwnItem();

    removeAll(new FileRows(table));

    assertThat(names(table)).containsExactly("own");
  }

  /** After a row, in a session of its own. */
  private void removeAll(FileRows of, String... properties) {
    DynamoDbSinkSession session = session(properties);
    SinkRecord row = of.upsert(0, "b.txt", 2, "u", 1L);
    putAll(session, row);
    long next = row.kafkaOffset() + 1;
    session.put(List.of(removal(of, next)));
    untilCommitted(session, of, next + 1);
  }

  private void putOwnItem() {
    ItemStore.await(tables.put(table, Map.of("objectKey", "own", "size", 7)));
  }

  @Test
  void forgetsATableThatItDeletedEvenIfItEndedInBetween() {
    DynamoDbSinkSession session = session();
    SinkRecord row = rows.upsert(0, "a.txt", 1, "u", 1L);
    putAll(session, row);
    store.next(Fault.NONE, Fault.PERMANENT);
    session.put(List.of(removal(rows, 1)));
    assertThatThrownBy(() -> untilCommitted(session, rows, 2)).hasMessageContaining("denied");
    assertThat(tables.describe(table)).isEmpty();
    DynamoDbSinkSession next = session();
    next.put(List.of(removal(rows, 1)));
    untilCommitted(next, rows, 2);

    createTable();
    putAll(next, row);
    next.put(List.of(removal(rows, 1)));
    drainAll(next);

    assertThat(names(table)).isEmpty();
  }

  @Test
  void isDoneWhereThereIsNoTable() {
    DynamoDbSinkSession session = session("dynamodb.auto.create", "false");

    session.put(List.of(removal(rows, 0)));

    untilCommitted(session, rows, 1);
  }

  @Test
  void removesOnlyOlderItemsFromATableThatGenerationsShare() {
    FileRows old = new FileRows(table, 1, "in-place");
    FileRows next = new FileRows(table, 2, "in-place");
    DynamoDbSinkSession session = session();
    List<SinkRecord> batch = new ArrayList<>();
    for (int i = 0; i < 250; i++) {
      batch.add(old.upsert(0, "file" + i, i + 1, "u", 1L));
    }
    session.put(batch);
    drain(session, 250);
    putAll(session, next.upsert(0, "file7", 8, "u", 1L), next.upsert(0, "new", 300, "u", 1L));
    drain(session, 252);

    session.put(List.of(removal(old, 250)));
    untilCommitted(session, old, 251);

    assertThat(names(table)).containsExactlyInAnyOrder("file7", "new");
  }

  @Test
  void leavesATableThatALaterGenerationHasTakenOver() {
    FileRows next = new FileRows(table, 2, "in-place");
    DynamoDbSinkSession session = session();
    putAll(session, rows.upsert(0, "a.txt", 1, "u", 1L), rows.upsert(0, "b.txt", 2, "u", 1L));
    putAll(session, next.upsert(0, "a.txt", 1, "u", 1L));
    session.put(
        List.of(
            control.of(
                ViewStates.state(
                    rows.generation().view(),
                    1,
                    State.READY,
                    Map.of(next.generation(), Role.SERVING, rows.generation(), Role.RETIRING)))));

    session.put(List.of(removal(rows, 2)));
    untilCommitted(session, rows, 3);

    assertThat(names(table)).containsExactly("a.txt");
  }

  @Test
  void makesTheTableAgainWhenItsRowsComeAgain() {
    DynamoDbSinkSession session = session();
    SinkRecord row = rows.upsert(0, "a.txt", 1, "u", 1L);
    putAll(session, row);
    session.put(List.of(removal(rows, 1)));
    untilCommitted(session, rows, 2);

    session.put(List.of(row));
    drainAll(session);

    assertThat(names(table)).containsExactly("a.txt");
  }

  @Test
  void leavesARemovalToTheNextTaskWhenItsPartitionIsGivenUp() {
    DynamoDbSinkSession session = session();
    putAll(session, rows.upsert(0, "warm-up.txt", 1, "u", 1L));
    store.next(Collections.nCopies(1_000, Fault.THROTTLE));
    session.put(List.of(rows.upsert(0, "a.txt", 2, "u", 2L), removal(rows, 2)));

    session.revoke(List.of(new TopicPartition(rows.topic(), 0)));
    session.put(List.of());

    assertThat(session.committable(Map.of())).isEmpty();
    assertThat(tables.describe(table)).isPresent();
  }

  /** As somebody else may have done. */
  private void createTable() {
    tables.ensureTable(
        GenerationTables.spec(rows.generation(), WriteMode.CONDITIONAL), Duration.ofSeconds(10));
  }

  private SinkRecord removal(FileRows of, long offset) {
    return control.removeRows(of.generation(), offset);
  }

  private static long offset(DynamoDbSinkSession session, FileRows of) {
    OffsetAndMetadata offset = session.committable(Map.of()).get(new TopicPartition(of.topic(), 0));
    return offset == null ? -1 : offset.offset();
  }

  private static void untilCommitted(DynamoDbSinkSession session, FileRows of, long offset) {
    callUntil(session, () -> offset(session, of) == offset);
  }

  private static List<Object> names(String table) {
    return tables.scan(table, null, 1_000).items().stream()
        .map(item -> item.get("objectKey"))
        .toList();
  }

  private static void await(CountDownLatch gate) {
    try {
      assertThat(gate.await(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
