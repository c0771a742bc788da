package io.indexview.connect.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.metadata.StateRecords;
import io.indexview.connect.common.sink.FakeSinkContext;
import io.indexview.dynamodb.ItemStore;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A view of the name in another installation, to whose rows readers go by the metadata. */
class DynamoDbSinkInstallationsIT extends SinkSessionHarness {
  private static final String METADATA = "indexview-views";
  private static final Duration LATER = Duration.ofSeconds(20);

  private final StateRecords control = new StateRecords();
  private final ManualClock clock = new ManualClock(Instant.EPOCH);
  private FileRows ours;
  private FileRows theirs;
  private TopicPartition partition;

  @BeforeEach
  void serveTheirs() {
    ours = new FileRows("ours", table, 1, "new-table", true);
    theirs = new FileRows("theirs", table, 1, "new-table", true);
    partition = new TopicPartition(ours.topic(), 0);
    DynamoDbSinkSession other = session(new FakeSinkContext());
    other.put(
        List.of(theirs.upsert(0, "a.txt", 1, "u", 1L), theirs.upsert(0, "b.txt", 1, "u", 1L)));
    drainAll(other);
    other.close();
    serve(theirs.generation(), ViewState.State.READY);
  }

  private static void serve(ViewGeneration generation, ViewState.State state) {
    ViewMetadata metadata =
        new ViewMetadata(
            generation.view(),
            generation.uid(),
            1,
            0,
            state,
            "",
            "files",
            "connect-sink",
            List.of(new ViewMetadata.Generation(ViewState.Role.SERVING, generation)),
            ViewState.Freshness.UNKNOWN);
    ItemStore.await(tables.put(METADATA, metadata.toItem()));
  }

  private void removeTheirs() {
    String key = ViewMetadata.dynamoDbKey(ours.generation().view());
    ItemStore.await(tables.delete(METADATA, Map.of(ViewMetadata.DYNAMODB_KEY, key)));
    clock.pass(LATER);
  }

  private void assertTheirsAreAsTheyWere() {
    assertThat(item("a.txt")).containsEntry("uploadUser", "u");
    assertThat(item("b.txt")).containsEntry("uploadUser", "u");
    assertThat(item("c.txt")).isNull();
  }

  private long offset(DynamoDbSinkSession session) {
    return session.committable(Map.of()).get(partition).offset();
  }

  private List<SinkRecord> changes() {
    return List.of(
        ours.upsert(0, "a.txt", 9, "us", 1L),
        ours.delete(0, "b.txt", 9),
        ours.upsert(0, "c.txt", 9, "us", 1L));
  }

  @Test
  void writesNoRowIntoAnotherInstallationsView() {
    FileRows another = new FileRows("ours", table + "-b", 1, "new-table", true);
    DynamoDbSinkSession session = session(context, clock);

    session.put(changes());
    session.put(List.of(another.upsert(0, "a.txt", 1, "us", 1L)));
    drainAll(session);

    assertTheirsAreAsTheyWere();
    assertThat(tables.describe(another.generation().storeName())).isPresent();
    assertThat(offset(session)).isZero();
    assertThat(context.rejected()).isEmpty();
    session.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void rereadsHeldRowsWhenTheOtherMetadataIsGone(boolean restarted) {
    List<SinkRecord> rows = changes();
    DynamoDbSinkSession session = session(context, clock);
    session.put(rows);
    if (restarted) {
      session.close();
      store = new FaultyItemStore(tables);
      session = session(context, clock);
      session.put(rows);
    }
    drainAll(session);
    removeTheirs();

    session.put(List.of());
    assertThat(context.rewound()).isEqualTo(Map.of(partition, 0L));
    assertThat(offset(session)).isZero();
    assertTheirsAreAsTheyWere();

    session.put(rows);
    drainAll(session);
    assertThat(item("a.txt")).containsEntry("uploadUser", "us");
    assertThat(item("c.txt")).containsEntry("uploadUser", "us");
    assertThat(offset(session)).isEqualTo(3);
    session.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "false"})
  void removesNoTableOrRowOfAnotherInstallationWhenTheViewIsDropped(String autoCreate) {
    DynamoDbSinkSession session = session(context, clock, "dynamodb.auto.create", autoCreate);
    session.put(changes());
    drainAll(session);
    assertThat(offset(session)).isZero();

    session.put(
        List.of(
            control.command("end-rows", partition.topic(), "", 3),
            control.removeRows(ours.generation(), 4)));
    drainAll(session);

    assertTheirsAreAsTheyWere();
    assertThat(offset(session)).isEqualTo(5);
    session.close();
    assertThatTheyRemoveTheirTable();
  }

  @Test
  void keepsRowsWhenTheOtherInstallationsViewIsDropped() {
    String missing = table + "-c";
    FileRows waiting = new FileRows("ours", missing, 1, "new-table", true);
    partition = new TopicPartition(waiting.topic(), 0);
    DynamoDbSinkSession session = session(context, clock, "dynamodb.auto.create", "false");
    session.put(List.of(waiting.upsert(0, "a.txt", 1, "us", 1L)));
    serve(waiting.generation().withUid("theirs"), ViewState.State.DELETING);
    for (int i = 0; i < 10; i++) {
      clock.pass(Duration.ofMillis(10));
      session.put(List.of());
    }
    assertThat(offset(session)).isZero();

    serve(waiting.generation(), ViewState.State.DELETING);
    clock.pass(Duration.ofMillis(10));
    session.put(List.of());
    assertThat(offset(session)).isEqualTo(1);
    session.close();
  }

  /** It is still known that the table is theirs. */
  private void assertThatTheyRemoveTheirTable() {
    store = new FaultyItemStore(tables);
    DynamoDbSinkSession other = session(new FakeSinkContext(), clock);
    other.put(List.of(control.removeRows(theirs.generation(), 3)));
    drainAll(other);
    other.close();
    assertThat(tables.describe(table)).isEmpty();
  }
}
