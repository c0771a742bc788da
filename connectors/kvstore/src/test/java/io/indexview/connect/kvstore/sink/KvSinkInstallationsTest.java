package io.indexview.connect.kvstore.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.indexview.connect.common.metadata.StateRecords;
import io.indexview.connect.common.metadata.ViewStates;
import io.indexview.connect.common.sink.FakeSinkContext;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.views.layout.StoredRow;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A view of the name in another installation, to whose rows readers go by the metadata. */
class KvSinkInstallationsTest extends KvSinkHarness {
  private static final String YAML = "key: [org]\nlayout: key-value\ntarget: kv";
  private static final Duration LATER = Duration.ofSeconds(20);

  private final ViewRows ours = new ViewRows("ours", "v", 1, YAML);
  private final ViewRows theirs = new ViewRows("theirs", "v", 1, YAML);
  private final TopicPartition partition = new TopicPartition(ours.generation.viewTopic(), 0);
  private final StateRecords control = new StateRecords();
  private KvKey metadata;
  private Map<String, StoredRow> before;

  @BeforeEach
  void serveTheirs() {
    KvStoreSinkSession other = session(new FakeSinkContext(), "META");
    other.put(List.of(theirs.upsert("A", 0, 1, 7), theirs.upsert("A", 0, 2, 7)));
    other.close();
    before = theirs.byName(store);
    metadata = serve(theirs.generation, "theirs");
  }

  private long committed() {
    return session.committable(Map.of()).get(partition).offset();
  }

  private void removeTheirs() {
    store.delete(metadata);
    clock.pass(LATER);
  }

  /** After one row; waits until the removal is answered. */
  private void removeOurs() {
    session.put(
        List.of(
            control.command("end-rows", partition.topic(), "", 1),
            control.removeRows(ours.generation, 2)));
    await()
        .until(
            () -> {
              session.put(List.of());
              return committed() == 3;
            });
  }

  @Test
  void writesNoRowIntoAnotherInstallationsView() {
    ViewRows another = new ViewRows("ours", "w", 1, YAML);

    session.put(
        List.of(
            ours.upsert("A", 0, 1, 9),
            ours.delete("A", 0, 2, 9),
            another.upsert("A", 0, 1, 9),
            ours.upsert("A", 0, 3, 9)));

    assertThat(theirs.byName(store)).isEqualTo(before);
    assertThat(another.byName(store)).hasSize(1);
    assertThat(committed()).isZero();
    assertThat(context.rejected()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void rereadsHeldRowsWhenTheOtherMetadataIsGone(boolean restarted) {
    List<SinkRecord> rows = List.of(ours.upsert("A", 0, 1, 9), ours.delete("A", 0, 2, 9));
    session.put(rows);
    if (restarted) {
      session.close();
      session = session();
      session.put(rows);
    }
    removeTheirs();

    session.put(List.of());
    assertThat(context.rewound()).isEqualTo(Map.of(partition, 0L));
    assertThat(committed()).isZero();
    assertThat(ours.byName(store)).isEqualTo(before);

    session.put(rows);
    assertThat(ours.byName(store)).containsOnlyKeys("A/1");
    assertThat(ours.byName(store).get("A/1").revision()).hasValue(9);
    assertThat(committed()).isEqualTo(2);
  }

  @Test
  void asksAgainOnlyFromTimeToTime() {
    SinkRecord first = ours.upsert("A", 0, 1, 9);
    session.put(List.of(first));
    store.delete(metadata);

    session.put(List.of(ours.upsert("A", 0, 2, 9)));
    assertThat(context.rewound()).isEmpty();
    assertThat(theirs.byName(store)).isEqualTo(before);
  }

  @Test
  void takesNothingOfARowBeforeTheStoreHasAnswered() {
    AtomicInteger reads = new AtomicInteger();
    fault =
        (method, arguments) -> {
          if (method.equals("multiGet") && reads.incrementAndGet() == 1) {
            throw new KvStoreException.Unavailable("no quorum");
          }
        };
    List<SinkRecord> rows = List.of(ours.upsert("A", 0, 1, 9));
    assertThatThrownBy(() -> session.put(rows)).hasMessageContaining("no quorum");

    session.put(rows);

    assertThat(reads).hasValue(2);
    assertThat(theirs.byName(store)).isEqualTo(before);
    assertThat(committed()).isZero();
  }

  @Test
  void asksForItsOwnMetadataOnlyFromTimeToTime() {
    removeTheirs();
    serve(ours.generation, "ours");
    session.put(List.of(ours.upsert("A", 0, 1, 9)));
    int asked = calls.size();

    session.put(List.of(ours.upsert("A", 0, 1, 10)));

    assertThat(calls.subList(asked, calls.size())).doesNotContain("multiGet");
    assertThat(ours.byName(store).get("A/1").revision()).hasValue(10);
  }

  @Test
  void removesNoRowOfAnotherInstallationWhenTheViewIsDropped() {
    session.put(
        List.of(
            ours.upsert("A", 0, 1, 9),
            control.of(
                ViewStates.state("v", 5, State.DELETING, Map.of(ours.generation, Role.RETIRING)))));
    assertThat(committed()).isZero();

    removeOurs();

    assertThat(theirs.byName(store)).isEqualTo(before);
    assertThat(store.get(metadata)).isPresent();
  }

  /** What was there before the other installation came is left, too: nobody can tell it. */
  @Test
  void removesNothingThoughItsRowsWereThereBefore() {
    store.delete(metadata);
    session.put(List.of(ours.upsert("A", 0, 3, 9)));
    before = theirs.byName(store);
    serve(theirs.generation, "theirs");

    removeOurs();

    assertThat(theirs.byName(store)).isEqualTo(before);
  }

  /** The other installation comes while the store does not take the row, and the batch again. */
  private void passBeforeTheirsCome(List<SinkRecord> rows) {
    store.delete(metadata);
    fault =
        (method, arguments) -> {
          if (!method.equals("multiGet") && !method.equals("get")) {
            throw new KvStoreException.Unavailable("no quorum");
          }
        };
    assertThatThrownBy(() -> session.put(rows)).hasMessageContaining("no quorum");
    fault = (method, arguments) -> {};
    serve(theirs.generation, "theirs");
    clock.pass(LATER);
    session.put(rows);
    assertThat(committed()).isZero();
  }

  @Test
  void endsARemovalThoughARowPassedBeforeTheirsCame() {
    passBeforeTheirsCome(List.of(ours.upsert("A", 0, 3, 9)));

    removeOurs();
    assertThat(theirs.byName(store)).isEqualTo(before);
  }

  @Test
  void commitsNoRowThatPassedBeforeTheirsCameUntilItIsWritten() {
    List<SinkRecord> rows = List.of(ours.upsert("A", 0, 3, 9));
    passBeforeTheirsCome(rows);
    removeTheirs();

    session.put(List.of());
    session.put(List.of());
    assertThat(committed()).isZero();

    session.put(rows);
    assertThat(ours.byName(store).get("A/3").revision()).hasValue(9);
    assertThat(committed()).isEqualTo(1);
  }

  /** As that of a newer release; nobody knows whose rows there are. */
  @Test
  void waitsForMetadataThatItCanReadAndGoesOnWithOtherViews() {
    ViewRows another = new ViewRows("ours", "w", 1, YAML);
    store.put(metadata, "{}".getBytes(StandardCharsets.UTF_8));
    List<SinkRecord> rows = List.of(ours.upsert("A", 0, 1, 9));

    session.put(List.of(rows.get(0), another.upsert("A", 0, 1, 9)));

    assertThat(theirs.byName(store)).isEqualTo(before);
    assertThat(another.byName(store)).hasSize(1);
    assertThat(committed()).isZero();

    removeTheirs();
    session.put(List.of());
    session.put(rows);
    assertThat(ours.byName(store).get("A/1").revision()).hasValue(9);
  }

  @Test
  void endsNoRemovalBeforeItKnowsWhoseRowsThereAre() {
    session.put(List.of(ours.upsert("A", 0, 1, 9)));
    store.put(metadata, "{}".getBytes(StandardCharsets.UTF_8));
    session.put(
        List.of(
            control.command("end-rows", partition.topic(), "", 1),
            control.removeRows(ours.generation, 2)));
    AtomicInteger asked = new AtomicInteger();
    fault = (method, arguments) -> asked.addAndGet(method.equals("multiGet") ? 1 : 0);
    await()
        .until(
            () -> {
              session.put(List.of());
              return asked.get() > 1;
            });
    assertThat(committed()).isEqualTo(2);
    assertThat(theirs.byName(store)).isEqualTo(before);

    serve(theirs.generation, "theirs");
    await()
        .until(
            () -> {
              session.put(List.of());
              return committed() == 3;
            });
    assertThat(theirs.byName(store)).isEqualTo(before);
  }
}
