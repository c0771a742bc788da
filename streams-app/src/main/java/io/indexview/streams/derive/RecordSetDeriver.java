package io.indexview.streams.derive;

import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.MalformedEventException;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.PrimaryKeys;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.EntryCodec;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.order.OrderGuard.Decision;
import io.indexview.schemas.order.OrderGuard.Decision.Verdict;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.streams.derive.KeyedEvents.Keyed;
import io.indexview.streams.health.RecordSetCounters;
import io.indexview.streams.health.RecordSetCounters.Outcome;
import io.indexview.streams.state.Entries;
import io.indexview.streams.state.TopicIncarnation;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.LongUnaryOperator;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Turns the change events of one record set into the minimal changes of its views' rows: reads the
 * event, asks the order guard, derives the rows before and after, emits what differs and saves the
 * entry. Derives from entries too, for scans of the state. Each task has its own; not safe for use
 * by several threads.
 *
 * <p>What a view makes of a record does not depend on the other views: a record that one of them
 * cannot be derived from has no rows in that view alone.
 */
public final class RecordSetDeriver {
  private final TaskLocation location;
  private final DeriverServices services;
  private final int maxEntryBytes;
  private final LongUnaryOperator positions;
  private final RecordSetCounters counters;
  private final KeyedEvents events;
  private final UnreadableEvents unreadable;
  private List<ReaderGroup> groups = List.of();
  private int views;

  /**
   * Derives no view yet.
   *
   * @param maxEntryBytes how large a key and its encoded entry may be together; a record beyond it
   *     is kept without its value and derives no rows
   * @param positions of offsets, see {@link TopicIncarnation#position}
   */
  public RecordSetDeriver(
      TaskLocation location,
      DeriverServices services,
      int maxEntryBytes,
      LongUnaryOperator positions) {
    this.location = location;
    this.services = services;
    this.maxEntryBytes = maxEntryBytes;
    this.positions = positions;
    this.counters = services.metrics().recordSet(location.recordSet());
    this.events = new KeyedEvents(location, services);
    this.unreadable = new UnreadableEvents(location, services.time());
  }

  /**
   * Derives these views from now on, and no others.
   *
   * @throws RuntimeException if one of them cannot be compiled; nothing has changed then
   */
  public void follow(Collection<FollowedView> views) {
    Map<Integer, List<FollowedView>> byReader =
        views.stream()
            .collect(
                Collectors.groupingBy(
                    view -> view.frozen().readerSchemaId(),
                    LinkedHashMap::new,
                    Collectors.toList()));
    groups =
        byReader.values().stream()
            .map(
                members ->
                    ReaderGroup.of(
                        members,
                        location.format(),
                        id -> services.registryWait().get(() -> services.registry().byId(id))))
            .toList();
    this.views = views.size();
  }

  /** How many it derives. */
  public int views() {
    return views;
  }

  /** What ad-hoc snapshots have to do with an event. */
  @FunctionalInterface
  public interface Snapshots {
    /** What had become of a stored entry before the event; its rows still stand. */
    Entry before(byte[] key, Entry stored);

    /** The event counts. */
    default void applied(byte[] key) {}

    /** The event says what a snapshot found, and what is known is newer. */
    default void foundOlder(byte[] key, Entry known) {}
  }

  /**
   * Processes one event.
   *
   * @param nowMs wall clock, ms since the epoch
   */
  public void process(
      ChangeRecord change, Entries entries, Snapshots snapshots, TaskOutput out, long nowMs) {
    Keyed read;
    try {
      read = events.read(change);
    } catch (MalformedEventException e) {
      reject(
          change,
          e,
          new DeadLetterReason(DeadLetterReason.Stage.DECODE, e.getMessage(), null, e),
          out,
          nowMs);
      return;
    }
    if (read.mayLackValues()) {
      Entry stored = decode(entries.get(read.stateKey()));
      Entry known = stored == null ? null : snapshots.before(read.stateKey(), stored);
      read = events.completed(read, known);
    }
    if (read.unreadable() != null) {
      MalformedEventException why = read.unreadable();
      DeadLetterReason problem =
          new DeadLetterReason(DeadLetterReason.Stage.DECODE, why.getMessage(), null, why);
      mark(change, read, problem, entries, snapshots, out, nowMs);
    } else {
      counters.count(
          read.event() == null
              ? Outcome.EMPTY
              : apply(change, read, false, entries, snapshots, out, nowMs));
    }
  }

  /**
   * Passes over an event that cannot be processed, as over one that cannot be read; but its version
   * still says which events are older.
   *
   * @param nowMs wall clock, ms since the epoch
   */
  public void passOver(
      ChangeRecord change,
      DeadLetterReason problem,
      Entries entries,
      Snapshots snapshots,
      TaskOutput out,
      long nowMs) {
    Keyed read;
    try {
      read = events.readWhatCanBe(change);
    } catch (MalformedEventException e) {
      reject(change, e, problem, out, nowMs);
      return;
    }
    if (read.unreadable() != null) {
      mark(change, read, problem, entries, snapshots, out, nowMs);
      return;
    }
    putAside(change, problem, out);
    if (read.event() != null) {
      apply(change, read, true, entries, snapshots, out, nowMs);
    }
  }

  /**
   * Steps over an event that an operator named, without reading it.
   *
   * @param nowMs wall clock, ms since the epoch
   */
  public void stepOver(ChangeRecord change, TaskOutput out, long nowMs) {
    String reason = "an operator has it stepped over (skip.events)";
    out.deadLetter(change, new DeadLetterReason(DeadLetterReason.Stage.DECODE, reason, null, null));
    counters.count(Outcome.DEAD);
    unreadable.ofAnyRecord(change, reason, out, nowMs);
  }

  /** Makes a dead letter of an event of which nobody knows the record. */
  private void reject(
      ChangeRecord change,
      MalformedEventException why,
      DeadLetterReason problem,
      TaskOutput out,
      long nowMs) {
    out.deadLetter(change, problem);
    counters.count(Outcome.DEAD);
    if (isOfAnyRecord(change, why)) {
      unreadable.ofAnyRecord(change, problem.reason(), out, nowMs);
    } else {
      unreadable.ofOneRecord(change, problem.reason());
    }
  }

  /**
   * Whether the record may be one that views have. With a key that can never be used it is not; a
   * key of which the registry does not know the schema now may have been used before.
   */
  private static boolean isOfAnyRecord(ChangeRecord change, MalformedEventException why) {
    return change.key() == null
        || why.isOfEveryRecord()
        || why.getCause() instanceof RegistryException;
  }

  private void putAside(ChangeRecord change, DeadLetterReason problem, TaskOutput out) {
    out.deadLetter(change, problem);
    counters.count(Outcome.DEAD);
    unreadable.ofOneRecord(change, problem.reason());
  }

  /** An event cannot be read: what its record is now, nobody knows until another one comes. */
  private void mark(
      ChangeRecord change,
      Keyed read,
      DeadLetterReason problem,
      Entries entries,
      Snapshots snapshots,
      TaskOutput out,
      long nowMs) {
    putAside(change, problem, out);
    byte[] stateKey = read.stateKey();
    Entry before = decode(entries.get(stateKey));
    Entry known = before == null ? null : snapshots.before(stateKey, before);
    Entry after = marked(known, read, change, nowMs);
    derive(change, read.primaryKey(), before, after, follows(stateKey), out);
    entries.put(stateKey, EntryCodec.encode(after));
  }

  private Entry marked(Entry known, Keyed read, ChangeRecord change, long nowMs) {
    Entry marked =
        OrderGuard.unreadable(
            known, positions.applyAsLong(change.offset()), change.timestampMs(), nowMs);
    return known == null ? marked.withKeySchema(read.keySchemaId()) : marked;
  }

  /** See {@link io.indexview.schemas.change.EventReader#encoding}. */
  public String encoding() {
    return events.encoding();
  }

  /** Says in the log what could not be read; to be called now and then. */
  public void tellUnreadable() {
    unreadable.tell();
  }

  /**
   * @param isPassedOver whether the event counts, but is not to be processed
   */
  private Outcome apply(
      ChangeRecord change,
      Keyed read,
      boolean isPassedOver,
      Entries entries,
      Snapshots snapshots,
      TaskOutput out,
      long nowMs) {
    byte[] stateKey = read.stateKey();
    Entry before = decode(entries.get(stateKey));
    Entry known = before == null ? null : snapshots.before(stateKey, before);
    if (saysNothing(read.event(), known)) {
      return Outcome.EMPTY;
    }
    Decision decision = decide(known, read, change.offset(), nowMs);
    if (decision.applied()) {
      snapshots.applied(stateKey);
    } else if (isFoundBySnapshot(read.event())) {
      snapshots.foundOlder(stateKey, known);
    }
    Entry after = decision.next();
    if (after == null) {
      return outcome(decision.verdict());
    }
    if (isPassedOver && decision.applied()) {
      after = OrderGuard.passedOver(known, after);
    }
    byte[] encoded = EntryCodec.encode(after);
    if (isTooLarge(decision, stateKey, encoded)) {
      after = after.withoutValue();
      encoded = EntryCodec.encode(after);
    }
    boolean derived =
        (!decision.applied() && known == before)
            || isSameRecord(before, after)
            || derive(change, read.primaryKey(), before, after, follows(stateKey), out);
    entries.put(stateKey, encoded);
    return derived ? outcome(decision.verdict()) : Outcome.DEAD;
  }

  /**
   * A deletion of what is gone, as the tombstone behind one is: alone, it is all there is of one.
   */
  private boolean saysNothing(ChangeEvent event, Entry known) {
    return event.op() == Op.DELETE
        && event.origin() instanceof Origin.Unordered
        && location.format() == RecordFormat.ENVELOPE
        && (known == null || known.deleted() && !known.unreadable());
  }

  private static boolean isFoundBySnapshot(ChangeEvent event) {
    return event.op() != Op.DELETE
        && event.origin() instanceof Origin.SnapshotRead read
        && read.adHoc();
  }

  private static Entry decode(byte[] stored) {
    return stored == null ? null : EntryCodec.decode(stored);
  }

  private Decision decide(Entry before, Keyed read, long offset, long nowMs) {
    Decision decision =
        services.guard().decide(before, read.event(), positions.applyAsLong(offset), nowMs);
    if (!decision.applied()) {
      return decision;
    }
    Entry keyed = decision.next().withKeySchema(read.keySchemaId());
    return keyed == decision.next() ? decision : new Decision(decision.verdict(), keyed);
  }

  private boolean isTooLarge(Decision decision, byte[] stateKey, byte[] encoded) {
    return decision.applied() && stateKey.length + encoded.length > maxEntryBytes;
  }

  /** Whether the rows must be the same, known without decoding anything. */
  private static boolean isSameRecord(Entry before, Entry after) {
    return before != null
        && after.value() != null
        && after.value().equals(before.value())
        && after.unreadable() == before.unreadable();
  }

  private static Predicate<FollowedView> follows(byte[] stateKey) {
    return view -> view.follows(stateKey);
  }

  private static Outcome outcome(Verdict verdict) {
    return switch (verdict) {
      case APPLIED -> Outcome.APPLIED;
      case STALE -> Outcome.STALE;
      case DUPLICATE -> Outcome.DUPLICATE;
      case SUPERSEDED -> Outcome.SUPERSEDED;
    };
  }

  /**
   * Emits what changes in the chosen views; false if one could not be derived from the new record.
   *
   * @param about the event that did it, as far as it is known
   * @param before null: nothing is known of the record
   */
  private boolean derive(
      ChangeRecord about,
      String primaryKey,
      Entry before,
      Entry after,
      Predicate<FollowedView> chosen,
      TaskOutput out) {
    boolean derived = true;
    for (ReaderGroup group : groups) {
      if (group.hasAny(chosen)) {
        derived &= group.apply(about, primaryKey, before, after, chosen, out);
      }
    }
    return derived;
  }

  /**
   * Materializes an event of the past once more, and derives nothing; one that could never be read
   * marks its record, as when it came. Waits while the registry fails.
   *
   * @param entries as they were before the event
   * @param state what the events have come to, up to this one at least
   * @param turned what had become of a key's entry by then without an event
   * @param now what has become of it since without one
   * @throws MalformedEventException if the event cannot be read for what the registry answers now;
   *     it may have been read when it came
   */
  public void materialize(
      ChangeRecord change,
      Entries entries,
      Entries state,
      BiFunction<byte[], Entry, Entry> turned,
      BiFunction<byte[], Entry, Entry> now)
      throws MalformedEventException {
    Keyed read;
    try {
      read = events.read(change);
    } catch (MalformedEventException e) {
      if (e.getCause() instanceof RegistryException) {
        throw e;
      }
      // Its dead-letter record was sent when the event came.
      return;
    }
    byte[] stateKey = read.stateKey();
    Entry stored = decode(entries.get(stateKey));
    Entry known = stored == null ? null : turned.apply(stateKey, stored);
    if (read.mayLackValues()) {
      read = events.completed(read, known);
    }
    // Revisions are given to what replaces an entry, not to the history of it.
    if (read.unreadable() != null) {
      Entry marked = marked(known, read, change, 0);
      if (read.unreadable().getCause() instanceof RegistryException
          && now.apply(stateKey, marked).unreadable()
          && mayHaveBeenRead(change, decode(state.get(stateKey)))) {
        throw read.unreadable();
      }
      entries.put(stateKey, EntryCodec.encode(marked));
      return;
    }
    if (read.event() == null || saysNothing(read.event(), known)) {
      return;
    }
    Decision decision = decide(known, read, change.offset(), 0);
    if (decision.next() != null) {
      byte[] encoded = EntryCodec.encode(decision.next());
      entries.put(
          stateKey,
          isTooLarge(decision, stateKey, encoded)
              ? EntryCodec.encode(decision.next().withoutValue())
              : encoded);
    }
  }

  /**
   * Whether nothing tells that an event could not be read when it came, or that it no longer
   * counts.
   */
  private boolean mayHaveBeenRead(ChangeRecord change, Entry state) {
    return state != null
        && !state.unreadable()
        && state.offset() <= positions.applyAsLong(change.offset());
  }

  /** Emits every row that a record has in the chosen views, with the record's own revision. */
  public void build(byte[] stateKey, Entry entry, Predicate<FollowedView> chosen, TaskOutput out) {
    replace(stateKey, null, entry, chosen, out);
  }

  /**
   * Emits what changes when an entry is replaced for another reason than an event, in all views
   * that follow its record.
   *
   * @param before null: there was none
   */
  public void replace(byte[] stateKey, Entry before, Entry after, TaskOutput out) {
    replace(stateKey, before, after, follows(stateKey), out);
  }

  /**
   * Emits every row of a record anew in one view, and deletes rows that it does not have. A view
   * that does not follow the record yet is left to its build.
   *
   * @param extraRows keys in the wire format; one of another record or view counts for nothing
   * @return how many rows were written or deleted
   */
  public int repair(
      byte[] stateKey, Entry entry, FollowedView view, List<byte[]> extraRows, TaskOutput out) {
    if (!view.follows(stateKey)) {
      return 0;
    }
    String primaryKey = primaryKey(stateKey, entry);
    return groups.stream()
        .mapToInt(group -> group.repair(primaryKey, entry, view, extraRows, out))
        .sum();
  }

  private void replace(
      byte[] stateKey, Entry before, Entry after, Predicate<FollowedView> chosen, TaskOutput out) {
    byte[] key = PrimaryKeys.key(after.keySchemaId(), stateKey);
    ChangeRecord about =
        new ChangeRecord(
            location.topic(),
            location.partition(),
            TopicIncarnation.offset(after.offset()),
            after.timestampMs(),
            key,
            null);
    derive(about, primaryKey(stateKey, after), before, after, chosen, out);
  }

  /** The key of an entry as text, as rows have it. */
  public String primaryKey(byte[] stateKey, Entry entry) {
    return events.primaryKey(stateKey, entry);
  }
}
