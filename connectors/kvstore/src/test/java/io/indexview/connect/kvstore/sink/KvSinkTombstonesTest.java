package io.indexview.connect.kvstore.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.metadata.StateRecords;
import io.indexview.connect.common.metadata.ViewStates;
import io.indexview.connect.common.source.StopLatch;
import io.indexview.connect.kvstore.config.KvStoreSinkConfig.WriteMode;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.fixtures.LogLines;
import io.indexview.views.layout.KvLayout;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class KvSinkTombstonesTest extends KvSinkHarness {
  private static final long DELETED = 1_000;

  private final ViewRows view = new ViewRows("key: [org]\nlayout: key-value\ntarget: kv");
  private final ViewRows list = new ViewRows("w", 1, "key: [org]\nlayout: list\ntarget: kv");

  @Override
  WriteMode mode() {
    return WriteMode.CONDITIONAL;
  }

  @BeforeEach
  void serve() {
    serve(view.generation, "uid-1");
    serve(list.generation, "uid-1");
  }

  private void writeRowsAndTombstones() {
    for (ViewRows rows : List.of(view, list)) {
      session.put(
          List.of(
              rows.upsert("A", 0, 1, DELETED - 1),
              rows.delete("A", 0, 2, DELETED - 1),
              rows.delete("A", 0, 3, DELETED),
              rows.delete("B", 0, 4, DELETED - 1)));
    }
  }

  private void assign(ViewRows rows, int partition) {
    context.assign(Set.of(new TopicPartition(rows.generation.viewTopic(), partition)));
  }

  private List<String> stored(ViewRows rows) {
    return rows(rows.generation).stream()
        .map(row -> row.primaryKey().replaceFirst(".*/", "") + (row.deleted() ? "-" : "+"))
        .sorted()
        .toList();
  }

  private void scanUntil(Runnable assertion) {
    Awaitility.await()
        .untilAsserted(
            () -> {
              session.put(List.of());
              assertion.run();
            });
  }

  @Test
  void removesTombstonesThatHaveServedTheirTime() {
    writeRowsAndTombstones();
    clock.set(DELETED + RETENTION.toMillis());

    assign(view, 0);
    scanUntil(() -> assertThat(stored(view)).containsExactly("1+", "3-"));
    assertThat(stored(list)).hasSize(4);

    clock.pass(INTERVAL.minusMillis(1));
    assign(list, 0);
    session.put(List.of());
    clock.pass(Duration.ofMillis(1));
    scanUntil(() -> assertThat(stored(list)).containsExactly("1+"));
  }

  /** The sink's own record beside a view's metadata is no metadata that it cannot read. */
  @Test
  void warnsOfNoMetadataThatIsAsItShouldBe() {
    ViewRows described = new ViewRows("uid-2", "x", 1, "key: [org]\nlayout: key-value\ntarget: kv");
    ViewState ready =
        ViewStates.state(
            "x", 3, ViewState.State.READY, Map.of(described.generation, ViewState.Role.SERVING));
    session.put(List.of(new StateRecords().of(ViewStates.ofUid("uid-2", ready))));
    assertThat(store.get(KvKey.ofMajor("META", "x"))).isPresent();
    AtomicInteger scans = new AtomicInteger();
    fault = (method, arguments) -> scans.addAndGet(method.equals("storeIterator") ? 1 : 0);
    assign(view, 0);
    try (LogLines log = LogLines.warnings(TombstoneRemovals.class)) {
      // Of the metadata, and when that is read, of the view's rows.
      scanUntil(() -> assertThat(scans).hasValue(2));
      session.close();

      assertThat(log.get()).isEmpty();
    }
  }

  @Test
  void leavesTheViewsToTheTasksThatHaveTheirFirstPartitions() {
    writeRowsAndTombstones();
    clock.set(DELETED + RETENTION.toMillis());
    AtomicInteger scans = new AtomicInteger();
    fault = (method, arguments) -> scans.addAndGet(method.equals("storeIterator") ? 1 : 0);

    assign(view, 1);
    scanUntil(() -> assertThat(scans).hasValue(1));
    assertThat(stored(view)).hasSize(4);
  }

  @Test
  void waitsNoLongerWhenTheClockIsSetBack() {
    AtomicInteger scans = new AtomicInteger();
    fault = (method, arguments) -> scans.addAndGet(method.equals("storeIterator") ? 1 : 0);
    assign(view, 1);
    scanUntil(() -> assertThat(scans).hasValue(1));
    clock.setBack(Duration.ofHours(1));

    clock.pass(INTERVAL);
    scanUntil(() -> assertThat(scans).hasValue(2));
  }

  @Test
  void looksAgainAtTheNextTimeWhenTheStoreWasNotAvailable() {
    writeRowsAndTombstones();
    clock.set(DELETED + RETENTION.toMillis());
    AtomicInteger scans = new AtomicInteger();
    fault =
        (method, arguments) -> {
          if (method.equals("storeIterator") && scans.incrementAndGet() == 1) {
            throw new KvStoreException.Unavailable("no quorum");
          }
        };
    assign(view, 0);
    scanUntil(() -> assertThat(scans).hasValue(1));

    clock.pass(INTERVAL);
    scanUntil(() -> assertThat(stored(view)).containsExactly("1+"));
  }

  /** A task that starts while nothing is written has nothing else to open the store for. */
  @Test
  void waitsForAStoreThatIsAwayWhenTheTaskStarts() {
    writeRowsAndTombstones();
    clock.set(DELETED + RETENTION.toMillis());
    session.close();
    session = session();
    assign(view, 0);
    opening =
        () -> {
          throw new KvStoreException.Unavailable("no node answers");
        };
    session.put(List.of());

    opening = () -> {};
    clock.pass(TombstoneRemovals.OPEN_AGAIN);
    scanUntil(() -> assertThat(stored(view)).containsExactly("1+"));
  }

  @Test
  void leavesATombstoneThatARowHasReplacedMeanwhile() throws InterruptedException {
    session.put(List.of(view.delete("A", 0, 1, 7), view.delete("A", 0, 2, 7)));
    KvRowWrite newer =
        new RowMapper(WriteMode.CONDITIONAL, MAX_VALUE_BYTES).map(view.upsert("A", 0, 1, 8));
    KvKey unexpected = new KvKey(KvLayout.of(view.generation).parent(), List.of("x"));
    store.put(unexpected, new byte[] {1});
    var observed =
        ObservedKvStore.of(
            store,
            (method, arguments) -> {
              if (method.equals("deleteIfVersion") && newer.key().equals(arguments[0])) {
                store.put(newer.key(), newer.value());
              }
            });

    long changed =
        new TombstoneRemoval(observed, KvLayout.of(view.generation), 10).run(100, new StopLatch());

    assertThat(changed).isEqualTo(1);
    assertThat(store.get(newer.key()).orElseThrow().value()).isEqualTo(newer.value());
    assertThat(store.get(unexpected)).isPresent();
  }
}
