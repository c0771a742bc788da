package io.indexview.connect.kvstore.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.kvstore.config.KvStoreSinkConfig.WriteMode;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStoreException;
import io.indexview.views.layout.StoredRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

class KvSinkFenceTest extends KvSinkHarness {
  private static final String KEY_VALUE = "key: [org]\ninclude: [name]\nlayout: key-value\n";

  private static final Duration WAIT = Duration.ofMillis(1);

  private final ViewRows view = new ViewRows(KEY_VALUE + "target: kv");

  @Override
  WriteMode mode() {
    return WriteMode.CONDITIONAL;
  }

  private List<String> stored() {
    return rows(view.generation).stream()
        .map(
            row ->
                row.primaryKey().replaceFirst(".*/", "")
                    + (row.deleted() ? "-" : "+")
                    + row.revision().orElseThrow())
        .sorted()
        .toList();
  }

  @Test
  void neverReplacesANewerRow() {
    session.put(List.of(view.upsert("Support", 0, 1, 8)));
    session.put(List.of(view.upsert("Support", 0, 1, 7)));
    assertThat(stored()).containsExactly("1+8");

    session.put(List.of(view.delete("Support", 0, 1, 7)));
    assertThat(stored()).containsExactly("1+8");

    session.put(List.of(view.upsert("Support", 0, 1, 9)));
    assertThat(stored()).containsExactly("1+9");
    assertThat(context.rejected()).isEmpty();
  }

  @Test
  void neverBringsADeletedRowBack() {
    session.put(List.of(view.upsert("Support", 0, 1, 7)));
    session.put(List.of(view.delete("Support", 0, 1, 8), view.delete("Support", 0, 2, 8)));
    session.put(List.of(view.upsert("Support", 0, 1, 7), view.upsert("Support", 0, 2, 7)));
    assertThat(stored()).containsExactly("1-8", "2-8");

    session.put(List.of(view.upsert("Support", 0, 1, 9)));
    assertThat(stored()).containsExactly("1+9", "2-8");
  }

  @Test
  void countsWhatItHoldsOffOnce() {
    FencedRows fenced =
        new FencedRows(
            RETENTION,
            MAX_VALUE_BYTES,
            new WrittenRecords(WRITTEN_BYTES),
            () -> new Backoff(WAIT, WAIT));
    try (KvRowWriter writer = new KvRowWriter(() -> store, settings(List.of()), fenced, clock)) {
      RowMapper mapper = new RowMapper(WriteMode.CONDITIONAL, MAX_VALUE_BYTES);
      writer.write(List.of(mapper.map(view.upsert("A", 0, 1, 8))), true);
      assertThat(writer.heldOff()).isZero();

      writer.write(
          List.of(mapper.map(view.upsert("A", 0, 1, 7)), mapper.map(view.upsert("A", 0, 2, 7))),
          true);
      assertThat(writer.heldOff()).isEqualTo(1);
    }
  }

  @Test
  void readsNothingWhileRowsAreNew() {
    session.put(List.of(view.upsert("A", 0, 1, 7), view.upsert("B", 0, 2, 7)));
    session.put(List.of(view.upsert("C", 0, 3, 7), view.upsert("C", 0, 4, 7)));

    assertThat(calls).containsExactlyInAnyOrder("putIfAbsent", "putIfAbsent", "execute");
  }

  @Test
  void readsFirstAfterExistingRowsAndInsertsAgainAfterNewOnes() {
    session.put(List.of(view.upsert("A", 0, 1, 7)));
    session.revoke(List.of());
    calls.clear();
    session.put(List.of(view.upsert("A", 0, 1, 8)));
    assertThat(calls).containsExactly("putIfAbsent", "get", "putIfVersion");

    calls.clear();
    session.revoke(List.of());
    session.put(List.of(view.upsert("A", 0, 1, 9)));
    assertThat(calls).containsExactly("get", "putIfVersion");

    session.put(List.of(view.upsert("A", 0, 2, 9)));
    calls.clear();
    session.put(List.of(view.upsert("A", 0, 3, 9)));
    assertThat(calls).containsExactly("putIfAbsent");
  }

  @Test
  void readsNoRowThatItWroteLast() {
    session.put(List.of(view.upsert("A", 0, 1, 7)));
    calls.clear();
    session.put(List.of(view.upsert("A", 0, 1, 8)));
    session.put(List.of(view.delete("A", 0, 1, 9)));
    session.put(List.of(view.upsert("A", 0, 1, 10), view.upsert("A", 0, 2, 10)));
    session.put(List.of(view.upsert("A", 0, 1, 11), view.delete("A", 0, 2, 11)));

    assertThat(calls).containsExactly("putIfVersion", "putIfVersion", "execute", "execute");
    assertThat(stored()).containsExactly("1+11", "2-11");
  }

  @Test
  void readsARowThatAnotherWroteMeanwhile() {
    session.put(List.of(view.upsert("A", 0, 1, 7)));
    try (KvStoreSinkSession other = session()) {
      other.put(List.of(view.upsert("A", 0, 1, 9)));
    }
    calls.clear();
    session.put(List.of(view.upsert("A", 0, 1, 8)));
    assertThat(calls).containsExactly("putIfVersion", "get");
    assertThat(stored()).containsExactly("1+9");
  }

  @Test
  void readsOnlyTheRowsOfARequestThatItDidNotWriteLast() {
    session.put(List.of(view.upsert("A", 0, 1, 7), view.upsert("A", 0, 2, 7)));
    session.revoke(List.of());
    session.put(List.of(view.upsert("A", 0, 1, 8)));
    calls.clear();

    session.put(
        List.of(view.upsert("A", 0, 1, 9), view.delete("A", 0, 2, 9), view.upsert("A", 0, 3, 9)));

    assertThat(calls).containsExactly("get", "get", "execute");
    assertThat(stored()).containsExactly("1+9", "2-9", "3+9");
  }

  /** Somebody may have removed it from the target. */
  @Test
  void readsARowBeforeItHoldsAWriteOff() {
    session.put(List.of(view.upsert("A", 0, 1, 7)));
    KvKey key = new RowMapper(mode(), MAX_VALUE_BYTES).map(view.upsert("A", 0, 1, 7)).key();
    store.delete(key);
    session.put(List.of(view.upsert("A", 0, 1, 7)));
    assertThat(stored()).containsExactly("1+7");
  }

  @Test
  void changesTheRowsOfOneMajorPathTogether() {
    session.put(List.of(view.upsert("A", 0, 1, 7), view.upsert("A", 0, 2, 7)));
    calls.clear();

    session.put(
        List.of(view.upsert("A", 0, 1, 6), view.upsert("A", 0, 2, 8), view.delete("A", 0, 3, 8)));

    assertThat(calls).containsExactly("get", "get", "execute");
    assertThat(stored()).containsExactly("1+7", "2+8", "3-8");
  }

  @Test
  void readsTheRowsOfOneMajorPathSeveralAtOnce() {
    session.put(List.of(view.upsert("A", 0, 1, 7), view.upsert("A", 0, 2, 7)));
    CyclicBarrier all = new CyclicBarrier(CONCURRENCY);
    fault =
        (method, arguments) -> {
          if (method.equals("get")) {
            assertThatCode(() -> all.await(1, TimeUnit.MINUTES)).doesNotThrowAnyException();
          }
        };

    session.put(List.of(view.delete("A", 0, 1, 8), view.delete("A", 0, 2, 8)));

    assertThat(stored()).containsExactly("1-8", "2-8");
  }

  @Test
  void readsNothingMoreWhenTheStoreIsNotAvailable() {
    session.put(List.of(view.upsert("A", 0, 1, 7)));
    calls.clear();
    fault =
        (method, arguments) -> {
          throw new KvStoreException.Unavailable("no answer");
        };
    List<SinkRecord> deletes = new ArrayList<>();
    for (int i = 1; i <= 40; i++) {
      deletes.add(view.delete("A", 0, i, 8));
    }

    assertThatThrownBy(() -> session.put(deletes)).isInstanceOf(RetriableException.class);
    assertThat(calls).hasSizeBetween(1, CONCURRENCY).containsOnly("get");
  }

  @Test
  void takesARequestApartWhoseRowsChangeMeanwhile() {
    session.put(List.of(view.upsert("A", 0, 1, 7), view.upsert("A", 0, 2, 7)));
    session.revoke(List.of());
    RowMapper mapper = new RowMapper(WriteMode.CONDITIONAL, MAX_VALUE_BYTES);
    KvRowWrite newer = mapper.map(view.upsert("A", 0, 1, 9));
    AtomicInteger executes = new AtomicInteger();
    fault =
        (method, arguments) -> {
          if (method.equals("execute") && executes.incrementAndGet() == 2) {
            store.put(newer.key(), newer.value());
          }
        };

    session.put(List.of(view.upsert("A", 0, 1, 8), view.upsert("A", 0, 2, 8)));

    assertThat(stored()).containsExactly("1+9", "2+8");
    assertThat(executes).hasValue(2);
  }

  @Test
  void putsTheBatchOffWhenOthersKeepChangingARow() {
    RowMapper mapper = new RowMapper(WriteMode.CONDITIONAL, MAX_VALUE_BYTES);
    session.put(List.of(view.upsert("A", 0, 1, 1)));
    AtomicInteger revision = new AtomicInteger(1);
    fault =
        (method, arguments) -> {
          if (method.equals("putIfVersion")) {
            KvRowWrite other = mapper.map(view.upsert("A", 0, 1, revision.incrementAndGet()));
            store.put(other.key(), other.value());
          }
        };

    assertThatThrownBy(() -> session.put(List.of(view.upsert("A", 0, 1, 100))))
        .isInstanceOf(RetriableException.class)
        .hasMessageContaining("others changed");
    assertThat(context.commitRequests()).isEqualTo(1);

    fault = (method, arguments) -> {};
    session.put(List.of(view.upsert("A", 0, 1, 100)));
    assertThat(stored()).containsExactly("1+100");
  }

  @Test
  void refusesOnlyTheRowThatTheStoreDoesNotTake() {
    KvRowWrite tooLarge =
        new RowMapper(WriteMode.CONDITIONAL, MAX_VALUE_BYTES).map(view.upsert("A", 0, 2, 7));
    fault =
        (method, arguments) -> {
          if (method.equals("execute")
              || (method.startsWith("put") && tooLarge.key().equals(arguments[0]))) {
            throw new KvStoreException.Refused("too large");
          }
        };
    List<SinkRecord> batch = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      batch.add(view.upsert("A", 0, i, 7));
    }

    session.put(batch);

    assertThat(stored()).containsExactly("1+7", "3+7");
    assertThat(context.rejected())
        .singleElement()
        .asString()
        .startsWith("indexview.view.kv.v.1-0@2: ")
        .endsWith("too large");
  }

  @Test
  void leavesARecordThatIsNoRowAndSaysSo() {
    KvKey key =
        new RowMapper(WriteMode.CONDITIONAL, MAX_VALUE_BYTES).map(view.upsert("A", 0, 1, 7)).key();
    store.put(key, new byte[] {'{', '}'});

    session.put(List.of(view.upsert("A", 0, 1, 7), view.upsert("A", 0, 2, 7)));

    assertThat(context.rejected()).singleElement().asString().contains("no row of the view");
    assertThat(store.get(key).orElseThrow().value()).containsExactly('{', '}');
  }

  @Test
  void countsTombstonesNoLongerThanTheirRetention() {
    clock.set(RETENTION.toMillis() + 100);
    session.put(List.of(view.delete("A", 0, 1, 99), view.delete("A", 0, 2, 100)));
    session.put(List.of(view.upsert("A", 0, 1, 98), view.upsert("A", 0, 2, 99)));

    assertThat(stored()).containsExactly("1+98", "2-100");
  }

  @Test
  void leavesNoTombstoneThatWouldCountNoLonger() {
    session.put(List.of(view.upsert("A", 0, 1, 98)));
    clock.set(RETENTION.toMillis() + 100);

    session.put(List.of(view.delete("A", 0, 1, 99), view.delete("A", 0, 2, 99)));
    assertThat(stored()).isEmpty();

    session.put(List.of(view.delete("A", 0, 3, 100)));
    assertThat(stored()).containsExactly("3-100");
  }

  @Test
  void refusesKeyOnlyRowsAndSaysWhatHelps() {
    ViewRows keyOnly = new ViewRows("w", 1, "key: [org]\ntarget: kv");

    session.put(List.of(keyOnly.upsert("A", 0, 1, 7), view.upsert("A", 0, 1, 7)));

    assertThat(context.rejected())
        .singleElement()
        .asString()
        .contains("view \"w\"", "layout: key-only", "layout: key-value", "kvstore.mode=overwrite");
    assertThat(rows(keyOnly.generation)).isEmpty();
    assertThat(rows(view.generation)).extracting(StoredRow::deleted).containsExactly(false);
  }
}
