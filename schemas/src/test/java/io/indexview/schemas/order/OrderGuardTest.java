package io.indexview.schemas.order;

import static io.indexview.schemas.order.Samples.NEW_VALUE;
import static io.indexview.schemas.order.Samples.NOW;
import static io.indexview.schemas.order.Samples.OFFSET;
import static io.indexview.schemas.order.Samples.RETENTION;
import static io.indexview.schemas.order.Samples.adHoc;
import static io.indexview.schemas.order.Samples.decide;
import static io.indexview.schemas.order.Samples.delete;
import static io.indexview.schemas.order.Samples.live;
import static io.indexview.schemas.order.Samples.liveBase;
import static io.indexview.schemas.order.Samples.observed;
import static io.indexview.schemas.order.Samples.observedWithoutSequence;
import static io.indexview.schemas.order.Samples.put;
import static io.indexview.schemas.order.Samples.tombstone;
import static io.indexview.schemas.order.Samples.tombstoneBase;
import static io.indexview.schemas.order.Samples.unreadable;
import static io.indexview.schemas.order.Samples.version;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.order.OrderGuard.Decision;
import io.indexview.schemas.order.OrderGuard.Decision.Verdict;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the guard leaves behind. */
class OrderGuardTest {
  private static final SourceVersion A5 = version("A", 5);
  private static final SourceVersion A6 = version("A", 6);
  private static final SourceVersion B1 = version("B", 1);
  private static final SourceVersion C1 = version("C", 1);

  @Test
  void storesTheEventWhenTheKeyIsNew() {
    assertThat(decide(null, put(A5)).next())
        .isEqualTo(new Entry(A5, false, List.of(), NOW, OFFSET, 200, NEW_VALUE));
  }

  @Test
  void leavesATombstoneWithVersionAndRevisionWhenAnUnknownKeyIsDeleted() {
    assertThat(decide(null, delete(A5)).next())
        .isEqualTo(new Entry(A5, true, List.of(), NOW, OFFSET, 200, null));
  }

  @Test
  void storesNothingWhenAChangeEventIsNotApplied() {
    assertThat(decide(live(A6), put(A5))).isEqualTo(new Decision(Verdict.STALE, null));
    assertThat(decide(live(A5), put(A5))).isEqualTo(new Decision(Verdict.DUPLICATE, null));
  }

  @Test
  void raisesTheRevisionByOneWhenTheClockIsBehind() {
    Entry ahead = new Entry(A5, false, List.of(), NOW + 50, 7, 100, NEW_VALUE);

    assertThat(decide(ahead, put(A6)).next().revision()).isEqualTo(NOW + 51);
  }

  @Test
  void takesTheClockAsRevisionWhenItIsAhead() {
    assertThat(decide(live(A5), put(A6)).next().revision()).isEqualTo(NOW);
  }

  @Test
  void remembersTheEpochItLeaves() {
    Entry moved = decide(live(A5), put(B1)).next();

    assertThat(moved.left()).containsExactly(A5);
    assertThat(decide(moved, put(C1)).next().left()).containsExactly(A5, B1);
  }

  @Test
  void forgetsAnEpochItReturnsTo() {
    assertThat(decide(live(B1, A5, C1), put(A6)).next().left()).containsExactly(C1, B1);
  }

  @Test
  void keepsTheHighestSequenceOfAnEpochWhenASnapshotReadReturnsBelowIt() {
    SourceVersion a4 = version("A", 4);
    Entry below = decide(live(B1, A5), put(observed(a4, liveBase(B1)))).next();

    assertThat(below.version()).isEqualTo(a4);
    assertThat(decide(below, put(C1)).next().left()).containsExactlyInAnyOrder(A5, B1);
  }

  @Test
  void forgetsTheEpochsItLeftWhenAnAdHocSnapshotFindsTheRecord() {
    assertThat(decide(live(B1, A5), put(adHoc(C1, Origin.Base.ABSENT))).next().left()).isEmpty();
    assertThat(decide(live(C1, A5), delete(adHoc(C1, Origin.Base.ABSENT))).next().left()).isEmpty();
  }

  @Test
  void countsNoTombstoneThatIsOlderThanItsRetention() {
    Origin versioned = new Origin.Versioned(A5);
    long expired = 100 + RETENTION.toMillis();

    assertThat(decide(tombstone(A6, B1), new ChangeEvent(Op.UPDATE, expired, versioned, NEW_VALUE)))
        .isEqualTo(new Decision(Verdict.STALE, null));
    assertThat(
            decide(
                tombstone(A6, B1), new ChangeEvent(Op.UPDATE, expired + 1, versioned, NEW_VALUE)))
        .isEqualTo(
            new Decision(
                Verdict.APPLIED,
                new Entry(A5, false, List.of(), NOW, OFFSET, expired + 1, NEW_VALUE)));
  }

  @Test
  void removesATombstoneOnlyWhenEventsMayBeADayLate() {
    OrderGuard guard = new OrderGuard(RETENTION);
    long removable = 100 + RETENTION.plusDays(1).toMillis();

    assertThat(guard.isRemovable(tombstone(A6), removable)).isFalse();
    assertThat(guard.isRemovable(tombstone(A6), removable + 1)).isTrue();
    assertThat(guard.isRemovable(live(A6), removable + 1)).isFalse();
    assertThat(guard.isRemovable(tombstone(A6), -1)).as("no event has come yet").isFalse();
    assertThat(new OrderGuard(Duration.ofMillis(Long.MAX_VALUE)).isRemovable(tombstone(A6), -1))
        .isFalse();
  }

  /** A record that comes after it would have a revision that a fence refuses. */
  @Test
  void keepsATombstoneWhoseRevisionIsAheadOfTheTime() {
    OrderGuard guard = new OrderGuard(RETENTION);
    long removable = 100 + RETENTION.plusDays(1).toMillis() + 1;
    Entry ahead = OrderGuard.raised(tombstone(A6), removable - 1, NOW);

    assertThat(ahead.revision()).isEqualTo(removable);
    assertThat(guard.isRemovable(ahead, removable)).isFalse();
    assertThat(guard.isRemovable(ahead, removable + 1)).isTrue();
  }

  @Test
  void refusesNoEventOfARecordThatNobodyKnew() {
    Entry nobody = OrderGuard.ofNobody(NOW + 1_000, NOW);

    assertThat(nobody.deleted()).isTrue();
    assertThat(nobody.revision()).isEqualTo(NOW + 1_001);
    for (Origin origin :
        List.of(
            new Origin.Versioned(A5),
            Origin.Unordered.INSTANCE,
            new Origin.SnapshotRead(A5.epoch(), A5.sequence(), Origin.Base.ABSENT, false),
            new Origin.SnapshotRead(A5.epoch(), null, Origin.Base.ABSENT, true),
            new Origin.SnapshotRead(A5.epoch(), A5.sequence(), Origin.Base.of(A6, true), false),
            new Origin.SnapshotRead(B1.epoch(), B1.sequence(), Origin.Base.of(A6, false), false))) {
      Decision decision = decide(nobody, new ChangeEvent(Op.UPDATE, 100, origin, NEW_VALUE));

      assertThat(decision.verdict()).as("%s", origin).isEqualTo(Verdict.APPLIED);
      assertThat(decision.next().revision()).isEqualTo(NOW + 1_002);
    }
  }

  @Test
  void refusesWhatIsNotNewerThanAnInferredTombstoneButNoReadThatFindsTheRecord() {
    Entry gone = OrderGuard.inferredTombstone(live(A6, B1), 0);

    assertThat(gone.deleted()).isTrue();
    assertThat(gone.revision()).isEqualTo(501);
    assertThat(decide(gone, put(A5)).verdict()).isEqualTo(Verdict.STALE);
    assertThat(decide(gone, put(A6)).verdict()).isEqualTo(Verdict.DUPLICATE);
    assertThat(decide(gone, delete(A6)).next().inferred()).isFalse();
    assertThat(decide(gone, put(observed(A6, Origin.Base.ABSENT))).applied()).isTrue();
    assertThat(decide(gone, put(observed(A5, Origin.Base.ABSENT))).applied()).isFalse();
    assertThat(decide(gone, put(observed(C1, liveBase(B1)))).applied()).isTrue();
    assertThat(decide(gone, put(B1)).next().left()).isEmpty();
  }

  @Test
  void remembersTheEpochOfARecordThatCannotBeRead() {
    Entry found = decide(null, delete(unreadable(A5, Origin.Base.ABSENT))).next();
    Entry moved = decide(found, put(B1)).next();

    assertThat(found.unreadable()).isTrue();
    assertThat(moved.left()).containsExactly(A5);
    assertThat(decide(moved, put(version("A", 3))).verdict()).isEqualTo(Verdict.STALE);
  }

  @Test
  void takesWhatCanBeReadOfTheVeryVersionThatCouldNot() {
    Entry found = decide(null, delete(unreadable(A5, Origin.Base.ABSENT))).next();
    Entry read = decide(found, put(A5)).next();

    assertThat(read.unreadable()).isFalse();
    assertThat(read.value()).isEqualTo(NEW_VALUE);
    assertThat(decide(read, put(A5)).verdict()).isEqualTo(Verdict.DUPLICATE);
    assertThat(decide(found, put(version("A", 4))).verdict()).isEqualTo(Verdict.STALE);
    Entry gone = decide(found, delete(A5)).next();
    assertThat(gone.unreadable()).isFalse();
    assertThat(decide(gone, put(A5)).verdict()).isEqualTo(Verdict.DUPLICATE);
  }

  @Test
  void knowsNothingMoreOfARecordByAnEventThatCameBeforeTheUnreadableOne() {
    Entry marked = OrderGuard.unreadable(live(A5), OFFSET, 200, NOW);
    Entry gone = OrderGuard.unreadable(tombstone(A5), OFFSET, 200, NOW);

    assertThat(decide(marked, put(A5)).verdict()).isEqualTo(Verdict.DUPLICATE);
    assertThat(decide(gone, put(A5)).verdict()).isEqualTo(Verdict.DUPLICATE);
  }

  @Test
  void knowsByAnEventThatWasPassedOverWhatIsOlder() {
    Entry marked = passedOver(live(A5), put(version("A", 7)));
    Entry gone = passedOver(live(A5), delete(version("A", 7)));

    for (Entry entry : List.of(marked, gone)) {
      assertThat(entry.unreadable()).isTrue();
      assertThat(entry.value()).as("of before").isEqualTo(live(A5).value());
      assertThat(decide(entry, put(A6)).verdict()).isEqualTo(Verdict.STALE);
      assertThat(decide(entry, delete(A6)).verdict()).isEqualTo(Verdict.STALE);
      assertThat(decide(entry, put(version("A", 8))).next().unreadable()).isFalse();
    }
  }

  @Test
  void takesTheVeryEventThatWasPassedOver() {
    Entry marked = passedOver(live(A5), put(A6));
    Entry gone = passedOver(tombstone(A5), delete(A6));

    assertThat(decide(marked, put(A6)).next())
        .extracting(Entry::value, Entry::unreadable)
        .containsExactly(NEW_VALUE, false);
    assertThat(decide(marked, delete(A6)).next().unreadable()).isFalse();
    assertThat(decide(gone, put(A6)).verdict())
        .as("it was removed since")
        .isEqualTo(Verdict.DUPLICATE);
    assertThat(decide(gone, delete(A6)).next().unreadable()).isFalse();
    assertThat(decide(OrderGuard.unreadable(marked, 90, 200, NOW), put(A6)).verdict())
        .as("another one came since")
        .isEqualTo(Verdict.DUPLICATE);
  }

  /** A snapshot read that came late names the record, and says nothing of the event. */
  @Test
  void takesTheVeryEventAlsoAfterAnOlderSnapshotRead() {
    Entry marked = passedOver(live(A5), put(A6));
    Entry named = decide(marked, put(adHoc(A5, Origin.Base.ABSENT))).next();

    assertThat(named.unreadable()).isTrue();
    assertThat(decide(named, put(A6)).next().unreadable()).isFalse();
  }

  private static Entry passedOver(Entry known, ChangeEvent event) {
    return OrderGuard.passedOver(known, decide(known, event).next());
  }

  @Test
  void leavesTheEpochWhenAnEventWithoutOrderComes() {
    Entry next = decide(live(A5), put(Origin.Unordered.INSTANCE)).next();

    assertThat(next.version()).isNull();
    assertThat(next.left()).containsExactly(A5);
  }

  @Test
  void keepsTheVersionWhenAnSnapshotReadHasNoSequence() {
    Origin scan = observedWithoutSequence("A", liveBase(A5));

    assertThat(decide(live(A5, B1), put(scan)).next().version()).isEqualTo(A5);
    assertThat(decide(live(A5, B1), delete(scan)).next())
        .isEqualTo(new Entry(A5, true, List.of(B1), NOW, OFFSET, 200, null));
  }

  @Test
  void hasNoVersionWhenAnSnapshotReadWithoutASequenceIsTheFirst() {
    Origin scan = observedWithoutSequence("A", Origin.Base.ABSENT);

    assertThat(decide(null, put(scan)).next().version()).isNull();
  }

  @Test
  void takesOverTheVersionThatItMissedFromAnSnapshotReadWithoutASequence() {
    Origin adHoc = new Origin.SnapshotRead("A", null, liveBase(A6), true);

    assertThat(decide(live(A5), put(observedWithoutSequence("A", liveBase(A6)))).next().version())
        .isEqualTo(A6);
    assertThat(decide(null, put(observedWithoutSequence("A", tombstoneBase(A5)))).next().version())
        .isEqualTo(A5);
    assertThat(decide(null, put(adHoc)).next().version()).isEqualTo(A6);
    assertThat(decide(live(A6), put(adHoc)).next().version()).isEqualTo(A6);
    assertThat(decide(live(B1), put(adHoc)).next())
        .extracting(Entry::version, Entry::left)
        .containsExactly(A6, List.of());
  }

  @Test
  void touchesTheEntryWhenAnAdHocSnapshotFindsARecordThatIsKnownNewer() {
    Entry known = live(A6, B1);

    Decision decision = decide(known, put(adHoc(A5, Origin.Base.ABSENT)));

    assertThat(decision.verdict()).isEqualTo(Verdict.SUPERSEDED);
    assertThat(decision.next())
        .isEqualTo(new Entry(A6, false, List.of(), 500, OFFSET, 100, known.value()));
  }

  @Test
  void leavesTheEntryUntouchedWhenAnSnapshotReadIsSuperseded() {
    assertThat(decide(live(A6), put(observed(A5, Origin.Base.ABSENT))).next()).isNull();
    assertThat(decide(live(A6), delete(adHoc(A5, Origin.Base.ABSENT))).next()).isNull();
  }

  @Test
  void comparesSequencesPaddedWithZeros() {
    SourceVersion padded = new SourceVersion("A", new byte[] {5, 0, 0});

    assertThat(decide(live(A5), put(padded)).verdict()).isEqualTo(Verdict.DUPLICATE);
    assertThat(decide(tombstone(padded), put(new SourceVersion("A", new byte[] {(byte) 0x80}))))
        .extracting(Decision::applied)
        .isEqualTo(true);
  }
}
