package io.indexview.schemas.order;

import static io.indexview.schemas.order.OrderGuard.Decision.Verdict.APPLIED;
import static io.indexview.schemas.order.OrderGuard.Decision.Verdict.DUPLICATE;
import static io.indexview.schemas.order.OrderGuard.Decision.Verdict.STALE;
import static io.indexview.schemas.order.OrderGuard.Decision.Verdict.SUPERSEDED;
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
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.order.OrderGuard.Decision;
import io.indexview.schemas.order.OrderGuard.Decision.Verdict;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every rule of the guard, one line each. */
class OrderGuardVerdictTest {
  private static final SourceVersion A4 = version("A", 4);
  private static final SourceVersion A5 = version("A", 5);
  private static final SourceVersion A6 = version("A", 6);
  private static final SourceVersion B1 = version("B", 1);
  private static final SourceVersion B2 = version("B", 2);
  private static final Origin.Base ABSENT = Origin.Base.ABSENT;

  static Stream<Arguments> versionRules() {
    return Stream.of(
        arguments("no entry", null, put(A5), APPLIED),
        arguments("delete of an unknown key", null, delete(A5), APPLIED),
        arguments("entry without a version", live(null), put(A5), APPLIED),
        arguments("tombstone without a version", tombstone(null), put(A5), APPLIED),
        arguments("without a version, epoch left", live(null, A6), put(A5), APPLIED),
        arguments("higher", live(A5), put(A6), APPLIED),
        arguments("higher, over a tombstone", tombstone(A5), put(A6), APPLIED),
        arguments("higher delete", live(A5), delete(A6), APPLIED),
        arguments("lower", live(A5), put(A4), STALE),
        arguments("lower delete", live(A5), delete(A4), STALE),
        arguments("lower, over a tombstone", tombstone(A5), put(A4), STALE),
        arguments("equal", live(A5), put(A5), DUPLICATE),
        arguments("equal put over the tombstone", tombstone(A5), put(A5), DUPLICATE),
        arguments("delete of the version known", live(A5), delete(A5), APPLIED),
        arguments("the same delete again", tombstone(A5), delete(A5), DUPLICATE),
        arguments("another epoch", live(A5), put(B1), APPLIED),
        arguments("another epoch, delete", live(A5), delete(B1), APPLIED),
        arguments("epoch left, lower", live(B1, A5), put(A4), STALE),
        arguments("epoch left, highest seen", live(B1, A5), put(A5), STALE),
        arguments("epoch left, delete of it", live(B1, A5), delete(A5), STALE),
        arguments("epoch left, above", live(B1, A5), put(A6), APPLIED),
        arguments("epoch left, over a tombstone", tombstone(B1, A5), put(A4), STALE));
  }

  static Stream<Arguments> unorderedRules() {
    Origin unordered = Origin.Unordered.INSTANCE;
    return Stream.of(
        arguments("no entry", null, put(unordered), APPLIED),
        arguments("no entry, delete", null, delete(unordered), APPLIED),
        arguments("over a version", live(A5), put(unordered), APPLIED),
        arguments("delete over a version", live(A5), delete(unordered), APPLIED),
        arguments("over a tombstone", tombstone(A5), put(unordered), APPLIED));
  }

  static Stream<Arguments> observedRules() {
    return Stream.of(
        arguments("no entry, no base", null, put(observed(A5, ABSENT)), APPLIED),
        arguments(
            "no entry, base a tombstone", null, put(observed(A5, tombstoneBase(A4))), APPLIED),
        arguments("no entry, live base", null, put(observed(A5, liveBase(A4))), SUPERSEDED),
        arguments("base holds", live(A4), put(observed(A5, liveBase(A4))), APPLIED),
        arguments("base holds, delete", live(A5), delete(observed(A5, liveBase(A5))), APPLIED),
        arguments("base holds, new epoch", live(A5), put(observed(B1, liveBase(A5))), APPLIED),
        arguments(
            "tombstone base holds", tombstone(A4), put(observed(A5, tombstoneBase(A4))), APPLIED),
        arguments("base without version", live(null), put(observed(A5, liveBase(null))), APPLIED),
        arguments("base was live", tombstone(A5), put(observed(A5, liveBase(A5))), SUPERSEDED),
        arguments(
            "base was a tombstone", live(A5), put(observed(A5, tombstoneBase(A5))), SUPERSEDED),
        arguments("no base, tombstone", tombstone(A4), put(observed(A5, ABSENT)), APPLIED),
        arguments(
            "no base, tombstone elsewhere", tombstone(B1), put(observed(A5, ABSENT)), APPLIED),
        arguments(
            "no base, tombstone without", tombstone(null), put(observed(A5, ABSENT)), APPLIED),
        arguments("removed since", tombstone(A5), put(observed(A5, ABSENT)), SUPERSEDED),
        arguments(
            "removed since, unreadable", tombstone(A5), delete(unreadable(A5, ABSENT)), SUPERSEDED),
        arguments(
            "removed since, unreadable before",
            tombstone(A5),
            delete(unreadable(A5, tombstoneBase(A5))),
            SUPERSEDED),
        arguments(
            "unreadable over its base", live(A5), delete(unreadable(A6, liveBase(A5))), APPLIED),
        arguments("removed long since", tombstone(A6), put(observed(A5, ABSENT)), SUPERSEDED),
        arguments("no base, live", live(A5), put(observed(B1, ABSENT)), SUPERSEDED),
        arguments("published meanwhile", live(A5), put(observed(A5, ABSENT)), SUPERSEDED),
        arguments("newer in the epoch", live(A5), put(observed(A6, ABSENT)), APPLIED),
        arguments("newer, other base", live(A5), put(observed(A6, liveBase(A4))), APPLIED),
        arguments(
            "newer than a tombstone", tombstone(A5), put(observed(A6, liveBase(A4))), APPLIED),
        arguments("older in the epoch", live(A6), put(observed(A5, liveBase(A4))), SUPERSEDED),
        arguments("delete overtaken", live(A6), delete(observed(A5, liveBase(A5))), SUPERSEDED),
        arguments("moved on", live(B2, A5), put(observed(B1, liveBase(A5))), SUPERSEDED),
        arguments("moved back", live(A6, B1), put(observed(B2, liveBase(B1))), SUPERSEDED));
  }

  static Stream<Arguments> observedWithoutASequenceRules() {
    return Stream.of(
        arguments("no entry", null, put(observedWithoutSequence("A", ABSENT)), APPLIED),
        arguments("base holds", live(A5), put(observedWithoutSequence("A", liveBase(A5))), APPLIED),
        arguments("delete", live(A5), delete(observedWithoutSequence("A", liveBase(A5))), APPLIED),
        arguments(
            "over a tombstone", tombstone(A5), put(observedWithoutSequence("A", ABSENT)), APPLIED),
        arguments(
            "published meanwhile",
            live(A6),
            put(observedWithoutSequence("A", liveBase(A5))),
            SUPERSEDED),
        arguments("missed", live(A4), put(observedWithoutSequence("A", liveBase(A5))), APPLIED),
        arguments(
            "missed a delete",
            tombstone(A4),
            put(observedWithoutSequence("A", tombstoneBase(A5))),
            APPLIED),
        arguments(
            "missed all published",
            live(null),
            put(observedWithoutSequence("A", liveBase(A5))),
            APPLIED),
        arguments(
            "left it without order",
            live(null, A5),
            put(observedWithoutSequence("A", liveBase(A5))),
            SUPERSEDED),
        arguments(
            "moved on from it",
            live(B1, A5),
            put(observedWithoutSequence("A", liveBase(A5))),
            SUPERSEDED));
  }

  static Stream<Arguments> adHocRules() {
    return Stream.of(
        arguments("no entry, live base", null, put(adHoc(A5, liveBase(A4))), APPLIED),
        arguments("same version", live(A5), put(adHoc(A5, ABSENT)), APPLIED),
        arguments("newer", live(A5), put(adHoc(A6, ABSENT)), APPLIED),
        arguments("older", live(A5), put(adHoc(A4, ABSENT)), SUPERSEDED),
        arguments("older, but the base holds", live(A5), put(adHoc(A4, liveBase(A5))), APPLIED),
        arguments("other epoch", live(A5), put(adHoc(B1, ABSENT)), APPLIED),
        arguments("epoch left", live(B1, A5), put(adHoc(A4, ABSENT)), APPLIED),
        arguments("no version known", live(null), put(adHoc(A5, liveBase(A4))), APPLIED),
        arguments("tombstone of it", tombstone(A5), put(adHoc(A5, ABSENT)), SUPERSEDED),
        arguments(
            "tombstone of it, other base", tombstone(A5), put(adHoc(A5, liveBase(A4))), SUPERSEDED),
        arguments("tombstone, newer", tombstone(A5), put(adHoc(A6, ABSENT)), APPLIED),
        arguments("delete of it", live(A5), delete(adHoc(A5, ABSENT)), APPLIED),
        arguments("delete again", tombstone(A5), delete(adHoc(A5, ABSENT)), APPLIED),
        arguments(
            "no sequence",
            live(A5),
            put(new Origin.SnapshotRead("A", null, liveBase(A4), true)),
            APPLIED));
  }

  @ParameterizedTest(name = "{0}: {3}")
  @MethodSource({
    "versionRules",
    "unorderedRules",
    "observedRules",
    "observedWithoutASequenceRules",
    "adHocRules"
  })
  void decidesByTheRule(String rule, Entry current, ChangeEvent event, Verdict expected) {
    assertThat(decide(current, event).verdict()).as(rule).isEqualTo(expected);
  }

  @ParameterizedTest(name = "{0}: {3}")
  @MethodSource({
    "versionRules",
    "unorderedRules",
    "observedRules",
    "observedWithoutASequenceRules",
    "adHocRules"
  })
  void decidesTheSameWhenEntriesKeepNoValue(
      String rule, Entry current, ChangeEvent event, Verdict expected) {
    Entry bare =
        current == null
            ? null
            : new Entry(current.version(), current.deleted(), current.left(), 500, 7, 100, null);

    Decision decision = decide(bare, event);

    assertThat(decision.verdict()).as(rule).isEqualTo(expected);
    if (decision.applied()) {
      Entry withValue = decide(current, event).next();
      assertThat(List.of(decision.next().left(), decision.next().deleted()))
          .isEqualTo(List.of(withValue.left(), withValue.deleted()));
      assertThat(decision.next().version()).isEqualTo(withValue.version());
    }
  }
}
