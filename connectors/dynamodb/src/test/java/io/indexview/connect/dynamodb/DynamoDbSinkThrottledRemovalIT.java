package io.indexview.connect.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.metadata.StateRecords;
import io.indexview.connect.common.metadata.ViewStates;
import io.indexview.connect.dynamodb.DynamoDbSinkTask.SinkStores;
import io.indexview.connect.dynamodb.FaultyItemStore.Fault;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.schemas.control.ViewState.State;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

class DynamoDbSinkThrottledRemovalIT extends SinkSessionHarness {
  private final StateRecords control = new StateRecords();

  @Test
  void repeatsWhatIsThrottledOfAllButRows() {
    FaultyItemStore repeating = new FaultyItemStore(tables);
    store.next(Collections.nCopies(1_000, Fault.THROTTLE));
    store.beforeDeletion(DynamoDbSinkThrottledRemovalIT::throttle);
    SteppingClock clock = new SteppingClock();
    DynamoDbSinkSession session = session(new SinkStores(store, repeating), context, clock);
    session.put(
        List.of(
            control.of(
                ViewStates.state(
                    rows.generation().view(),
                    1,
                    State.READY,
                    Map.of(rows.generation(), Role.SERVING)))));
    assertThat(tables.describe(table)).isPresent();

    session.put(List.of(control.removeRows(rows.generation(), 0)));
    drainAll(session);

    assertThat(tables.describe(table)).isEmpty();
    assertThat(store.writes()).isZero();
    session.close();
    assertThat(store.closed()).isTrue();
    assertThat(repeating.closed()).isTrue();
  }

  /** A removal that began anew each time would never come to the third page. */
  @Test
  void getsThroughATableThoughEverySecondPageIsThrottled() {
    FileRows old = new FileRows(table, 1, "in-place");
    FileRows next = new FileRows(table, 2, "in-place");
    DynamoDbSinkSession session = session();
    List<SinkRecord> records = new ArrayList<>();
    for (int i = 0; i < 250; i++) {
      records.add(old.upsert(0, "old" + i, i + 1, "u", 1L));
      records.add(next.upsert(0, "next" + i, i + 1, "u", 1L));
    }
    session.put(records);
    drainAll(session);
    AtomicInteger scans = new AtomicInteger();
    store.beforeScan(
        () -> {
          if (scans.incrementAndGet() % 2 == 0) {
            throttle();
          }
        });

    session.put(List.of(control.removeRows(old.generation(), 250)));
    drainAll(session);

    List<Map<String, Object>> left = tables.scan(table, null, 1_000).items();
    assertThat(left).hasSize(250);
    assertThat(left)
        .allSatisfy(item -> assertThat((String) item.get("objectKey")).startsWith("next"));
  }

  private static void throttle() {
    throw new ItemStoreException.Unavailable("throttled", null);
  }
}
