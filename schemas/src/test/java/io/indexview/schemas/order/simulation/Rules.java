package io.indexview.schemas.order.simulation;

import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.order.Decision;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;

/**
 * The rules under test: the guard, and those that a sweeping source follows.
 *
 * @param baseBeforeLook the base is the index entry from before the look, not from when it is sent
 * @param skipChanged a key whose index entry changed since the sweep began is skipped
 * @param pointRead a delete is sent only after a second read finds nothing
 */
record Rules(Guard guard, boolean baseBeforeLook, boolean skipChanged, boolean pointRead) {
  private static final OrderGuard GUARD = new OrderGuard();

  /** The real one, or one with a rule broken. */
  interface Guard {
    Decision decide(Entry current, ChangeEvent event);
  }

  static final Rules REAL =
      new Rules((current, event) -> GUARD.decide(current, event, 0, 0), true, true, true);

  /**
   * Folds an event; revision and offset are left out, so that histories that differ in nothing else
   * meet in one world.
   */
  Entry fold(Entry current, ChangeEvent event) {
    Decision decision = guard.decide(current, event);
    if (!decision.applied()) {
      return current;
    }
    Entry next = decision.next();
    return next == null
        ? null
        : new Entry(next.version(), next.deleted(), next.left(), 0, 0, 0, next.value());
  }
}
