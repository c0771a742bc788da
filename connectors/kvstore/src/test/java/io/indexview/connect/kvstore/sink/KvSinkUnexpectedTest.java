package io.indexview.connect.kvstore.sink;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.indexview.connect.common.metadata.StateRecords;
import io.indexview.connect.kvstore.config.KvStoreSinkConfig.WriteMode;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.control.UnexpectedRow;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.StoredRow;
import io.indexview.views.layout.UnexpectedRemoval;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Removes what is no row, and never a row, whoever wrote it when. */
class KvSinkUnexpectedTest extends KvSinkHarness {
  private static final String KEY_VALUE = "key: [org]\nlayout: key-value\ntarget: kv";
  private static final String LIST = "key: [org]\nlayout: list\ntarget: kv";
  private static final byte[] SCRIBBLE = "scribble".getBytes(UTF_8);

  private final StateRecords control = new StateRecords();
  private final ViewRows people = new ViewRows("people", 1, KEY_VALUE);
  private final TopicPartition partition = new TopicPartition(people.generation.viewTopic(), 0);

  @Override
  WriteMode mode() {
    return WriteMode.CONDITIONAL;
  }

  private KvRowWrite write(SinkRecord row) {
    return new RowMapper(mode(), MAX_VALUE_BYTES).map(row);
  }

  private static UnexpectedRow unexpected(KvKey key, byte[] value) {
    return new UnexpectedRow(key.toString(), UnexpectedRow.digest(value));
  }

  private SinkRecord removal(ViewRows of, long offset, UnexpectedRow... rows) {
    return control.command(
        UnexpectedRemoval.COMMAND,
        of.generation.viewTopic(),
        new UnexpectedRemoval(of.generation, List.of(rows)).toJson(),
        offset);
  }

  /** Until its offset is committed, which says that it is done. */
  private void remove(long offset, UnexpectedRow... rows) {
    session.put(List.of(removal(people, offset, rows)));
    awaitDone(partition, offset);
  }

  private void awaitDone(TopicPartition of, long offset) {
    await()
        .until(
            () -> {
              session.put(List.of());
              return session.committable(Map.of()).get(of).offset() == offset + 1;
            });
  }

  private KvKey underRows(String... minor) {
    return new KvKey(KvLayout.of(people.generation).parent(), List.of(minor));
  }

  private List<KvKey> all() {
    List<KvKey> keys = new ArrayList<>();
    try (var records = store.storeIterator(KvScan.all())) {
      while (records.hasNext()) {
        keys.add(records.next().key());
      }
    }
    return keys;
  }

  @Test
  void removesWhatIsNoRowAndNothingElse() {
    SinkRecord row = people.upsert("Support", 1, 1, 7);
    SinkRecord deleted = people.upsert("Support", 1, 2, 7);
    session.put(List.of(row, deleted, people.delete("Support", 1, 2, 8)));
    KvKey beside = underRows("scribble");
    KvKey inARowsPlace = write(people.upsert("Sales", 1, 3, 7)).key();
    KvKey kept = underRows("another");
    KvKey elsewhere = KvKey.fromString("/IDX/else/-/x");
    KvKey primary = KvKey.fromString("/Corporate/people/1");
    List.of(beside, inARowsPlace, kept, elsewhere, primary)
        .forEach(key -> store.put(key, SCRIBBLE));
    byte[] stored = store.get(write(row).key()).orElseThrow().value();
    byte[] tombstone = store.get(write(deleted).key()).orElseThrow().value();

    remove(
        10,
        unexpected(beside, SCRIBBLE),
        unexpected(inARowsPlace, SCRIBBLE),
        // What the report said is gone, or another thing.
        unexpected(kept, new byte[] {1}),
        unexpected(underRows("gone"), SCRIBBLE),
        // None of it is among the rows of the view.
        unexpected(elsewhere, SCRIBBLE),
        unexpected(primary, SCRIBBLE),
        // These are rows.
        unexpected(write(row).key(), stored),
        unexpected(write(deleted).key(), tombstone),
        new UnexpectedRow("no key", "00"));

    assertThat(all())
        .containsExactlyInAnyOrder(
            write(row).key(), write(deleted).key(), kept, elsewhere, primary);
    assertThat(context.rejected()).isEmpty();
  }

  /** By the sink's own retention, whatever the command says. */
  @ParameterizedTest
  @ValueSource(strings = {KEY_VALUE, LIST})
  void removesTombstonesThatItHasKeptForLongEnough(String layout) {
    ViewRows view = new ViewRows("aged", 1, layout);
    long old = 1_000;
    long kept = old + 1;
    clock.set(kept);
    SinkRecord row = view.upsert("Support", 1, 1, old);
    session.put(List.of(row));
    session.put(List.of(view.upsert("Support", 1, 2, old - 1), view.delete("Support", 1, 2, old)));
    session.put(List.of(view.upsert("Sales", 1, 3, kept - 1), view.delete("Sales", 1, 3, kept)));
    assertThat(rows(view.generation)).hasSize(3);
    clock.pass(RETENTION);

    session.put(
        List.of(
            removal(
                view,
                9,
                tombstone(view, "Support", 2),
                tombstone(view, "Sales", 3),
                tombstone(view, "Support", 1))));
    awaitDone(new TopicPartition(view.generation.viewTopic(), 0), 9);

    assertThat(rows(view.generation))
        .extracting(StoredRow::deleted, stored -> stored.revision().getAsLong())
        .containsExactlyInAnyOrder(tuple(false, old), tuple(true, kept));
  }

  private UnexpectedRow tombstone(ViewRows of, String org, int number) {
    SinkRecord deleted = of.delete(org, 1, number, 1);
    Struct key = (Struct) deleted.key();
    String record = write(deleted).key().toString();
    boolean isList = KvLayout.of(of.generation).isList();
    return new UnexpectedRow(isList ? record + " " + key.getString("_primaryKey") : record, "");
  }

  /** A late write of the row would not be held off any more. */
  @ParameterizedTest
  @ValueSource(strings = {"get", "deleteIfVersion"})
  void neverRemovesATombstoneThatIsWrittenMeanwhile(String before) {
    session.put(List.of(people.upsert("Support", 1, 1, 7), people.delete("Support", 1, 1, 8)));
    clock.pass(RETENTION.multipliedBy(2));
    KvRowWrite next = write(people.delete("Support", 1, 1, clock.millis()));
    fault =
        (method, arguments) -> {
          if (method.equals(before) && arguments[0].equals(next.key())) {
            store.put(next.key(), next.value());
          }
        };

    remove(10, tombstone(people, "Support", 1));

    assertThat(calls).contains("get");
    assertThat(rows(people.generation))
        .singleElement()
        .matches(StoredRow::deleted)
        .matches(stored -> stored.revision().getAsLong() == clock.millis());
  }

  @Test
  void removesWhatHasAValueAmongKeyOnlyRows() {
    ViewRows keys = new ViewRows("keys", 1, "key: [org]\ntarget: kv");
    SinkRecord row = keys.upsert("Support", 1, 1, 7);
    RowMapper mapper = new RowMapper(WriteMode.OVERWRITE, MAX_VALUE_BYTES);
    KvKey rowKey = mapper.map(row).key();
    KvKey altered = mapper.map(keys.upsert("Sales", 1, 2, 7)).key();
    store.put(rowKey, mapper.map(row).value());
    store.put(altered, SCRIBBLE);

    session.put(
        List.of(removal(keys, 4, unexpected(altered, SCRIBBLE), unexpected(rowKey, new byte[0]))));
    awaitDone(new TopicPartition(keys.generation.viewTopic(), 0), 4);

    assertThat(all()).containsExactly(rowKey);
  }

  /** Whatever it holds, what comes after it is removed, too. */
  @ParameterizedTest
  @ValueSource(strings = {KEY_VALUE, LIST})
  void removesATombstoneThatIsNone(String layout) {
    ViewRows view = new ViewRows("torn", 1, layout);
    KvKey tooLate = write(view.delete("Sales", 1, 1, 7)).key();
    KvRowWrite other = write(view.delete("Support", 1, 2, 7));
    KvKey row = other.key();
    KvKey last = write(view.delete("Tax", 1, 3, 7)).key();
    String deleted = new String(write(view.delete("Sales", 1, 1, 7)).value(), UTF_8);
    byte[] beyondLong = deleted.replace(":7", ":18446744073709551617").getBytes(UTF_8);
    byte[] deletedByText =
        new String(other.value(), UTF_8).replace("true", "\"true\"").getBytes(UTF_8);
    store.put(tooLate, beyondLong);
    store.put(row, deletedByText);
    store.put(last, SCRIBBLE);

    session.put(
        List.of(
            removal(
                view,
                4,
                unexpected(tooLate, beyondLong),
                unexpected(row, deletedByText),
                unexpected(last, SCRIBBLE))));
    awaitDone(new TopicPartition(view.generation.viewTopic(), 0), 4);

    assertThat(all()).containsExactly(row);
    assertThat(rows(view.generation)).as("to both who read it").noneMatch(StoredRow::deleted);
  }

  /** Such a list is read, and none that the sink can change. */
  @Test
  void leavesAListInAnotherEncoding() {
    ViewRows view = new ViewRows("wide", 1, LIST);
    KvKey key = write(view.delete("Sales", 1, 1, 7)).key();
    String deleted = new String(write(view.delete("Sales", 1, 1, 7)).value(), UTF_8);
    store.put(key, deleted.getBytes(UTF_16BE));
    KvKey last = write(view.delete("Tax", 1, 3, 7)).key();
    store.put(last, SCRIBBLE);

    session.put(
        List.of(
            removal(view, 4, new UnexpectedRow(key.toString(), ""), unexpected(last, SCRIBBLE))));
    awaitDone(new TopicPartition(view.generation.viewTopic(), 0), 4);

    assertThat(all()).containsExactly(key);
  }

  /** The sink itself, or another task of it, at the worst moments. */
  @ParameterizedTest
  @ValueSource(strings = {"get", "deleteIfVersion"})
  void neverRemovesARowThatIsWrittenMeanwhile(String before) {
    KvRowWrite row = write(people.upsert("Support", 1, 1, 7));
    store.put(row.key(), SCRIBBLE);
    fault =
        (method, arguments) -> {
          if (method.equals(before) && arguments[0].equals(row.key())) {
            store.put(row.key(), row.value());
          }
        };

    remove(10, unexpected(row.key(), SCRIBBLE));

    assertThat(calls).contains("get");
    assertThat(store.get(row.key()).orElseThrow().value()).isEqualTo(row.value());
    assertThat(rows(people.generation)).hasSize(1);
  }

  /** Even what looks as before is another thing when it was written since. */
  @Test
  void leavesWhatSomebodyWritesAgainMeanwhile() {
    KvKey key = underRows("scribble");
    store.put(key, SCRIBBLE);
    fault =
        (method, arguments) -> {
          if (method.equals("deleteIfVersion")) {
            store.put(key, SCRIBBLE);
          }
        };

    remove(10, unexpected(key, SCRIBBLE));

    assertThat(all()).containsExactly(key);
  }

  /** Two tasks, as after a rebalance: one removes while the other writes. */
  @Test
  void leavesEachRowThatAnotherTaskWritesAtTheSameTime() throws Exception {
    int count = 300;
    List<SinkRecord> written = new ArrayList<>();
    List<UnexpectedRow> removed = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      SinkRecord row = people.upsert("Org " + i, 1, i, 7);
      store.put(write(row).key(), SCRIBBLE);
      removed.add(unexpected(write(row).key(), SCRIBBLE));
      written.add(row);
    }
    byte[][] values = written.stream().map(row -> write(row).value()).toArray(byte[][]::new);
    Thread other =
        new Thread(
            () -> {
              for (int i = 0; i < count; i++) {
                store.put(write(written.get(i)).key(), values[i]);
              }
            });
    session.put(List.of(removal(people, 1_000, removed.toArray(UnexpectedRow[]::new))));
    other.start();
    awaitDone(partition, 1_000);
    other.join();

    assertThat(rows(people.generation)).hasSize(count);
    for (int i = 0; i < count; i++) {
      byte[] stored = store.get(write(written.get(i)).key()).orElseThrow().value();
      assertThat(Arrays.equals(stored, values[i])).as("row %d", i).isTrue();
    }
  }

  @Test
  void doesItAgainWhenTheStoreWasAway() {
    KvKey key = underRows("scribble");
    store.put(key, SCRIBBLE);
    AtomicInteger failures = new AtomicInteger();
    fault =
        (method, arguments) -> {
          if (method.equals("deleteIfVersion") && failures.incrementAndGet() < 3) {
            throw new KvStoreException.Unavailable("no quorum");
          }
        };

    remove(10, unexpected(key, SCRIBBLE));

    assertThat(failures).hasValue(3);
    assertThat(all()).isEmpty();
  }

  /** It would lie in the place of a row for ever. */
  @Test
  void makesRoomForTheRowThatBelongsThere() {
    SinkRecord row = people.upsert("Support", 1, 1, 7);
    store.put(write(row).key(), SCRIBBLE);

    remove(10, unexpected(write(row).key(), SCRIBBLE));
    session.put(List.of(row));

    assertThat(rows(people.generation)).hasSize(1);
  }
}
