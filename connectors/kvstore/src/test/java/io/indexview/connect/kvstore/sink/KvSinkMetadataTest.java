package io.indexview.connect.kvstore.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.common.metadata.StateRecords;
import io.indexview.connect.common.metadata.ViewStateChange;
import io.indexview.connect.common.metadata.ViewStates;
import io.indexview.connect.common.sink.FakeSinkContext;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class KvSinkMetadataTest extends KvSinkHarness {
  private static final TopicPartition STATES = new TopicPartition("indexview.view-states", 0);

  private final StateRecords states = new StateRecords();
  private final ViewGeneration first = generation(1, "key: [org]\ntarget: kv");
  private final ViewGeneration second = generation(2, "key: [org]\ntarget: kv");

  private static ViewGeneration generation(int number, String yaml) {
    return ViewStates.generation("by-org", yaml, number);
  }

  private static ViewState state(long version, State state, Map<ViewGeneration, Role> generations) {
    return ViewStates.state("by-org", version, state, generations);
  }

  @Test
  void keepsOneRecordOfAViewWithItsStateInTheKey() {
    put(state(1, State.BUILDING, Map.of(first, Role.BUILDING)));
    assertThat(keys("META")).containsExactly("/META/by-org/-/test.Person/org/BUILDING");

    put(state(2, State.READY, Map.of(first, Role.SERVING)));
    assertThat(keys("META")).containsExactly("/META/by-org/-/test.Person/org/READY");
    ViewMetadata metadata = metadata("META").get(0);
    assertThat(metadata.serving()).contains(first);
    assertThat(metadata.sinkGroup()).isEqualTo("connect-kv");
    assertThat(context.commitRequests()).isEqualTo(2);
    assertThat(session.committable(Map.of())).containsEntry(STATES, new OffsetAndMetadata(2));
  }

  @Test
  void saysOneThingAtAnyMomentOnceItHasSaidSomething() {
    put(state(1, State.BUILDING, Map.of(first, Role.BUILDING)));
    List<Integer> seen = new ArrayList<>();
    fault = (method, arguments) -> seen.add(keys("META").size());

    put(state(2, State.READY, Map.of(first, Role.SERVING)));
    put(state(3, State.READY, Map.of(second, Role.SERVING, first, Role.STANDBY)));
    put(state(4, State.DELETING, Map.of(second, Role.RETIRING)));

    assertThat(seen).isNotEmpty().containsOnly(1);
    assertThat(keys("META")).containsExactly("/META/by-org/-/test.Person/org/DELETING");
  }

  @Test
  void keepsTheNewestStateWhenOlderOnesComeAgain() {
    ViewState building = state(1, State.BUILDING, Map.of(first, Role.BUILDING));
    ViewState degraded = state(2, State.DEGRADED, Map.of(first, Role.SERVING));
    put(building, degraded);

    put(building);
    try (KvStoreSinkSession other = session(new FakeSinkContext(), "META")) {
      other.put(List.of(states.of(building)));
    }

    assertThat(metadata("META")).containsExactly(ViewMetadata.of(degraded));
  }

  @Test
  void namesTheRecordThatIsNoVersionOfAView() {
    store.put(KvKey.ofMajor("META-history", "by-org"), "x".getBytes(StandardCharsets.UTF_8));

    assertThatThrownBy(() -> put(state(1, State.BUILDING, Map.of(first, Role.BUILDING))))
        .isInstanceOf(DataException.class)
        .hasMessageContainingAll("/META-history/by-org", "remove the record");
  }

  /** It would be lost to the sink's own record there, which each write of metadata depends on. */
  @Test
  void namesTheRecordThatIsWhereItsOwnBelongs() {
    ViewState building = state(1, State.BUILDING, Map.of(first, Role.BUILDING));
    KvKey own = KvKey.ofMajor("META", "by-org");
    for (String text : List.of("x", ViewMetadata.of(building).toJson())) {
      byte[] value = text.getBytes(StandardCharsets.UTF_8);
      store.put(own, value);
      assertThatThrownBy(() -> put(building))
          .isInstanceOf(DataException.class)
          .hasMessageContainingAll("/META/by-org cannot be read", "remove the record");
      assertThat(store.get(own).orElseThrow().value()).isEqualTo(value);
    }
    assertThatThrownBy(() -> session.put(List.of(gone("by-org"))))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("/META/by-org cannot be read");

    store.delete(own);
    put(building);
    assertThat(metadata("META")).containsExactly(ViewMetadata.of(building));
  }

  @Test
  void movesAHashNamedViewNewPlaceFirst() {
    ViewGeneration byOrg = generation(1, "key: [org]\nnaming: hash\ntarget: kv");
    ViewGeneration byCost = generation(2, "key: [org, cost]\nnaming: hash\ntarget: kv");
    put(state(1, State.READY, Map.of(byOrg, Role.SERVING)));
    List<Integer> seen = new ArrayList<>();
    fault = (method, arguments) -> seen.add(keys("META").size());

    put(state(2, State.READY, Map.of(byCost, Role.SERVING, byOrg, Role.STANDBY)));

    assertThat(seen).isSubsetOf(1, 2);
    assertThat(keys("META"))
        .containsExactly("/META/" + byCost.baseName() + "/-/test.Person/org/cost/READY");

    put(state(1, State.READY, Map.of(byOrg, Role.SERVING)));
    assertThat(metadata("META")).extracting(ViewMetadata::version).containsExactly(2L);
  }

  private static ViewState hashed(
      String view, long version, State state, Role role, boolean isThere) {
    ViewGeneration hashed = ViewStates.generation(view, "key: [org]\nnaming: hash\ntarget: kv", 1);
    return ViewStates.state(view, version, state, isThere ? Map.of(hashed, role) : Map.of());
  }

  /** A hash leaves out the view's name. */
  @Test
  void replacesAViewOfTheSamePlaceOnlyOnceItIsOver() {
    ViewState former = hashed("by-org-old", 7, State.READY, Role.SERVING, true);
    put(former);

    put(hashed("by-org", 1, State.READY, Role.SERVING, true));
    put(hashed("by-org-old", 8, State.DELETING, Role.RETIRING, true));
    put(hashed("by-org", 2, State.READY, Role.SERVING, true));
    assertThat(metadata("META")).extracting(ViewMetadata::view).containsExactly("by-org-old");

    put(hashed("by-org-old", 9, State.DELETING, Role.RETIRING, false));
    put(hashed("by-org", 3, State.READY, Role.SERVING, true));
    put(former);
    assertThat(metadata("META")).extracting(ViewMetadata::view).containsExactly("by-org");

    put(hashed("by-org", 4, State.DELETING, Role.RETIRING, false));
    session.put(List.of(gone("by-org-old"), gone("by-org")));
    put(former);
    assertThat(metadata("META")).as("a state from before the drop").isEmpty();
  }

  @Test
  void findsTheMetadataOfADroppedViewByItsName() {
    ViewGeneration elsewhere = generation(1, "key: [org]\nmetaPrefix: M\ntarget: kv");
    put(
        ViewStates.state("other", 1, State.DELETING, Map.of()),
        ViewStates.state(
            "by-orga",
            1,
            State.DELETING,
            Map.of(ViewStates.generation("by-orga", "key: [org]\ntarget: kv", 1), Role.RETIRING)),
        state(1, State.READY, Map.of(elsewhere, Role.SERVING)),
        state(2, State.DELETING, Map.of(elsewhere, Role.RETIRING)));
    store.put(KvKey.ofMajor("META", "somebody", "else's"), new byte[] {1, 2});
    assertThat(keys("M")).hasSize(1);

    session.put(List.of(gone("by-org")));

    assertThat(keys("M")).isEmpty();
    assertThat(keys("META")).hasSize(2);
    put(state(1, State.READY, Map.of(elsewhere, Role.SERVING)));
    assertThat(keys("M")).as("a state from before the drop").isEmpty();
    put(state(3, State.BUILDING, Map.of(generation(2, "key: [org]\ntarget: kv"), Role.BUILDING)));
    assertThat(keys("META")).hasSize(3);
  }

  @Test
  void leavesNothingUnderTheMetaPrefixOfAnEarlierGeneration() {
    ViewGeneration elsewhere = generation(1, "key: [org]\nmetaPrefix: M\ntarget: kv");
    put(state(1, State.READY, Map.of(elsewhere, Role.SERVING)));

    try (KvStoreSinkSession later = session(new FakeSinkContext(), "META")) {
      later.put(
          List.of(
              states.of(
                  state(2, State.READY, Map.of(second, Role.SERVING, elsewhere, Role.STANDBY)))));
    }

    assertThat(keys("M")).isEmpty();
    assertThat(keys("META")).hasSize(1);
  }

  @Test
  void findsDroppedViewsBelowTheConfiguredPrefixes() {
    ViewGeneration elsewhere = generation(1, "key: [org]\nmetaPrefix: M\ntarget: kv");
    put(state(2, State.DELETING, Map.of(elsewhere, Role.RETIRING)));

    try (KvStoreSinkSession later = session(new FakeSinkContext(), "META", "M")) {
      later.put(List.of(gone("by-org")));
    }

    assertThat(keys("M")).isEmpty();
  }

  @Test
  void asksForTheSameStatesAgainWhenTheStoreIsNotAvailable() {
    SinkRecord record = states.of(state(1, State.READY, Map.of(first, Role.SERVING)));
    fault =
        (method, arguments) -> {
          if (method.equals("execute")) {
            throw new KvStoreException.Unavailable("no quorum");
          }
        };

    assertThatThrownBy(() -> session.put(List.of(record)))
        .isInstanceOf(RetriableException.class)
        .hasMessageContaining("no quorum");
    assertThat(session.committable(Map.of())).containsEntry(STATES, new OffsetAndMetadata(0));
    assertThat(context.timeouts()).containsExactly(50L);

    fault = (method, arguments) -> {};
    session.put(List.of(record));
    assertThat(metadata("META")).hasSize(1);
    assertThat(session.committable(Map.of())).containsEntry(STATES, new OffsetAndMetadata(1));
  }

  @Test
  void endsTheTaskAtMetadataThatItCannotRead() {
    KvKey key = KvKey.fromString("/META/by-org/-/test.Person/org/PAUSED");
    store.put(key, "{\"view\":\"by-org\",\"state\":\"PAUSED\"}".getBytes(StandardCharsets.UTF_8));

    assertThatThrownBy(() -> put(state(1, State.READY, Map.of(first, Role.SERVING))))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("/META/by-org/-/test.Person/org/PAUSED")
        .hasMessageContaining("upgrade this connector");
    assertThat(session.committable(Map.of())).containsEntry(STATES, new OffsetAndMetadata(0));
  }

  @Test
  void endsTheTaskAtAStateThatItCannotReadThoughThereIsADeadLetterTopic() {
    SinkRecord unreadable = new SinkRecord(STATES.topic(), 0, null, new byte[] {1}, null, null, 5);

    assertThatThrownBy(() -> session.put(List.of(unreadable)))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("indexview.view-states-0@5");
    assertThat(context.rejected()).isEmpty();
  }

  static Stream<Arguments> twoThatComeAtOneMoment() {
    ViewState ours =
        state(9, State.READY, Map.of(generation(1, "key: [org]\ntarget: kv"), Role.SERVING));
    ViewGeneration byCost = generation(1, "key: [org, cost]\ntarget: kv");
    return Stream.of(
        Arguments.of(
            ours, ViewStates.ofUid("theirs", state(3, State.READY, Map.of(byCost, Role.SERVING)))),
        Arguments.of(ours, ViewStates.ofUid("theirs", ours)),
        Arguments.of(
            hashed("by-org", 9, State.READY, Role.SERVING, true),
            hashed("by-day", 3, State.READY, Role.SERVING, true)));
  }

  /** Who has found nothing must not put its own beside what came meanwhile. */
  @ParameterizedTest
  @MethodSource("twoThatComeAtOneMoment")
  void describesOneOfTwoViewsThatComeAtOneMoment(ViewState ours, ViewState theirs) {
    try (KvStoreSinkSession other = session(new FakeSinkContext(), "META")) {
      AtomicBoolean isFirst = new AtomicBoolean(true);
      fault =
          (method, arguments) -> {
            if (method.equals("execute") && isFirst.getAndSet(false)) {
              other.put(List.of(states.of(theirs)));
            }
          };

      put(ours);
      assertThat(metadata("META")).containsExactly(ViewMetadata.of(theirs));

      other.put(List.of(states.of(theirs)));
      put(ours);
      assertThat(metadata("META")).containsExactly(ViewMetadata.of(theirs));
    }
  }

  @Test
  void leavesNothingBesideMetadataThatIsRemoved() {
    put(state(1, State.BUILDING, Map.of(first, Role.BUILDING)));
    assertThat(store.get(KvKey.ofMajor("META", "by-org"))).isPresent();

    put(state(2, State.DELETING, Map.of(first, Role.RETIRING)));
    session.put(List.of(gone("by-org")));

    assertThat(store.get(KvKey.ofMajor("META", "by-org"))).isEmpty();
    assertThat(keys("META")).isEmpty();
  }

  private void put(ViewState... batch) {
    List<SinkRecord> records = new ArrayList<>();
    for (ViewState state : batch) {
      records.add(states.of(state));
    }
    session.put(records);
  }

  private SinkRecord gone(String view) {
    return states.of(ViewStateChange.gone(view, Optional.empty()));
  }

  private List<String> keys(String prefix) {
    return records(prefix).stream().map(record -> record.key().toString()).toList();
  }

  private List<ViewMetadata> metadata(String prefix) {
    return records(prefix).stream()
        .map(record -> ViewMetadata.fromJson(new String(record.value(), StandardCharsets.UTF_8)))
        .toList();
  }

  private List<KvRecord> records(String prefix) {
    List<KvRecord> records = new ArrayList<>();
    try (var found = store.storeIterator(KvScan.under(KvKey.ofMajor(prefix)))) {
      found.forEachRemaining(records::add);
    }
    // What a view's records are written by says nothing itself.
    records.removeIf(record -> record.key().minor().isEmpty() && record.value().length == 0);
    return records;
  }
}
