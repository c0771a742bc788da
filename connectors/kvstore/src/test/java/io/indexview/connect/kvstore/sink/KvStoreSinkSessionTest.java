package io.indexview.connect.kvstore.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.common.sink.FakeSinkContext;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.RowHeaders;
import io.indexview.views.layout.StoredRow;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

class KvStoreSinkSessionTest extends KvSinkHarness {
  private final ViewRows keyOnly = new ViewRows("key: [org, cost]\nshardKey: 1\ntarget: kv");

  @Test
  void writesKeyOnlyRowsAndRemovesThem() {
    session.put(
        List.of(keyOnly.upsert("Support", 1500, 1, 7), keyOnly.upsert("Support", 20, 2, 8)));

    assertThat(rows(keyOnly.generation))
        .extracting(row -> row.key().get("cost") + " " + row.primaryKey())
        .containsExactlyInAnyOrder("1500 /Corporate/people/1", "20 /Corporate/people/2");
    assertThat(context.commitRequests()).isEqualTo(1);

    session.put(List.of(keyOnly.delete("Support", 1500, 1, 9)));
    assertThat(rows(keyOnly.generation))
        .extracting(StoredRow::primaryKey)
        .containsExactly("/Corporate/people/2");
  }

  @Test
  void writesKeyValueRowsWithTheirFieldsAndRevision() {
    ViewRows keyValue =
        new ViewRows("key: [org]\ninclude: [name, born]\nlayout: key-value\ntarget: kv");
    session.put(List.of(keyValue.upsert("Support", 0, 1, 42)));

    StoredRow row = rows(keyValue.generation).get(0);
    assertThat(row.primaryKey()).isEqualTo("/Corporate/people/1");
    assertThat(row.revision()).hasValue(42);
    assertThat(row.values())
        .containsEntry("name", "Ann 1")
        .containsEntry("born", LocalDate.of(2017, 8, 20));
  }

  @Test
  void appliesTheNewestOfAKeyOnly() {
    session.put(
        List.of(
            keyOnly.upsert("Support", 1, 1, 7),
            keyOnly.delete("Support", 1, 1, 8),
            keyOnly.delete("Sales", 1, 2, 7),
            keyOnly.upsert("Sales", 1, 2, 8)));

    assertThat(rows(keyOnly.generation))
        .extracting(StoredRow::primaryKey)
        .containsExactly("/Corporate/people/2");
    assertThat(calls).containsExactlyInAnyOrder("deleteAll", "put");
  }

  @Test
  void writesTheRowsOfOneMajorPathInOneRequest() {
    session.put(
        List.of(
            keyOnly.upsert("Support", 1, 1, 7),
            keyOnly.upsert("Sales", 1, 2, 7),
            keyOnly.upsert("Support", 2, 3, 7),
            keyOnly.delete("Support", 3, 4, 7)));

    assertThat(calls).containsExactlyInAnyOrder("execute", "put");
    assertThat(rows(keyOnly.generation)).hasSize(3);
  }

  /** While partitions are shared anew commits fail, and Connect tells no task. */
  @Test
  void asksForTheCommitAgainThoughNothingComes() {
    session.put(List.of(keyOnly.upsert("Support", 1, 1, 7)));
    int requests = context.commitRequests();

    session.put(List.of());

    assertThat(context.commitRequests()).isEqualTo(requests + 1);
    assertThat(context.timeouts()).endsWith(250L);
  }

  @Test
  void asksForTheSameBatchAgainWhenTheStoreIsNotAvailable() {
    fault =
        (method, arguments) -> {
          throw new KvStoreException.Unavailable("no quorum");
        };
    List<SinkRecord> batch =
        List.of(keyOnly.upsert("Support", 1, 1, 7), keyOnly.upsert("Sales", 1, 2, 7));
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> session.put(batch))
          .isInstanceOf(RetriableException.class)
          .hasMessageContaining("no quorum");
    }
    assertThat(context.timeouts()).containsExactly(50L, 100L, 200L);
    assertThat(context.commitRequests()).isZero();
    assertThat(context.rejected()).isEmpty();

    fault = (method, arguments) -> {};
    session.put(batch);
    assertThat(rows(keyOnly.generation)).hasSize(2);
  }

  @Test
  void leavesWhatHasNotBegunWhenTheStoreIsNotAvailable() {
    fault =
        (method, arguments) -> {
          throw new KvStoreException.Unavailable("no answer");
        };

    assertThatThrownBy(() -> session.put(ofDifferentMajorPaths(40)))
        .isInstanceOf(RetriableException.class)
        .hasMessageContaining("no answer");
    assertThat(calls).hasSizeBetween(1, CONCURRENCY);
  }

  @Test
  void leavesWhatHasNotBegunInTime() {
    fault = (method, arguments) -> clock.pass(KvRowWriter.MAX_DURATION.dividedBy(5));
    List<SinkRecord> batch = ofDifferentMajorPaths(40);

    assertThatThrownBy(() -> session.put(batch))
        .isInstanceOf(RetriableException.class)
        .hasMessageContaining("max.poll.records");
    assertThat(calls).hasSizeBetween(5, 4 + CONCURRENCY);
    assertThat(context.commitRequests()).isZero();

    fault = (method, arguments) -> {};
    session.put(batch);
    assertThat(rows(keyOnly.generation)).hasSize(40);
  }

  @Test
  void leavesWhatHasNotBegunInTimeWhenTheClockIsSetBack() {
    fault =
        (method, arguments) -> {
          clock.setBack(Duration.ofHours(1));
          clock.pass(KvRowWriter.MAX_DURATION);
        };

    assertThatThrownBy(() -> session.put(ofDifferentMajorPaths(40)))
        .isInstanceOf(RetriableException.class)
        .hasMessageContaining("max.poll.records");
    assertThat(calls).hasSizeBetween(1, CONCURRENCY);
  }

  /** Another task may have its partitions when it wakes up. */
  @Test
  void leavesWhatHasNotBegunWhenTheMachineStoodStill() {
    fault = (method, arguments) -> clock.setBack(KvRowWriter.MAX_DURATION.negated());

    assertThatThrownBy(() -> session.put(ofDifferentMajorPaths(40)))
        .isInstanceOf(RetriableException.class)
        .hasMessageContaining("max.poll.records");
    assertThat(calls).hasSizeBetween(1, CONCURRENCY);
  }

  @Test
  void leavesRowsOfARefusedRequestThatHaveNotBegunInTime() {
    fault =
        (method, arguments) -> {
          clock.pass(KvRowWriter.MAX_DURATION.dividedBy(5));
          throw new KvStoreException.Refused("too large");
        };
    List<SinkRecord> batch = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      batch.add(keyOnly.upsert("Support", i, i, 7));
    }

    assertThatThrownBy(() -> session.put(batch)).isInstanceOf(RetriableException.class);
    assertThat(calls).containsExactly("execute", "put", "put", "put", "put");
    assertThat(context.rejected()).isEmpty();
  }

  private List<SinkRecord> ofDifferentMajorPaths(int count) {
    List<SinkRecord> records = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      records.add(keyOnly.upsert("Org " + i, i, i, 7));
    }
    return records;
  }

  private List<SinkRecord> deletesOfDifferentMajorPaths(int count) {
    List<SinkRecord> records = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      records.add(keyOnly.delete("Org " + i, i, i, 8));
    }
    return records;
  }

  @Test
  void reportsARowWithoutAPlaceOnceHoweverOftenItsBatchComes() {
    fault =
        (method, arguments) -> {
          throw new KvStoreException.Unavailable("no quorum");
        };
    List<SinkRecord> batch =
        List.of(keyOnly.upsert("x".repeat(40_000), 1, 1, 7), keyOnly.upsert("Sales", 1, 2, 7));
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> session.put(batch)).isInstanceOf(RetriableException.class);
    }
    fault = (method, arguments) -> {};
    session.put(batch);

    assertThat(context.rejected()).hasSize(1);
    assertThat(rows(keyOnly.generation)).hasSize(1);
  }

  @Test
  void reportsOnlyTheRowThatTheStoreRefuses() {
    fault =
        (method, arguments) -> {
          if (touches(arguments, "/Corporate/people/3")) {
            throw new KvStoreException.Refused("too large");
          }
        };
    session.put(
        List.of(
            keyOnly.upsert("Support", 1, 1, 7),
            keyOnly.upsert("Support", 2, 3, 7),
            keyOnly.upsert("Support", 3, 4, 7)));

    assertThat(context.rejected()).containsExactly("indexview.view.kv.v.1-0@1: too large");
    assertThat(rows(keyOnly.generation))
        .extracting(StoredRow::primaryKey)
        .containsExactlyInAnyOrder("/Corporate/people/1", "/Corporate/people/4");
    assertThat(context.commitRequests()).isEqualTo(1);
  }

  @Test
  void endsTheTaskAtARefusedRowWithoutADeadLetterTopic() {
    session.close();
    FakeSinkContext withoutReporter = new FakeSinkContext(false);
    session = session(withoutReporter, "META");
    fault =
        (method, arguments) -> {
          throw new KvStoreException.Refused("too large");
        };
    assertThatThrownBy(() -> session.put(List.of(keyOnly.upsert("Support", 1, 1, 7))))
        .isInstanceOf(DataException.class)
        .hasMessage("indexview.view.kv.v.1-0@0: too large");
    assertThat(withoutReporter.commitRequests()).isZero();
  }

  @Test
  void reportsRowsThatHaveNoPlaceOrNoVersionAndAppliesTheOthers() {
    SinkRecord tooLong = keyOnly.upsert("x".repeat(40_000), 1, 1, 7);
    SinkRecord unversioned = keyOnly.upsert("Support", 1, 2, 7);
    unversioned.headers().remove(RowHeaders.REVISION);
    SinkRecord unexpected =
        new SinkRecord("other", 3, Schema.STRING_SCHEMA, "key", null, "value", 5);
    session.put(List.of(tooLong, unversioned, unexpected, keyOnly.upsert("Support", 1, 3, 7)));

    assertThat(context.rejected()).hasSize(3);
    assertThat(context.rejected().get(0)).startsWith("indexview.view.kv.v.1-0@0: ");
    assertThat(context.rejected().get(1)).contains(RowHeaders.REVISION);
    assertThat(context.rejected().get(2)).startsWith("other-3@5: ").contains("AvroConverter");
    assertThat(rows(keyOnly.generation))
        .extracting(StoredRow::primaryKey)
        .containsExactly("/Corporate/people/3");
  }

  @Test
  void doesNothingForAnEmptyBatch() {
    session.put(List.of());

    assertThat(calls).isEmpty();
  }

  @Test
  void writesManyRowsInBulkBesideWhatGoes() {
    session.put(List.of(keyOnly.upsert("Old", 1, 1, 6)));
    calls.clear();
    List<SinkRecord> batch = ofDifferentMajorPaths(KvRowWriter.MIN_IN_BULK);
    batch.add(keyOnly.delete("Old", 1, 1, 7));
    CountDownLatch removes = new CountDownLatch(1);
    fault =
        (method, arguments) -> {
          if (method.equals("deleteAll")) {
            removes.countDown();
          } else if (!awaits(removes)) {
            throw new AssertionError("a row goes only once the bulk is written");
          }
        };
    session.put(batch);

    assertThat(calls).containsExactlyInAnyOrder("putAll", "deleteAll");
    assertThat(rows(keyOnly.generation)).hasSize(KvRowWriter.MIN_IN_BULK);
  }

  private static boolean awaits(CountDownLatch latch) {
    try {
      return latch.await(1, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Test
  void findsTheRowForWhichTheStoreRefusesABulk() {
    fault =
        (method, arguments) -> {
          if (method.equals("putAll") || touches(arguments, "/Corporate/people/3")) {
            throw new KvStoreException.Refused("too large");
          }
        };
    session.put(ofDifferentMajorPaths(KvRowWriter.MIN_IN_BULK));

    assertThat(context.rejected()).containsExactly("indexview.view.kv.v.1-0@3: too large");
    assertThat(rows(keyOnly.generation)).hasSize(KvRowWriter.MIN_IN_BULK - 1);
  }

  @Test
  void writesABulkAgainWhenTheStoreIsNotAvailable() {
    List<SinkRecord> batch = ofDifferentMajorPaths(KvRowWriter.MIN_IN_BULK);
    fault =
        (method, arguments) -> {
          throw new KvStoreException.Unavailable("no answer");
        };
    assertThatThrownBy(() -> session.put(batch)).isInstanceOf(RetriableException.class);
    assertThat(calls).containsExactly("putAll");

    fault = (method, arguments) -> {};
    session.put(batch);
    assertThat(rows(keyOnly.generation)).hasSize(KvRowWriter.MIN_IN_BULK);
    assertThat(context.rejected()).isEmpty();
  }

  @Test
  void removesManyRowsOfDifferentMajorPathsTogether() {
    session.put(ofDifferentMajorPaths(KvRowWriter.MIN_IN_BULK));
    calls.clear();
    session.put(deletesOfDifferentMajorPaths(KvRowWriter.MIN_IN_BULK));

    assertThat(calls)
        .containsOnly("deleteAll")
        .hasSizeBetween(
            KvRowWriter.MIN_IN_BULK / KvRowWriter.MAX_DELETES, KvRowWriter.MIN_IN_BULK / 2);
    assertThat(rows(keyOnly.generation)).isEmpty();
  }

  @Test
  void findsTheRowThatTheStoreRefusesToRemove() {
    session.put(ofDifferentMajorPaths(KvRowWriter.MIN_IN_BULK));
    fault =
        (method, arguments) -> {
          if (touches(arguments, "/Corporate/people/3")) {
            throw new KvStoreException.Refused("not this one");
          }
        };
    session.put(deletesOfDifferentMajorPaths(KvRowWriter.MIN_IN_BULK));

    assertThat(context.rejected()).hasSize(1).allMatch(row -> row.endsWith(": not this one"));
    assertThat(rows(keyOnly.generation))
        .extracting(StoredRow::primaryKey)
        .containsExactly("/Corporate/people/3");
  }

  @Test
  void splitsManyRowsOfOneMajorPath() {
    List<SinkRecord> rows = new ArrayList<>();
    List<SinkRecord> deletes = new ArrayList<>();
    for (int i = 0; i < 1_100; i++) {
      rows.add(keyOnly.upsert("Support", i, i, 7));
      deletes.add(keyOnly.delete("Support", i, i, 8));
    }
    session.put(rows);
    assertThat(rows(keyOnly.generation)).hasSize(1_100);
    session.put(deletes);

    assertThat(calls).containsExactly("putAll", "execute", "execute", "execute");
    assertThat(rows(keyOnly.generation)).isEmpty();
  }

  /** One of the sizes that a primary record may have. */
  @Test
  void splitsLargeRowsOfOneMajorPath() {
    ViewRows named = new ViewRows("key: [org]\ninclude: [name]\nlayout: key-value\ntarget: kv");
    List<SinkRecord> batch = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      SinkRecord row = named.upsert("Support", 0, i, 7);
      ((Struct) row.value()).put("name", "x".repeat(300_000));
      batch.add(row);
    }
    session.put(batch);

    assertThat(calls).containsExactlyInAnyOrder("execute", "execute", "execute");
    assertThat(rows(named.generation)).hasSize(10);
  }

  private static boolean touches(Object[] arguments, String primaryKey) {
    String end = primaryKey.substring(1);
    List<KvKey> keys = new ArrayList<>();
    if (arguments[0] instanceof KvKey key) {
      keys.add(key);
    } else if (arguments[0] instanceof List<?> several) {
      several.forEach(
          one -> keys.add(one instanceof KvOperation operation ? operation.key() : (KvKey) one));
    }
    return keys.stream().anyMatch(key -> String.join("/", key.minor()).endsWith(end));
  }
}
