package io.indexview.schemas.order;

import static io.indexview.schemas.order.Samples.adHoc;
import static io.indexview.schemas.order.Samples.delete;
import static io.indexview.schemas.order.Samples.liveBase;
import static io.indexview.schemas.order.Samples.observed;
import static io.indexview.schemas.order.Samples.put;
import static io.indexview.schemas.order.Samples.tombstoneBase;
import static io.indexview.schemas.order.Samples.value;
import static io.indexview.schemas.order.Samples.version;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.order.OrderGuard.Decision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class OrderGuardPropertyTest {
  private final OrderGuard guard = new OrderGuard(Duration.ofDays(15));

  @Property(tries = 300)
  void revisionsOnlyRise(
      @ForAll("histories") List<ChangeEvent> history, @ForAll("clocks") List<Integer> clocks) {
    Entry entry = null;
    for (int i = 0; i < history.size(); i++) {
      Entry before = entry;
      Decision decision = guard.decide(before, history.get(i), i, clocks.get(i % clocks.size()));
      if (decision.applied()) {
        entry = decision.next();
        assertThat(before == null || entry.revision() > before.revision()).isTrue();
      } else if (decision.next() != null) {
        entry = decision.next();
        assertThat(entry.revision()).isEqualTo(before.revision());
      }
    }
  }

  @Property(tries = 300)
  void remembersEachEpochOnce(@ForAll("histories") List<ChangeEvent> history) {
    Entry entry = materialize(history);
    if (entry != null) {
      assertThat(entry.left().stream().map(SourceVersion::epoch)).doesNotHaveDuplicates();
    }
  }

  /**
   * Puts and KV deletes of one epoch, some twice: the newest counts, in whatever order they come.
   */
  @Property(tries = 300)
  void reachesTheSameEntryInAnyOrderWhenAllEventsAreOfOneEpoch(
      @ForAll("storeHistories") List<Op> store, @ForAll long seed) {
    Random random = new Random(seed);
    List<ChangeEvent> events = new ArrayList<>();
    for (int i = 0; i < store.size(); i++) {
      events.add(versioned(Op.UPDATE, i + 1));
      if (store.get(i) == Op.DELETE) {
        events.add(versioned(Op.DELETE, i + 1));
      }
    }
    Entry inOrder = materialize(events);
    for (int i = random.nextInt(events.size() + 1); i > 0; i--) {
      events.add(events.get(random.nextInt(events.size())));
    }
    Collections.shuffle(events, random);

    Entry shuffled = materialize(events);

    assertThat(shuffled.version()).isEqualTo(inOrder.version());
    assertThat(shuffled.deleted()).isEqualTo(store.get(store.size() - 1) == Op.DELETE);
    assertThat(shuffled.value()).isEqualTo(inOrder.value());
  }

  @Property(tries = 300)
  void leavesNothingWhenACreateComesAfterItsDelete(
      @ForAll("histories") List<ChangeEvent> before,
      @ForAll @IntRange(min = 0, max = 40) int late) {
    Entry entry = materialize(before);
    ChangeEvent delete = delete(version("A", 40));
    Decision decision = guard.decide(entry, delete, 0, 0);
    assertThat(decision.applied()).isTrue();

    Decision created = guard.decide(decision.next(), put(version("A", late)), 1, 0);

    assertThat(created.applied()).isFalse();
    assertThat(decision.next().deleted()).isTrue();
  }

  @Provide
  Arbitrary<List<Integer>> clocks() {
    return Arbitraries.integers().between(0, 20).list().ofSize(7);
  }

  @Provide
  Arbitrary<List<Op>> storeHistories() {
    return Arbitraries.of(Op.UPDATE, Op.DELETE).list().ofMinSize(1).ofMaxSize(8);
  }

  @Provide
  Arbitrary<List<ChangeEvent>> histories() {
    Arbitrary<SourceVersion> versions =
        Combinators.combine(Arbitraries.of("A", "B"), Arbitraries.integers().between(1, 5))
            .as(Samples::version);
    Arbitrary<Origin.Base> bases =
        Combinators.combine(versions, Arbitraries.integers().between(0, 2))
            .as(
                (known, kind) ->
                    switch (kind) {
                      case 0 -> Origin.Base.ABSENT;
                      case 1 -> liveBase(known);
                      default -> tombstoneBase(known);
                    });
    Arbitrary<Origin> origins =
        Combinators.combine(versions, bases, Arbitraries.integers().between(0, 9))
            .as(
                (seen, base, kind) ->
                    switch (kind) {
                      case 0 -> Origin.Unordered.INSTANCE;
                      case 1, 2, 3 -> observed(seen, base);
                      case 4 -> adHoc(seen, base);
                      case 5 -> new Origin.SnapshotRead(seen.epoch(), null, base, false);
                      default -> new Origin.Versioned(seen);
                    });
    return Combinators.combine(origins, Arbitraries.of(true, false))
        .as((origin, removed) -> removed ? delete(origin) : put(origin))
        .list()
        .ofMaxSize(12);
  }

  private static ChangeEvent versioned(Op op, int sequence) {
    return new ChangeEvent(
        op,
        0,
        new Origin.Versioned(version("A", sequence)),
        op == Op.DELETE ? null : value("value " + sequence));
  }

  private Entry materialize(List<ChangeEvent> events) {
    Entry entry = null;
    for (ChangeEvent event : events) {
      Decision decision = guard.decide(entry, event, 0, 0);
      entry = decision.next() == null ? entry : decision.next();
    }
    return entry;
  }
}
