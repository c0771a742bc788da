package io.indexview.schemas.order.simulation;

import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.order.OrderGuard.Decision;
import java.time.Duration;
import java.util.function.BinaryOperator;

/**
 * The rules under test: the guard, and those that a scanning source and the app follow.
 *
 * @param baseBeforeScan the base is the index entry from before the scan, not from when it is sent
 * @param skipChanged a key whose index entry changed since the scan began is skipped
 * @param pointRead a delete is sent only after a second read finds nothing
 * @param unnamedIsGone an event finds gone what an ad-hoc snapshot did not name, and the clean-up
 *     has yet to remove
 * @param readsAgain an ad-hoc snapshot looks again at a key that something else came for
 * @param mark what the app remembers of an event that it passes over
 */
record Rules(
    Guard guard,
    boolean baseBeforeScan,
    boolean skipChanged,
    boolean pointRead,
    boolean unnamedIsGone,
    boolean readsAgain,
    BinaryOperator<Entry> mark) {
  static final Duration RETENTION = Duration.ofDays(15);

  private static final OrderGuard GUARD = new OrderGuard(RETENTION);

  /** The real one, or one with a rule broken. */
  interface Guard {
    Decision decide(Entry current, ChangeEvent event);
  }

  static final Rules REAL =
      new Rules(
          (current, event) -> GUARD.decide(current, event, 0, 0), true, true, true, true, true);

  /** With the real mark. */
  Rules(
      Guard guard,
      boolean baseBeforeScan,
      boolean skipChanged,
      boolean pointRead,
      boolean unnamedIsGone,
      boolean readsAgain) {
    this(
        guard,
        baseBeforeScan,
        skipChanged,
        pointRead,
        unnamedIsGone,
        readsAgain,
        OrderGuard::passedOver);
  }

  /**
   * Materializes an event; revision and offset are left out, and record times but those of
   * tombstones, so that histories that differ in nothing else meet in one world.
   */
  Entry materialize(Entry current, ChangeEvent event) {
    Decision decision = guard.decide(current, event);
    if (!decision.applied()) {
      return current;
    }
    return bare(decision.next());
  }

  /** What the app makes of an event that it passes over. */
  Entry passOver(Entry current, ChangeEvent event) {
    Decision decision = guard.decide(current, event);
    return decision.applied() && decision.next() != null
        ? bare(mark.apply(current, decision.next()))
        : current;
  }

  private static Entry bare(Entry entry) {
    return entry == null ? null : at(entry, entry.deleted() ? entry.timestampMs() : 0);
  }

  static Entry at(Entry entry, long timestampMs) {
    return new Entry(
        entry.version(),
        entry.deleted(),
        entry.left(),
        0,
        0,
        timestampMs,
        entry.value(),
        0,
        entry.inferred(),
        entry.unreadableAt());
  }
}
