package io.indexview.connect.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.common.metadata.StateRecords;
import io.indexview.connect.common.metadata.ViewStates;
import io.indexview.connect.common.sink.FakeSinkContext;
import io.indexview.connect.dynamodb.DynamoDbSinkConfig.WriteMode;
import io.indexview.connect.dynamodb.FaultyItemStore.Fault;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.schemas.control.ViewState.State;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.errors.DataException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Somebody drops a table by hand: its view must not pass for whole with the rows that come later.
 */
class DynamoDbSinkLostTableIT extends SinkSessionHarness {
  private final StateRecords control = new StateRecords();

  @ParameterizedTest
  @ValueSource(strings = {"new-table", "in-place"})
  void rejectsRowsOfATableThatIsGoneWhenItStartsAgain(String swap) {
    FileRows view = new FileRows(table, 1, swap);
    putAll(session(), view.upsert(0, "a.txt", 1, "u", 1L));
    dropTable(table);

    DynamoDbSinkSession session = session();
    session.put(List.of(view.upsert(0, "b.txt", 2, "u", 1L), view.delete(0, "a.txt", 3)));
    drainAll(session);

    assertThat(tables.describe(table)).isEmpty();
    assertThat(context.rejected())
        .hasSize(2)
        .first()
        .asString()
        .startsWith(view.topic() + "-0@1: table " + table)
        .contains("is gone; rebuild the view");
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "false"})
  void rejectsRowsOfATableThatAnotherOneReplaced(String create) {
    createTable();
    session().put(List.of(new FileRows(table + "-b").upsert(0, "a.txt", 2, "u", 2L)));
    DynamoDbSinkSession before = session("dynamodb.auto.create", create);
    putAll(before, rows.upsert(0, "a.txt", 1, "u", 1L));
    dropTable(table);
    createTable();

    DynamoDbSinkSession session = session("dynamodb.auto.create", create);
    session.put(List.of(rows.upsert(0, "b.txt", 2, "u", 1L)));
    drainAll(session);

    assertThat(item("b.txt")).isNull();
    assertThat(context.rejected()).singleElement().asString().contains("was replaced by another");
  }

  @ParameterizedTest
  @CsvSource({"conditional, new-table", "batch, new-table", "conditional, in-place"})
  void rejectsRowsOfATableThatGoesUnderItsHands(String mode, String swap) {
    FileRows view = new FileRows(table, 1, swap);
    DynamoDbSinkSession session = session("dynamodb.mode", mode);
    putAll(session, view.upsert(0, "a.txt", 1, "u", 1L));
    dropTable(table);

    session.put(List.of(view.upsert(0, "b.txt", 2, "u", 1L), view.upsert(0, "c.txt", 3, "u", 1L)));
    drainAll(session);
    session.put(List.of(view.upsert(0, "d.txt", 4, "u", 1L)));
    drainAll(session);

    assertThat(tables.describe(table)).isEmpty();
    for (int offset = 1; offset < 4; offset++) {
      String coordinates = view.topic() + "-0@" + offset + ": ";
      assertThat(context.rejected())
          .anySatisfy(reason -> assertThat(reason).startsWith(coordinates).contains("is gone"));
    }
  }

  /** As of a table that is about to change. */
  @ParameterizedTest
  @ValueSource(strings = {"conditional", "batch"})
  void triesAgainWhileTheTableIsStillTheSame(String mode) {
    DynamoDbSinkSession session = session("dynamodb.mode", mode);
    putAll(session, rows.upsert(0, "a.txt", 1, "u", 1L));
    store.next(Collections.nCopies(5, Fault.NO_TABLE));

    session.put(List.of(rows.upsert(0, "b.txt", 2, "u", 1L)));
    drainAll(session);

    assertThat(item("b.txt")).isNotNull();
    assertThat(context.rejected()).isEmpty();
  }

  @Test
  void tellsOnceOfALostTableThoughNoRowComes() {
    DynamoDbSinkSession session = session();
    watch(rows);
    putAll(session, rows.upsert(0, "a.txt", 1, "u", 1L));
    dropTable(table);

    untilReported(session);
    callOn(session);

    assertThat(context.rejected())
        .singleElement()
        .asString()
        .startsWith(rows.topic() + "-0@-1: table " + table)
        .contains("is gone");
    // The worker makes a Kafka record of it, and fails if there is no time.
    assertThat(context.reported())
        .singleElement()
        .satisfies(deadLetter -> assertThat(deadLetter.timestamp()).isNotNull())
        .satisfies(
            deadLetter ->
                assertThat(deadLetter.timestampType()).isEqualTo(TimestampType.CREATE_TIME));
  }

  /** Where the sink's tasks start first of all, one of them makes that table. */
  @Test
  void findsNothingLostWhileThereIsNoTableOfMetadata() {
    DynamoDbSinkSession session = session();
    watch(rows);

    callOn(session);

    assertThat(context.rejected()).isEmpty();
  }

  @Test
  void leavesTheScanToTheTaskThatHasTheFirstPartition() {
    DynamoDbSinkSession session = session();
    context.assign(
        Set.of(
            new TopicPartition(rows.topic(), 1), new TopicPartition("indexview.view-states", 0)));
    putAll(session, rows.upsert(1, "a.txt", 1, "u", 1L));
    dropTable(table);

    callOn(session);

    assertThat(context.rejected()).isEmpty();
  }

  @Test
  void endsTheTaskWhereNobodyTakesReports() {
    FakeSinkContext deaf = new FakeSinkContext(false);
    DynamoDbSinkSession session = session(deaf);
    deaf.assign(Set.of(new TopicPartition(rows.topic(), 0)));
    putAll(session, rows.upsert(0, "a.txt", 1, "u", 1L));
    dropTable(table);

    assertThatThrownBy(() -> callOn(session, 1_000_000))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("rebuild the view");
  }

  @ParameterizedTest
  @CsvSource({"new-table, -g2", "in-place, ''"})
  void writesTheNextGenerationAsEver(String swap, String suffix) {
    FileRows view = new FileRows(table, 1, swap);
    FileRows rebuilt = new FileRows(table, 2, swap);
    putAll(session(), view.upsert(0, "a.txt", 1, "u", 1L));
    dropTable(table);
    DynamoDbSinkSession session = session();
    watch(view);
    session.put(
        List.of(
            control.of(
                ViewStates.state(
                    view.generation().view(),
                    1,
                    State.DEGRADED,
                    Map.of(
                        view.generation(), Role.SERVING, rebuilt.generation(), Role.BUILDING)))));

    session.put(List.of(rebuilt.upsert(0, "a.txt", 1, "u", 1L)));
    drainAll(session);
    untilReported(session);
    session.put(List.of(control.removeRows(view.generation(), 1)));
    drainAll(session);
    callOn(session);

    assertThat(tables.get(table + suffix, Map.of("objectKey", "a.txt"))).isPresent();
    assertThat(context.rejected()).singleElement().asString().startsWith(view.topic() + "-0@-1: ");
  }

  @Test
  void takesARemovedTableForNoLoss() {
    DynamoDbSinkSession session = session();
    watch(rows);
    putAll(session, rows.upsert(0, "a.txt", 1, "u", 1L));

    session.put(List.of(control.removeRows(rows.generation(), 1)));
    drainAll(session);
    callOn(session);

    assertThat(tables.describe(table)).isEmpty();
    assertThat(context.rejected()).isEmpty();
  }

  private void watch(FileRows view) {
    context.assign(Set.of(new TopicPartition(view.topic(), 0)));
  }

  private void untilReported(DynamoDbSinkSession session) {
    callUntil(
        session,
        () -> {
          callOn(session, 300);
          return !context.rejected().isEmpty();
        });
  }

  /** For some minutes of its clock. */
  private static void callOn(DynamoDbSinkSession session) {
    callOn(session, 3_000);
  }

  private static void callOn(DynamoDbSinkSession session, int calls) {
    for (int call = 0; call < calls; call++) {
      session.put(List.of());
    }
  }

  /** As somebody else may have done. */
  private void createTable() {
    tables.ensureTable(
        GenerationTables.spec(rows.generation(), WriteMode.CONDITIONAL), Duration.ofSeconds(10));
  }
}
