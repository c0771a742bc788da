package io.indexview.connect.kvstore.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
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
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  /** What is there before both come. */
  private enum Start {
    NOTHING,
    OWNER_OURS,
    OWNER_THEIRS,
    MOVING
  }

  /** At whatever call of the one to the store the other comes, one of the two is described. */
  @ParameterizedTest
  @CsvSource({
    "NOTHING, false",
    "NOTHING, true",
    "OWNER_OURS, false",
    "OWNER_OURS, true",
    "OWNER_THEIRS, false",
    "OWNER_THEIRS, true",
    "MOVING, false",
    "MOVING, true"
  })
  void describesOneOfTwoThatComeAtOneMoment(Start start, boolean isTheirsFirst) {
    boolean isFired = true;
    int call = 0;
    while (isFired) {
      isFired = comeAtOneMoment("v" + call, start, isTheirsFirst, call);
      call += isFired ? 1 : 0;
    }
    assertThat(call).isGreaterThan(3);
  }

  /**
   * @return whether the first one made so many calls
   */
  private boolean comeAtOneMoment(String view, Start start, boolean isTheirsFirst, int call) {
    ViewRows first = new ViewRows("ours", view, 1, YAML + "metaPrefix: M\n");
    ViewRows second = begin(view, start);
    Runnable oursComes = () -> session.put(List.of(ready(first, 9)));
    Runnable theirsComes = () -> other.put(List.of(ready(second, 4)));
    AtomicInteger left = new AtomicInteger(call);
    fault =
        (method, arguments) -> {
          if (left.getAndDecrement() == 0) {
            (isTheirsFirst ? oursComes : theirsComes).run();
          }
        };
    (isTheirsFirst ? theirsComes : oursComes).run();
    boolean isFired = left.get() < 0;
    fault = (method, arguments) -> {};
    session.put(List.of(ready(first, 10)));
    other.put(List.of(ready(second, 5)));

    assertThat(described(view))
        .as("%s at call %d", start, call)
        .singleElement()
        .extracting(ViewMetadata::state)
        .isEqualTo(State.READY);
    return isFired;
  }

  /** Returns the view of theirs that comes. */
  private ViewRows begin(String view, Start start) {
    ViewRows rows = new ViewRows("theirs", view, 1, YAML);
    switch (start) {
      case OWNER_OURS -> store.put(owner(view), bytes("/M/" + view));
      case OWNER_THEIRS -> store.put(owner(view), bytes("/META/" + view));
      case MOVING -> {
        other.put(List.of(ready(rows, 3)));
        return new ViewRows("theirs", view, 1, YAML + "metaPrefix: META2\n");
      }
      default -> assertThat(store.get(owner(view))).isEmpty();
    }
    return rows;
  }

  private static KvKey owner(String view) {
    return KvKey.ofMajor("IDX-owner", view);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private List<ViewMetadata> described(String view) {
    return Stream.of("M", "META", "META2")
        .flatMap(prefix -> metadata(prefix).stream())
        .filter(metadata -> metadata.view().equals(view))
        .toList();
  }

  /** Wherever a sink ends while a view's metadata moves, the rows stay that view's. */
  @Test
  void describesNobodyWhereAViewBeganToMove() {
    boolean isFired = true;
    int call = 0;
    while (isFired) {
      String view = "v" + call;
      ViewRows moving = begin(view, Start.MOVING);
      AtomicInteger left = new AtomicInteger(call++);
      fault =
          (method, arguments) -> {
            if (left.getAndDecrement() == 0) {
              throw new IllegalStateException("ends here");
            }
          };
      Throwable ended = catchThrowable(() -> other.put(List.of(ready(moving, 4))));
      isFired = left.get() < 0;
      fault = (method, arguments) -> {};
      assertThat(ended != null).isEqualTo(isFired);

      session.put(List.of(ready(new ViewRows("ours", view, 1, YAML + "metaPrefix: M\n"), 9)));
      assertThat(metadata("M")).as("at call %d", call).isEmpty();
    }
    assertThat(call).isGreaterThan(3);
  }

  /** Of a newer release, or a record of somebody else. */
  @Test
  void holdsOffOnlyTheViewWhereTheOwnersMetadataCannotBeRead() {
    store.put(owner("v"), bytes("/META/v"));
    store.put(new KvKey(List.of("META", "v"), List.of("x")), bytes("scribble"));
    ViewRows beside = new ViewRows("ours", "w", 1, YAML + "metaPrefix: M\n");

    session.put(List.of(ready(ours, 9), ready(beside, 1), beside.upsert("A", 0, 1, 9)));

    assertThat(metadata("M")).extracting(ViewMetadata::view).containsExactly("w");
    assertThat(beside.byName(store)).hasSize(1);
  }

  /** As where both were described before sinks looked for another's rows. */
  @Test
  void saysWhatIsReadyAmongRowsOfAnother() {
    session.put(List.of(ready(ours, 9)));
    store.put(owner("v"), bytes("/META/v"));
    theirsIsThere();

    session.put(List.of(ready(ours, 10)));

    assertThat(metadata("M"))
        .singleElement()
        .satisfies(
            metadata -> {
              assertThat(metadata.state()).isEqualTo(State.DEGRADED);
              assertThat(metadata.reason()).contains("/META/v", "another installation");
            });
    removeTheirs();
    session.put(List.of(ready(ours, 11)));
    assertThat(metadata("M")).extracting(ViewMetadata::state).containsExactly(State.READY);
  }

  private void theirsIsThere() {
    ViewState state =
        ViewStates.state("v", 3, State.READY, Map.of(theirs.generation, Role.SERVING));
    ViewMetadata metadata = ViewMetadata.of(ViewStates.ofUid("theirs", state));
    var path = KvLayout.of(theirs.generation).metadata("READY");
    store.put(new KvKey(path.major(), path.minor()), bytes(metadata.toJson()));
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
