package io.indexview.connect.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.common.metadata.StateRecords;
import io.indexview.connect.common.metadata.ViewStateChange;
import io.indexview.connect.common.metadata.ViewStates;
import io.indexview.connect.dynamodb.FaultyItemStore.Fault;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DynamoDbSinkMetadataIT extends SinkSessionHarness {
  private static final TopicPartition STATES = new TopicPartition("indexview.view-states", 0);
  private static final String TABLE = "indexview-views";

  private final StateRecords states = new StateRecords();
  private String view;
  private String viewTable;
  private ViewGeneration first;
  private ViewGeneration second;

  @BeforeEach
  void newView() {
    view = "by-org-of-" + table.toLowerCase(Locale.ROOT);
    viewTable = table + "-by-org";
    first = generation(1);
    second = generation(2);
  }

  private ViewGeneration generation(int number) {
    return ViewStates.generation(view, "key: [org]\ntarget: dynamodb\ntable: " + viewTable, number);
  }

  private ViewState state(long version, State state, Map<ViewGeneration, Role> generations) {
    return ViewStates.state(view, version, state, generations);
  }

  @Test
  void keepsOneItemOfAView() {
    DynamoDbSinkSession session = session();

    put(session, state(1, State.BUILDING, Map.of(first, Role.BUILDING)));
    assertThat(metadata())
        .containsEntry("state", "BUILDING")
        .containsEntry("version", BigDecimal.ONE)
        .doesNotContainKey("servingTable");

    put(session, state(2, State.READY, Map.of(first, Role.SERVING)));
    assertThat(metadata())
        .containsEntry("id", "view#" + view)
        .containsEntry("state", "READY")
        .containsEntry("servingTable", viewTable);
    assertThat(ViewMetadata.fromItem(metadata()).serving()).contains(first);
    assertThat(context.commitRequests()).isPositive();
    assertThat(session.committable(Map.of())).containsEntry(STATES, new OffsetAndMetadata(2));
  }

  @Test
  void makesTheTableOfAGenerationThatHasNoRows() {
    put(session(), state(1, State.READY, Map.of(first, Role.SERVING, second, Role.BUILDING)));

    assertThat(tables.describe(viewTable)).isPresent();
    assertThat(tables.describe(viewTable + "-g2")).isPresent();
  }

  @Test
  void keepsTheNewestStateWhenOlderOnesComeAgain() {
    ViewState building = state(1, State.BUILDING, Map.of(first, Role.BUILDING));
    DynamoDbSinkSession session = session();
    put(session, building, state(2, State.DEGRADED, Map.of(first, Role.SERVING)));

    put(session, building);
    put(session(), building);

    assertThat(metadata()).containsEntry("state", "DEGRADED");
  }

  @Test
  void removesTheMetadataOfADroppedViewAndBringsNothingOfItBack() {
    DynamoDbSinkSession session = session();
    ViewState ready = state(1, State.READY, Map.of(first, Role.SERVING));
    SinkRecord gone = states.of(ViewStateChange.gone(view, Optional.empty()));
    put(session, ready);
    session.put(List.of(gone));
    assertThat(metadata()).as("an old tombstone").isNotNull();

    put(session, state(2, State.DELETING, Map.of(first, Role.RETIRING)));
    dropTable(viewTable);
    put(session, state(3, State.DELETING, Map.of()));
    session.put(List.of(gone));
    assertThat(metadata()).isNull();

    put(session(), ready);
    assertThat(metadata()).isNull();
    assertThat(tables.describe(viewTable)).isEmpty();
    put(session, state(4, State.BUILDING, Map.of(second, Role.BUILDING)));
    assertThat(metadata()).containsEntry("version", BigDecimal.valueOf(4));
  }

  @Test
  void takesNothingOfABatchWhoseStatesItCannotApply() {
    DynamoDbSinkSession session = session();
    putAll(session, rows.upsert(0, "warm-up.txt", 1, "u", 1L));
    put(session, state(1, State.BUILDING, Map.of(first, Role.BUILDING)));
    List<SinkRecord> batch =
        List.of(
            rows.upsert(0, "a.txt", 2, "u", 2L),
            states.of(state(2, State.READY, Map.of(first, Role.SERVING))));
    store.next(Fault.THROTTLE);

    assertThatThrownBy(() -> session.put(batch))
        .isInstanceOf(RetriableException.class)
        .hasMessageContaining("throttled");
    assertThat(context.nextScan()).isPositive();
    assertThat(committed(session)).isEqualTo(2);

    session.put(batch);
    drain(session, 4);
    assertThat(metadata()).containsEntry("state", "READY");
    assertThat(item("a.txt")).isNotNull();
  }

  @Test
  void endsTheTaskWithoutATableForTheMetadata() {
    DynamoDbSinkSession session =
        session("dynamodb.auto.create", "false", "topic.prefix", "elsewhere");
    SinkRecord state = states.of(state(1, State.BUILDING, Map.of(first, Role.BUILDING)));
    SinkRecord elsewhere =
        new SinkRecord(
            "elsewhere.view-states",
            0,
            state.keySchema(),
            state.key(),
            state.valueSchema(),
            state.value(),
            0);

    assertThatThrownBy(() -> session.put(List.of(elsewhere)))
        .isInstanceOf(ConnectException.class)
        .isNotInstanceOf(RetriableException.class)
        .hasMessageContaining("table elsewhere-views: not there");
  }

  @Test
  void endsTheTaskAtMetadataThatItCannotRead() {
    DynamoDbSinkSession session = session();
    put(session, state(1, State.BUILDING, Map.of(first, Role.BUILDING)));
    tables.put(TABLE, Map.of("id", "view#" + view, "version", 9)).join();

    assertThatThrownBy(() -> put(session, state(2, State.READY, Map.of(first, Role.SERVING))))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("item view#" + view + " of table " + TABLE)
        .hasMessageContaining("upgrade this connector");
  }

  private void put(DynamoDbSinkSession session, ViewState... batch) {
    for (ViewState state : batch) {
      session.put(List.of(states.of(state)));
    }
  }

  private Map<String, Object> metadata() {
    return tables.get(TABLE, Map.of("id", "view#" + view)).orElse(null);
  }
}
