package io.indexview.schemas.order.simulation;

import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.order.OrderGuard.Decision;
import io.indexview.schemas.order.OrderGuard.Decision.Verdict;
import java.util.List;
import java.util.function.BinaryOperator;

/** The real rules with one broken, and the check that must notice. */
enum BrokenRule {
  OLDER_CHANGE_EVENTS_COUNT(
      Checks.CONVERGES_BY_CHANGE_EVENTS,
      (entry, event) -> Events.isPublished(event) ? take(entry, event) : real(entry, event)),
  DELETE_OF_THE_KNOWN_VERSION_IS_A_DUPLICATE(
      Checks.CONVERGES_BY_CHANGE_EVENTS,
      (entry, event) ->
          isPublishedAgain(entry, event) && Events.isDelete(event)
              ? ignore(Verdict.DUPLICATE)
              : real(entry, event)),
  PUT_OF_A_REMOVED_VERSION_COUNTS(
      Checks.NEVER_RESURRECTS,
      (entry, event) ->
          isPublishedAgain(entry, event) && entry.deleted() && !Events.isDelete(event)
              ? take(entry, event)
              : real(entry, event)),
  DELETE_LEAVES_NO_TOMBSTONE(
      Checks.NEVER_RESURRECTS,
      (entry, event) ->
          Events.isDelete(event) && real(entry, event).applied() ? forget() : real(entry, event)),
  DELETE_OF_AN_UNKNOWN_KEY_LEAVES_NO_TOMBSTONE(
      Checks.NEVER_RESURRECTS,
      (entry, event) -> entry == null && Events.isDelete(event) ? forget() : real(entry, event)),
  EPOCHS_LEFT_ARE_FORGOTTEN(
      Checks.CONVERGES_BY_CHANGE_EVENTS, (entry, event) -> real(withoutLeft(entry), event)),
  OBSERVATIONS_ALWAYS_COUNT(
      Checks.CONVERGES_BY_CHANGE_EVENTS,
      (entry, event) -> Events.isPublished(event) ? real(entry, event) : take(entry, event)),
  OBSERVATIONS_COUNT_BY_VERSION_ALONE(
      Checks.CONVERGES_AFTER_SCANS,
      (entry, event) ->
          Events.isPublished(event) || isNewer(entry, event)
              ? real(entry, event)
              : ignore(Verdict.SUPERSEDED)),
  ABSENT_IS_NOT_A_TOMBSTONE(
      Checks.CONVERGES_AFTER_SCANS,
      (entry, event) ->
          event.origin() instanceof Origin.SnapshotRead seen
                  && seen.base().present() == (entry == null)
              ? ignore(Verdict.SUPERSEDED)
              : real(entry, event)),
  TOMBSTONE_GIVES_WAY_TO_WHAT_IT_REMOVED(
      Checks.NEVER_RESURRECTS,
      (entry, event) ->
          event.origin() instanceof Origin.SnapshotRead seen
                  && !seen.base().present()
                  && entry != null
                  && entry.deleted()
              ? take(entry, event)
              : real(entry, event)),
  TOMBSTONES_COUNT_AS_LONG_AS_THEY_ARE_STORED(
      Checks.CONVERGES_AFTER_SCANS,
      (entry, event) ->
          new OrderGuard(Rules.RETENTION.multipliedBy(10)).decide(entry, event, 0, 0)),
  INFERRED_TOMBSTONES_COUNT_AS_CHANGE_EVENTS(
      Checks.CONVERGES_AFTER_SCANS, (entry, event) -> real(published(entry), event)),
  PUT_OF_AN_UNREADABLE_VERSION_IS_A_DUPLICATE(
      Checks.CONVERGES_BY_CHANGE_EVENTS,
      (entry, event) ->
          isPublishedAgain(entry, event) && entry.unreadable() && !Events.isDelete(event)
              ? ignore(Verdict.DUPLICATE)
              : real(entry, event)),
  UNREADABLE_RECORD_LEAVES_ITS_EPOCH_FORGOTTEN(
      Checks.NEVER_GOES_BACK,
      (entry, event) -> real(entry != null && entry.inferred() ? entry.readable() : entry, event)),
  UNREADABLE_READ_OVERRULES_THE_REMOVAL(
      Checks.NEVER_RESURRECTS,
      (entry, event) ->
          isUnreadable(event) && real(entry, gone(event)).applied()
              ? unreadable(event)
              : real(entry, event)),
  BASE_IS_TAKEN_AFTER_THE_READ(
      Checks.CONVERGES_BY_CHANGE_EVENTS,
      new Rules(Rules.REAL.guard(), false, false, true, true, true)),
  DELETE_WITHOUT_A_POINT_READ(
      Checks.CONVERGES_AFTER_SCANS, new Rules(Rules.REAL.guard(), true, true, false, true, true)),
  UNNAMED_RECORDS_STAND_UNTIL_THE_CLEAN_UP(
      Checks.CONVERGES_AFTER_SCANS, new Rules(Rules.REAL.guard(), true, true, true, false, true)),
  PASSED_OVER_EVENT_LEAVES_NO_VERSION(
      Checks.CONVERGES_BY_CHANGE_EVENTS,
      marking((entry, next) -> OrderGuard.unreadable(entry, 0, 0, 0))),
  PASSED_OVER_DELETE_LEAVES_NO_VERSION(
      Checks.NEVER_RESURRECTS,
      marking(
          (entry, next) ->
              next.deleted()
                  ? OrderGuard.unreadable(entry, 0, 0, 0)
                  : OrderGuard.passedOver(entry, next)));

  final Checks check;
  final Rules rules;

  BrokenRule(Checks check, Rules.Guard guard) {
    this(check, new Rules(guard, true, true, true, true, true));
  }

  BrokenRule(Checks check, Rules rules) {
    this.check = check;
    this.rules = rules;
  }

  private static Rules marking(BinaryOperator<Entry> mark) {
    return new Rules(Rules.REAL.guard(), true, true, true, true, true, mark);
  }

  private static Decision real(Entry entry, ChangeEvent event) {
    return Rules.REAL.guard().decide(entry, event);
  }

  private static Decision ignore(Verdict verdict) {
    return new Decision(verdict, null);
  }

  private static Decision forget() {
    return new Decision(Verdict.APPLIED, null);
  }

  /** Applies the event to nothing, then remembers what the entry had. */
  private static Decision take(Entry entry, ChangeEvent event) {
    Entry fresh =
        real(null, event).applied()
            ? real(null, event).next()
            : real(null, published(event)).next();
    List<SourceVersion> left = entry == null ? List.of() : entry.left();
    return new Decision(
        Verdict.APPLIED, new Entry(fresh.version(), fresh.deleted(), left, 0, 0, 0, fresh.value()));
  }

  private static boolean isUnreadable(ChangeEvent event) {
    return event.origin() instanceof Origin.SnapshotRead seen && seen.unreadable();
  }

  private static ChangeEvent gone(ChangeEvent event) {
    Origin.SnapshotRead seen = (Origin.SnapshotRead) event.origin();
    return new ChangeEvent(
        event.op(),
        0,
        new Origin.SnapshotRead(seen.epoch(), seen.sequence(), seen.base(), seen.adHoc()),
        null);
  }

  private static Decision unreadable(ChangeEvent event) {
    Origin.SnapshotRead seen = (Origin.SnapshotRead) event.origin();
    Origin.SnapshotRead first =
        new Origin.SnapshotRead(
            seen.epoch(), seen.sequence(), Origin.Base.ABSENT, seen.adHoc(), true);
    return real(null, new ChangeEvent(event.op(), 0, first, null));
  }

  private static ChangeEvent published(ChangeEvent event) {
    SourceVersion seen = ((Origin.SnapshotRead) event.origin()).version();
    return new ChangeEvent(event.op(), 0, new Origin.Versioned(seen), event.value());
  }

  private static boolean isPublishedAgain(Entry entry, ChangeEvent event) {
    return entry != null
        && event.origin() instanceof Origin.Versioned published
        && published.version().equals(entry.version());
  }

  private static boolean isNewer(Entry entry, ChangeEvent event) {
    return entry == null || real(entry, published(event)).applied() && !Events.isDelete(event);
  }

  private static Entry published(Entry entry) {
    return entry == null
        ? null
        : new Entry(
            entry.version(),
            entry.deleted(),
            entry.left(),
            0,
            0,
            entry.timestampMs(),
            entry.value());
  }

  private static Entry withoutLeft(Entry entry) {
    return entry == null
        ? null
        : new Entry(entry.version(), entry.deleted(), List.of(), 0, 0, 0, entry.value());
  }
}
