package io.indexview.connect.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.metadata.StateRecords;
import io.indexview.connect.dynamodb.write.TableLimiter;
import io.indexview.connect.dynamodb.write.TableLimiters;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

/** How a session lives with the rate limits of its tables. */
class DynamoDbSinkThrottlingIT extends SinkSessionHarness {
  private final StateRecords control = new StateRecords();
  private final List<String> forgotten = new ArrayList<>();

  /** While the worker waits to call again nothing is sent, and the budget runs over. */
  @Test
  void staysAwayNoLongerEachTimeThatTheBudgetHoldsWritesBack() {
    DynamoDbSinkSession session =
        session(
            "dynamodb.table.write.units.per.second",
            "1",
            "dynamodb.buffer.max.records",
            "2",
            "retry.backoff.initial.ms",
            "1000",
            "retry.backoff.max.ms",
            "10000");
    List<SinkRecord> records = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      records.add(rows.upsert(0, "file" + i, i + 1, "u", 1L));
    }
    session.put(records);

    for (int call = 0; call < 3; call++) {
      session.put(List.of());
      assertThat(session.busy()).isTrue();
      assertThat(context.nextScan()).isBetween(1L, 10L);
    }
  }

  /** The store does not tell what a refusal takes, and it takes as much as a write. */
  @Test
  void countsWhatIsHeldOffByItsSize() {
    putAll(session(), rows.upsert(0, "a.txt", 5, "u".repeat(2_000), 1L));
    List<TableLimiter> limiters = new ArrayList<>();
    metrics =
        new TableLimiters.Listener() {
          @Override
          public void added(TableLimiter limiter) {
            limiters.add(limiter);
          }

          @Override
          public void removed(TableLimiter limiter) {}
        };
    DynamoDbSinkSession zombie = session();

    zombie.put(List.of(rows.upsert(0, "a.txt", 4, "u", 1L)));
    drainAll(zombie);

    assertThat(limiters).singleElement().extracting(TableLimiter::heldOffRows).isEqualTo(1L);
    assertThat(limiters.get(0).units()).isEqualTo(3);
  }

  @Test
  void keepsTheRateOfATableThatTheNextGenerationServes() {
    watchFlows();
    FileRows old = new FileRows(table, 1, "in-place");
    FileRows next = new FileRows(table, 2, "in-place");
    DynamoDbSinkSession session = session();
    putAll(session, old.upsert(0, "a.txt", 1, "u", 1L), next.upsert(0, "b.txt", 1, "u", 1L));

    session.put(List.of(control.removeRows(old.generation(), 1)));
    drainAll(session);
    assertThat(forgotten).isEmpty();

    session.put(List.of(control.removeRows(next.generation(), 1)));
    drainAll(session);
    assertThat(forgotten).containsExactly(table);
  }

  @Test
  void forgetsTheRateOfATableThatIsGone() {
    watchFlows();
    DynamoDbSinkSession session = session();
    putAll(session, rows.upsert(0, "a.txt", 1, "u", 1L));

    session.put(List.of(control.removeRows(rows.generation(), 1)));
    drainAll(session);

    assertThat(forgotten).containsExactly(table);
  }

  private void watchFlows() {
    metrics =
        new TableLimiters.Listener() {
          @Override
          public void added(TableLimiter limiter) {}

          @Override
          public void removed(TableLimiter limiter) {
            forgotten.add(limiter.table());
          }
        };
  }
}
