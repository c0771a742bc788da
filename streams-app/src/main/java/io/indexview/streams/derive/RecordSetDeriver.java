package io.indexview.streams.derive;

import io.indexview.schemas.change.MalformedEventException;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.EntryCodec;
import io.indexview.schemas.order.Verdict;
import io.indexview.streams.health.Outcome;
import io.indexview.streams.health.RecordSetCounters;
import java.util.Optional;
import java.util.function.LongUnaryOperator;
import java.util.function.Predicate;

/**
 * Turns the change events of one record set into the minimal changes of its views' rows: reads the
 * event, asks the order guard, derives the rows before and after, emits what differs and saves the
 * entry. Each task has its own; not safe for use by several threads.
 *
 * <p>What a view makes of a record does not depend on the other views: a record that one of them
 * cannot be derived from has no rows in that view alone.
 */
public final class RecordSetDeriver {
  private final RecordSetCounters counters;
  private final ChangeDecoder decoder;
  private final ViewPlans plans;
  private final EntryFold fold;
  private final RecordWatch watch;

  /**
   * @param plans what to derive; may change between two records
   * @param maxEntryBytes how large a key and its encoded entry may be together; a record beyond it
   *     is kept without its value and derives no rows
   * @param positions see {@link EventPositions}, of offsets
   * @param watch of the same task
   */
  public RecordSetDeriver(
      String recordSet,
      RecordFormat format,
      DeriverServices services,
      ViewPlans plans,
      int maxEntryBytes,
      LongUnaryOperator positions,
      RecordWatch watch) {
    this.counters = services.metrics().recordSet(recordSet);
    this.decoder = new ChangeDecoder(services.registry(), format, services.registryWait());
    this.plans = plans;
    this.fold = new EntryFold(services.guard(), maxEntryBytes, positions);
    this.watch = watch;
  }

  /**
   * Processes one record.
   *
   * @param nowMs wall clock, ms since the epoch
   */
  public void process(ChangeRecord change, Entries entries, TaskOutput out, long nowMs) {
    Optional<KeyedEvent> event;
    try {
      event = decoder.decode(change);
    } catch (MalformedEventException e) {
      out.deadLetter(change, new Problem(Problem.Stage.DECODE, e.getMessage(), null, e));
      counters.count(Outcome.DEAD);
      return;
    }
    counters.count(
        event.map(read -> fold(change, read, entries, out, nowMs)).orElse(Outcome.EMPTY));
  }

  private Outcome fold(
      ChangeRecord change, KeyedEvent read, Entries entries, TaskOutput out, long nowMs) {
    watch.beforeEvent(read.stateKey(), nowMs);
    byte[] stored = entries.get(read.stateKey());
    Entry before = stored == null ? null : EntryCodec.decode(stored);
    EntryFold.Step step = fold.step(before, read, nowMs);
    Entry after = step.after();
    boolean derived =
        !step.applied()
            || sameRecord(before, after)
            || derive(
                read.stateKey(), new RecordChange(change, read.primaryKey(), before, after), out);
    if (step.encoded() != null) {
      entries.put(read.stateKey(), step.encoded());
    }
    return derived ? outcome(step.verdict()) : Outcome.DEAD;
  }

  /** Whether the rows must be the same, known without decoding anything. */
  private static boolean sameRecord(Entry before, Entry after) {
    return before != null && after.value() != null && after.value().equals(before.value());
  }

  /** Emits what changes; false if a view could not be derived from the new record. */
  private boolean derive(byte[] stateKey, RecordChange change, TaskOutput out) {
    Predicate<FollowedView> followed = view -> view.follows(stateKey);
    boolean derived = true;
    for (ReaderGroup group : plans.groups()) {
      if (group.hasAny(followed)) {
        derived &= group.apply(change, followed, out);
      }
    }
    return derived;
  }

  private static Outcome outcome(Verdict verdict) {
    return switch (verdict) {
      case APPLIED -> Outcome.APPLIED;
      case STALE -> Outcome.STALE;
      case DUPLICATE -> Outcome.DUPLICATE;
      case SUPERSEDED -> Outcome.SUPERSEDED;
    };
  }
}
