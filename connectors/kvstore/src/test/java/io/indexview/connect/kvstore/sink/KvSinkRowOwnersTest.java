package io.indexview.connect.kvstore.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.indexview.connect.common.metadata.StateRecords;
import io.indexview.connect.common.metadata.ViewStates;
import io.indexview.connect.common.sink.FakeSinkContext;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvScan;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.StoredRow;
import io.indexview.views.layout.ViewMetadata;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two installations whose rows have one prefix, and whose metadata one each that only it knows. */
class KvSinkRowOwnersTest extends KvSinkHarness {
  private static final String YAML = "key: [org]\nlayout: key-value\ntarget: kv\n";
  private static final Duration LATER = Duration.ofSeconds(20);

  private final StateRecords states = new StateRecords();
  private final ViewRows theirs = new ViewRows("theirs", "v", 1, YAML);
  private final ViewRows ours = new ViewRows("ours", "v", 1, YAML + "metaPrefix: M\n");
  private final TopicPartition partition = new TopicPartition(ours.generation.viewTopic(), 0);
  private KvStoreSinkSession other;

  @Override
  KvStoreSinkSession session() {
    return session(context, "M");
  }

  @BeforeEach
  void openTheirs() {
    other = session(new FakeSinkContext(), "META");
  }

  @AfterEach
  void closeTheirs() {
    other.close();
  }

  private SinkRecord state(ViewRows rows, long version, State state, Role role) {
    ViewState of =
        ViewStates.state(rows.generation.view(), version, state, Map.of(rows.generation, role));
    return states.of(ViewStates.ofUid(rows.generation.uid(), of));
  }

  private SinkRecord ready(ViewRows rows, long version) {
    return state(rows, version, State.READY, Role.SERVING);
  }

  private List<ViewMetadata> metadata(String prefix) {
    List<ViewMetadata> found = new ArrayList<>();
    try (var records = store.storeIterator(KvScan.under(KvKey.ofMajor(prefix)))) {
      records.forEachRemaining(
          record -> {
            if (!record.key().minor().isEmpty()) {
              found.add(ViewMetadata.fromJson(new String(record.value(), StandardCharsets.UTF_8)));
            }
          });
    }
    return found;
  }

  private void removeTheirs() {
    for (ViewMetadata metadata : metadata("META")) {
      var path = KvLayout.of(theirs.generation).metadata(metadata.state().name());
      store.delete(new KvKey(path.major(), path.minor()));
    }
    clock.pass(LATER);
  }

  private long committed() {
    return session.committable(Map.of()).get(partition).offset();
  }

  @Test
  void describesNoViewWhoseRowsWouldLieAmongTheirs() {
    other.put(List.of(ready(theirs, 3), theirs.upsert("A", 0, 1, 7)));
    Map<String, StoredRow> before = theirs.byName(store);

    SinkRecord row = ours.upsert("A", 0, 1, 9);
    session.put(List.of(ready(ours, 9), row));
    other.put(List.of(ready(theirs, 4)));

    assertThat(metadata("M")).isEmpty();
    assertThat(metadata("META")).extracting(ViewMetadata::version).containsExactly(4L);
    assertThat(theirs.byName(store)).isEqualTo(before);
    assertThat(committed()).isZero();

    removeTheirs();
    session.put(List.of());
    session.put(List.of(ready(ours, 10), row));
    assertThat(metadata("M")).extracting(ViewMetadata::version).containsExactly(10L);
    assertThat(ours.byName(store).get("A/1").revision()).hasValue(9);
    other.put(List.of(ready(theirs, 5)));
    assertThat(metadata("META")).isEmpty();
  }

  @Test
  void removesNoRowOfTheirsWhenTheViewIsDropped() {
    other.put(List.of(ready(theirs, 3), theirs.upsert("A", 0, 1, 7)));
    Map<String, StoredRow> before = theirs.byName(store);

    session.put(
        List.of(
            ours.upsert("A", 0, 1, 9),
            state(ours, 5, State.DELETING, Role.RETIRING),
            states.command("end-rows", partition.topic(), "", 1),
            states.removeRows(ours.generation, 2)));
    await()
        .until(
            () -> {
              session.put(List.of());
              return committed() == 3;
            });

    assertThat(theirs.byName(store)).isEqualTo(before);
  }

  /** At whatever call of ours to the store theirs comes, one of the two is described. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void describesOneOfTwoThatComeAtOneMoment(int call) {
    AtomicInteger left = new AtomicInteger(call);
    fault =
        (method, arguments) -> {
          if (left.getAndDecrement() == 0) {
            other.put(List.of(ready(theirs, 3)));
          }
        };

    session.put(List.of(ready(ours, 9)));
    session.put(List.of(ready(ours, 10)));
    other.put(List.of(ready(theirs, 4)));

    List<ViewMetadata> both = metadata("META");
    both.addAll(metadata("M"));
    assertThat(both).singleElement().extracting(ViewMetadata::state).isEqualTo(State.READY);
  }

  /** A hash leaves out the view's name. */
  @Test
  void describesNoHashedViewWhoseRowsWouldLieAmongThoseOfAnother() {
    ViewRows former = new ViewRows("theirs", "w", 1, YAML + "naming: hash\n");
    ViewRows hashed = new ViewRows("ours", "v", 1, YAML + "naming: hash\nmetaPrefix: M\n");
    other.put(List.of(ready(former, 3), former.upsert("A", 0, 1, 7)));

    session.put(List.of(ready(hashed, 1), hashed.delete("A", 0, 1, 9)));

    assertThat(metadata("M")).isEmpty();
    assertThat(former.byName(store)).containsOnlyKeys("A/1");
  }

  /** Neither another prefix nor another base is among theirs; and what moves stays its own. */
  @ParameterizedTest
  @CsvSource({"v, 'metaPrefix: M, prefix: R'", "w, 'metaPrefix: M'"})
  void describesAViewWhoseRowsLieElsewhere(String view, String properties) {
    other.put(List.of(ready(theirs, 3)));
    ViewRows elsewhere =
        new ViewRows("ours", view, 1, YAML + properties.replace(", ", "\n") + "\n");

    session.put(List.of(ready(elsewhere, 1), elsewhere.upsert("A", 0, 1, 9)));

    assertThat(metadata("M")).hasSize(1);
    assertThat(elsewhere.byName(store)).hasSize(1);
  }

  @Test
  void followsAViewWhoseMetadataMoves() {
    ViewRows moved = new ViewRows("theirs", "v", 1, YAML + "metaPrefix: META2\n");
    other.put(List.of(ready(theirs, 3)));
    other.put(List.of(ready(moved, 4), moved.upsert("A", 0, 1, 7)));
    assertThat(metadata("META2")).hasSize(1);
    assertThat(moved.byName(store)).hasSize(1);

    session.put(List.of(ready(ours, 9)));
    assertThat(metadata("M")).isEmpty();
  }
}
