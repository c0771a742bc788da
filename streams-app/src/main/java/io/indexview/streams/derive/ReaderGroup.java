package io.indexview.streams.derive;

import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.serde.WireFormat;
import io.indexview.streams.error.FailedEvents;
import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.derive.Delta;
import io.indexview.views.derive.DerivationException;
import io.indexview.views.derive.RecordDecoder;
import io.indexview.views.derive.ViewRow;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.apache.avro.Schema;
import org.apache.avro.generic.IndexedRecord;

/** The generations that read records with one schema: a record is decoded once for all of them. */
final class ReaderGroup {
  private static final byte[] NO_VALUE = {};

  private final RecordDecoder decoder;
  private final List<Plan> plans;

  /** A generation, ready to derive. */
  private record Plan(FollowedView view, CompiledView compiled) {

    /**
     * A row as far as its key goes; empty if it is none of the record.
     *
     * @param key in the wire format
     */
    Optional<ViewRow> extraRow(byte[] key, String primaryKey) {
      try {
        if (WireFormat.schemaId(key) != view.frozen().keySchemaId()) {
          return Optional.empty();
        }
        ViewRow row =
            new ViewRow(Arrays.copyOfRange(key, ViewRow.HEADER_BYTES, key.length), NO_VALUE);
        Object its = compiled.keyOf(row).get(ViewFields.PRIMARY_KEY);
        return its.toString().equals(primaryKey) ? Optional.of(row) : Optional.empty();
      } catch (RuntimeException e) {
        // Bytes from outside may be anything.
        return Optional.empty();
      }
    }
  }

  /**
   * What there is of a primary record, decoded, or of its rows in one view.
   *
   * @param value null: there is none
   * @param failure why there is none although there might be; null if there is no such reason
   */
  record Derived<T>(T value, DerivationException failure) {
    boolean isFailed() {
      return failure != null;
    }
  }

  private static final Derived<IndexedRecord> NO_RECORD = new Derived<>(null, null);
  private static final Derived<List<ViewRow>> NO_ROWS = new Derived<>(List.of(), null);
  private static final DerivationException UNREADABLE =
      new DerivationException(
          "the record's last event cannot be read, its dead-letter record says why; the record may have changed, and its rows are those of before (write it once more, or rebuild with an ad-hoc snapshot)");

  /**
   * Failure of an entry without rows: its source could not read the record, or an unreadable event
   * came after a delete.
   */
  private static final DerivationException UNREADABLE_WITHOUT_ROWS =
      new DerivationException(
          "the record's value at its source, or its last event, cannot be read, its dead-letter record says why; it has no rows until it can be read (correct or remove it at its source, or rebuild with an ad-hoc snapshot)");

  static final DerivationException TOO_LARGE =
      new DerivationException(
          "the record is too large to be kept in the state; make it smaller, or raise streams.producer.max.request.size and max.message.bytes of the changelog topic");

  private ReaderGroup(RecordDecoder decoder, List<Plan> plans) {
    this.decoder = decoder;
    this.plans = plans;
  }

  static ReaderGroup of(
      List<FollowedView> views, RecordFormat format, IntFunction<Schema> schemasById) {
    List<ViewGeneration> definitions =
        views.stream().map(FollowedView::frozen).map(FrozenGeneration::generation).toList();
    Schema reader = RecordDecoder.projection(definitions.get(0).recordSet().schema(), definitions);
    return new ReaderGroup(
        new RecordDecoder(format, reader, schemasById),
        views.stream()
            .map(view -> new Plan(view, CompiledView.compile(view.frozen().generation(), reader)))
            .toList());
  }

  boolean hasAny(Predicate<FollowedView> chosen) {
    for (Plan plan : plans) {
      if (chosen.test(plan.view())) {
        return true;
      }
    }
    return false;
  }

  /**
   * Emits what a change means for the chosen views; false if one of them could not be derived from
   * the new record.
   */
  boolean apply(
      ChangeRecord about,
      String primaryKey,
      Entry before,
      Entry after,
      Predicate<FollowedView> chosen,
      TaskOutput out) {
    Derived<IndexedRecord> oldRecord = decode(before);
    Derived<IndexedRecord> newRecord = decode(after);
    // What marks an entry has sent a dead-letter record of its own.
    boolean isReported = after.unreadable();
    if (newRecord.isFailed() && !isReported) {
      out.deadLetter(about, underivable(newRecord.failure(), null));
    }
    boolean derived = true;
    for (Plan plan : plans) {
      if (!chosen.test(plan.view())) {
        continue;
      }
      boolean isSame = hasSameRows(plan, before, oldRecord, after, newRecord);
      if (isSame && plan.view().counts().failedRecords() == 0) {
        continue;
      }
      Derived<List<ViewRow>> newRows = rows(plan.compiled(), after, newRecord, primaryKey);
      if (!isSame) {
        Derived<List<ViewRow>> oldRows = rows(plan.compiled(), before, oldRecord, primaryKey);
        replace(plan.view(), oldRows, newRows, after, out);
      }
      if (newRows.isFailed() && !newRecord.isFailed() && !isReported) {
        out.deadLetter(about, underivable(newRows.failure(), plan.view().frozen().view()));
      }
      derived &= !newRows.isFailed();
    }
    return derived;
  }

  /**
   * Whether nothing changes in a view. The record may be one that cannot be derived, before as now,
   * and each event says so: only where no record of the view fails it need not be derived.
   */
  private static boolean hasSameRows(
      Plan plan,
      Entry before,
      Derived<IndexedRecord> oldRecord,
      Entry after,
      Derived<IndexedRecord> newRecord) {
    return oldRecord.value() != null
        && newRecord.value() != null
        && !before.unreadable()
        && !after.unreadable()
        && plan.compiled().hasSameRows(oldRecord.value(), newRecord.value());
  }

  /**
   * Emits every row of a record anew in one view, and deletes rows that it does not have.
   *
   * @param extraRows keys in the wire format; one of another record or view counts for nothing
   * @return how many rows were written or deleted
   */
  int repair(
      String primaryKey, Entry entry, FollowedView view, List<byte[]> extraRows, TaskOutput out) {
    int count = 0;
    for (Plan plan : plans) {
      if (plan.view() != view) {
        continue;
      }
      Derived<IndexedRecord> record = decode(entry);
      List<ViewRow> rows = rows(plan.compiled(), record, primaryKey).value();
      List<ViewRow> extra =
          extraRows.stream()
              .flatMap(key -> plan.extraRow(key, primaryKey).stream())
              .filter(row -> rows.stream().noneMatch(row::hasKeyOf))
              .toList();
      emit(view.frozen(), new Delta(rows, extra), entry, out);
      view.countAnew(rows.size(), extra.size());
      count += rows.size() + extra.size();
    }
    return count;
  }

  /**
   * @param view null: of every view that reads the record like this
   */
  private static DeadLetterReason underivable(DerivationException failure, String view) {
    return new DeadLetterReason(DeadLetterReason.Stage.DERIVE, failure.getMessage(), view, failure);
  }

  private Derived<IndexedRecord> decode(Entry entry) {
    if (entry == null) {
      return NO_RECORD;
    }
    if (entry.value() == null) {
      return entry.deleted() || entry.unreadable() ? NO_RECORD : new Derived<>(null, TOO_LARGE);
    }
    try {
      return new Derived<>(decoder.decodeForViews(entry.value()), null);
    } catch (DerivationException e) {
      return new Derived<>(null, e);
    }
  }

  /**
   * Derives the rows of an entry. Those of an unreadable entry stay in place, and count as failed.
   */
  private static Derived<List<ViewRow>> rows(
      CompiledView compiled, Entry entry, Derived<IndexedRecord> decoded, String primaryKey) {
    Derived<List<ViewRow>> rows = rows(compiled, decoded, primaryKey);
    return entry != null && entry.unreadable() && !rows.isFailed()
        ? new Derived<>(rows.value(), entry.value() == null ? UNREADABLE_WITHOUT_ROWS : UNREADABLE)
        : rows;
  }

  private static Derived<List<ViewRow>> rows(
      CompiledView compiled, Derived<IndexedRecord> decoded, String primaryKey) {
    if (decoded.isFailed()) {
      return new Derived<>(List.of(), decoded.failure());
    }
    if (decoded.value() == null) {
      return NO_ROWS;
    }
    try {
      return new Derived<>(compiled.rows(decoded.value(), primaryKey), null);
    } catch (DerivationException e) {
      return new Derived<>(List.of(), e);
    } catch (RuntimeException e) {
      // Deriving is a pure function: it would fail again for ever and hold the partition up.
      return new Derived<>(
          List.of(), new DerivationException("deriving failed: " + FailedEvents.describe(e), e));
    } catch (StackOverflowError e) {
      return new Derived<>(
          List.of(),
          new DerivationException("the record is nested too deeply; make it flatter", e));
    }
  }

  /** Emits what makes the old rows the new ones, and counts it. */
  private static void replace(
      FollowedView view,
      Derived<List<ViewRow>> before,
      Derived<List<ViewRow>> after,
      Entry entry,
      TaskOutput out) {
    Delta delta = Delta.between(before.value(), after.value());
    emit(view.frozen(), delta, entry, out);
    view.count(before, after, delta);
  }

  private static void emit(FrozenGeneration frozen, Delta delta, Entry entry, TaskOutput out) {
    // By index: the lists are short, and an iterator for each would be garbage.
    for (int i = 0; i < delta.upserts().size(); i++) {
      ViewRow row = delta.upserts().get(i);
      out.row(
          frozen,
          row.key(frozen.keySchemaId()),
          row.value(frozen.valueSchemaId(), entry.revision()),
          entry.revision(),
          entry.timestampMs());
    }
    for (int i = 0; i < delta.deletes().size(); i++) {
      ViewRow row = delta.deletes().get(i);
      out.row(frozen, row.key(frozen.keySchemaId()), null, entry.revision(), entry.timestampMs());
    }
  }
}
