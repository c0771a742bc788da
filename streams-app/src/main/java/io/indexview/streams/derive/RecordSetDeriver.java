package io.indexview.streams.derive;

import io.indexview.schemas.change.MalformedEventException;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.order.Decision;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.EntryCodec;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.order.Verdict;
import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.streams.health.Outcome;
import io.indexview.streams.health.RecordSetCounters;
import io.indexview.views.derive.Delta;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.avro.Schema;

/**
 * Turns the change events of one record set into the minimal changes of its views' rows: reads the
 * event, asks the order guard, derives the rows before and after, emits what differs and saves the
 * entry. Each task has its own; not safe for use by several threads.
 *
 * <p>What a view makes of a record does not depend on the other views: a record that one of them
 * cannot be derived from has no rows in that view alone.
 */
public final class RecordSetDeriver {
  private final String recordSet;
  private final RecordFormat format;
  private final DeriverServices services;
  private final RecordSetCounters counters;
  private final int maxEntryBytes;
  private final ChangeDecoder decoder;
  private final OrderGuard guard = new OrderGuard();
  private List<FrozenGeneration> planned = List.of();
  private List<ReaderGroup> groups = List.of();

  /**
   * @param maxEntryBytes how large a key and its encoded entry may be together; a record beyond it
   *     is kept without its value and derives no rows
   */
  public RecordSetDeriver(
      String recordSet, RecordFormat format, DeriverServices services, int maxEntryBytes) {
    this.recordSet = recordSet;
    this.format = format;
    this.services = services;
    this.counters = services.metrics().recordSet(recordSet);
    this.maxEntryBytes = maxEntryBytes;
    this.decoder = new ChangeDecoder(services.registry(), format, services.registryWait());
  }

  /**
   * Processes one record.
   *
   * @param nowMs wall clock, ms since the epoch
   */
  public void process(ChangeRecord change, Entries entries, Emitter out, long nowMs) {
    Optional<KeyedEvent> event;
    try {
      event = decoder.decode(change);
    } catch (MalformedEventException e) {
      out.deadLetter(new Problem(Problem.Stage.DECODE, e.getMessage(), null, e));
      counters.count(Outcome.DEAD);
      return;
    }
    counters.count(event.map(read -> fold(read, entries, out, nowMs)).orElse(Outcome.EMPTY));
  }

  private Outcome fold(KeyedEvent read, Entries entries, Emitter out, long nowMs) {
    byte[] stored = entries.get(read.stateKey());
    Entry before = stored == null ? null : EntryCodec.decode(stored);
    Decision decision = guard.decide(before, read.event(), read.offset(), nowMs);
    if (!decision.applied()) {
      if (decision.next() != null) {
        entries.put(read.stateKey(), EntryCodec.encode(decision.next()));
      }
      return outcome(decision.verdict());
    }
    Entry after = decision.next().withKeySchema(read.keySchemaId());
    byte[] encoded = EntryCodec.encode(after);
    if (read.stateKey().length + encoded.length > maxEntryBytes) {
      after = after.withoutValue();
      encoded = EntryCodec.encode(after);
    }
    boolean derived = sameRecord(before, after) || derive(read.primaryKey(), before, after, out);
    entries.put(read.stateKey(), encoded);
    return derived ? Outcome.APPLIED : Outcome.DEAD;
  }

  /** Whether the rows must be the same, known without decoding anything. */
  private static boolean sameRecord(Entry before, Entry after) {
    return before != null && after.value() != null && after.value().equals(before.value());
  }

  /** Emits what changes; false if a view could not be derived from the new record. */
  private boolean derive(String primaryKey, Entry before, Entry after, Emitter out) {
    boolean derived = true;
    for (ReaderGroup group : groups()) {
      DecodedRecord oldRecord = group.decode(before);
      DecodedRecord newRecord = group.decode(after);
      if (newRecord.failure() != null) {
        deadLetter(newRecord.failure(), null, out);
      }
      for (ViewPlan view : group.views()) {
        DerivedRows oldRows = view.derive(oldRecord, primaryKey);
        DerivedRows newRows = view.derive(newRecord, primaryKey);
        view.emit(Delta.between(oldRows.rows(), newRows.rows()), after.revision(), out);
        if (newRows.isFailed() && newRecord.failure() == null) {
          deadLetter(newRows.failure(), view.frozen().view(), out);
        }
        report(view.frozen(), oldRows, newRows);
        derived &= !newRows.isFailed();
      }
    }
    return derived;
  }

  private static void deadLetter(Exception failure, String view, Emitter out) {
    out.deadLetter(new Problem(Problem.Stage.DERIVE, failure.getMessage(), view, failure));
  }

  private void report(FrozenGeneration frozen, DerivedRows oldRows, DerivedRows newRows) {
    if (newRows.isFailed() && !oldRows.isFailed()) {
      services.health().degraded(frozen.view(), frozen.number(), newRows.failure().getMessage());
    } else if (oldRows.isFailed() && !newRows.isFailed()) {
      services.health().recovered(frozen.view(), frozen.number());
    }
  }

  private List<ReaderGroup> groups() {
    List<FrozenGeneration> current = services.generations().of(recordSet);
    if (current != planned) {
      Map<Integer, List<FrozenGeneration>> byReader =
          current.stream()
              .collect(
                  Collectors.groupingBy(
                      FrozenGeneration::readerSchemaId, LinkedHashMap::new, Collectors.toList()));
      groups =
          byReader.values().stream()
              .map(members -> ReaderGroup.of(members, format, this::schema, services.metrics()))
              .toList();
      planned = current;
    }
    return groups;
  }

  private Schema schema(int id) {
    return services.registryWait().get(() -> services.registry().byId(id));
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
