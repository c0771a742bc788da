package io.indexview.connect.kvstore.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.metadata.StateRecords;
import io.indexview.connect.common.sink.FakeSinkContext;
import io.indexview.views.layout.StoredRow;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class KvSinkListTest extends KvSinkHarness {
  private final ViewRows view =
      new ViewRows("key: [org]\nlayout: list\nmaxElements: 3\ntarget: kv");

  private List<String> live() {
    return rows(view.generation).stream()
        .filter(row -> !row.deleted())
        .map(row -> row.key().get("org") + row.primaryKey().replaceFirst(".*/", ""))
        .sorted()
        .toList();
  }

  private long records() {
    return rows(view.generation).stream().map(StoredRow::key).distinct().count();
  }

  @Test
  void listsThePrimaryKeysOfAValueInOneRecord() {
    session.put(
        List.of(view.upsert("A", 0, 1, 7), view.upsert("A", 0, 2, 7), view.upsert("B", 0, 3, 7)));
    assertThat(live()).containsExactly("A1", "A2", "B3");
    assertThat(records()).isEqualTo(2);
    assertThat(calls).containsExactlyInAnyOrder("putIfAbsent", "putIfAbsent");

    session.put(List.of(view.delete("A", 0, 1, 8), view.upsert("A", 0, 4, 8)));
    session.put(List.of(view.upsert("A", 0, 1, 7)));
    assertThat(live()).containsExactly("A2", "A4", "B3");
  }

  @Test
  void keepsTheNewestOfEachPrimaryKeyInABatch() {
    session.put(
        List.of(
            view.upsert("A", 0, 1, 7),
            view.upsert("A", 0, 2, 7),
            view.delete("A", 0, 1, 8),
            view.upsert("A", 0, 2, 8)));

    assertThat(rows(view.generation))
        .extracting(row -> row.revision().orElseThrow())
        .containsExactly(8L, 8L);
    assertThat(live()).containsExactly("A2");
  }

  @Test
  void refusesTheRowThatIsOneTooManyAndSaysWhatHelps() {
    List<SinkRecord> batch = new ArrayList<>();
    for (int i = 1; i <= 5; i++) {
      batch.add(view.upsert("A", 0, i, 7));
    }
    session.put(batch);

    assertThat(live()).containsExactly("A1", "A2", "A3");
    assertThat(context.rejected())
        .hasSize(2)
        .allSatisfy(report -> assertThat(report).contains("the list is full", "layout: key-value"));

    session.put(List.of(view.delete("A", 0, 4, 8)));
    assertThat(context.rejected()).hasSize(2);
  }

  @Test
  void makesRoomWhenDeletionsNeedNoLongerBeRemembered() {
    clock.set(RETENTION.toMillis() + 100);
    for (int i = 1; i <= 3; i++) {
      session.put(List.of(view.upsert("A", 0, i, 90)));
      session.put(List.of(view.delete("A", 0, i, 97 + i)));
    }
    session.put(List.of(view.upsert("A", 0, 4, 101)));
    session.put(List.of(view.upsert("A", 0, 5, 102), view.upsert("A", 0, 6, 103)));

    assertThat(live()).containsExactly("A4", "A5");
    assertThat(context.rejected())
        .singleElement()
        .asString()
        .contains("2 primary keys and 1 deleted ones");
  }

  @Test
  void remembersNoDeletionThatIsTooOld() {
    session.put(List.of(view.upsert("A", 0, 1, 98), view.upsert("B", 0, 2, 98)));
    clock.set(RETENTION.toMillis() + 100);
    calls.clear();

    session.put(List.of(view.delete("A", 0, 3, 99)));
    assertThat(calls).containsExactly("get");
    session.put(List.of(view.delete("A", 0, 1, 99)));

    assertThat(rows(view.generation)).hasSize(1);
    assertThat(live()).containsExactly("B2");
  }

  @Test
  void losesNothingWhenSeveralTasksChangeARecord() throws Exception {
    ViewRows wide = new ViewRows("wide", 1, "key: [org]\nlayout: list\ntarget: kv");
    int tasks = 3;
    int changes = 30;
    List<List<SinkRecord>> ofTask = new ArrayList<>();
    for (int task = 0; task < tasks; task++) {
      List<SinkRecord> records = new ArrayList<>();
      for (int i = 0; i < changes; i++) {
        records.add(wide.upsert("A", 0, task * changes + i, 7));
      }
      ofTask.add(records);
    }
    ExecutorService threads = Executors.newFixedThreadPool(tasks);
    try {
      CountDownLatch start = new CountDownLatch(1);
      List<Future<?>> running = new ArrayList<>();
      for (List<SinkRecord> records : ofTask) {
        running.add(
            threads.submit(
                () -> {
                  start.await();
                  writeOneByOne(records);
                  return null;
                }));
      }
      start.countDown();
      for (Future<?> each : running) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(rows(wide.generation)).hasSize(tasks * changes);
  }

  private void writeOneByOne(List<SinkRecord> records) {
    try (KvStoreSinkSession task = session(new FakeSinkContext(), "META")) {
      for (SinkRecord record : records) {
        boolean isApplied = false;
        while (!isApplied) {
          isApplied = tryPut(task, record);
        }
      }
    }
  }

  private static boolean tryPut(KvStoreSinkSession task, SinkRecord record) {
    try {
      task.put(List.of(record));
      return true;
    } catch (RetriableException e) {
      return false;
    }
  }

  /** They lie under one major path, and are too large to be changed in one request. */
  @Test
  void readsOnlySoManyLargeListsBeforeItWrites() {
    ViewRows large =
        new ViewRows(
            "large", 1, "key: [org, cost]\nshardKey: 1\ninclude: [name]\nlayout: list\ntarget: kv");
    String name = "x".repeat(MAX_VALUE_BYTES - 1_000);
    List<SinkRecord> batch = new ArrayList<>();
    for (int cost = 0; cost < 40; cost++) {
      session.put(List.of(large.upsert("A", cost, 1, 7, name)));
      batch.add(large.upsert("A", cost, 2, 8, "y"));
    }
    session.put(List.of(large.upsert("A", 0, 3, 8, "there are rows already")));
    calls.clear();

    session.put(batch);

    assertThat(calls.subList(0, calls.indexOf("putIfVersion")))
        .containsOnly("get")
        .hasSizeBetween(2, 25);
    assertThat(calls).filteredOn("get"::equals).hasSizeLessThan(batch.size() + 8);
    assertThat(rows(large.generation)).hasSize(81);
  }

  @Test
  void removesTheListsOfARetiredGeneration() {
    session.put(List.of(view.upsert("A", 0, 1, 7), view.upsert("B", 0, 2, 7)));
    session.put(List.of(view.delete("B", 0, 2, 8)));

    session.put(List.of(new StateRecords().removeRows(view.generation, 9)));
    Awaitility.await()
        .untilAsserted(
            () -> {
              session.put(List.of());
              assertThat(rows(view.generation)).isEmpty();
            });
  }
}
