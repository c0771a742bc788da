package io.indexview.streams.derive;

import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.order.Entry;
import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.derive.DerivationException;
import io.indexview.views.derive.Projection;
import io.indexview.views.derive.RecordDecoder;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.apache.avro.Schema;

/** The generations that read records with one schema: a record is decoded once for all of them. */
final class ReaderGroup {
  private final RecordDecoder decoder;
  private final List<ViewPlan> plans;

  private ReaderGroup(RecordDecoder decoder, List<ViewPlan> plans) {
    this.decoder = decoder;
    this.plans = plans;
  }

  static ReaderGroup of(
      List<FollowedView> views, RecordFormat format, IntFunction<Schema> schemasById) {
    List<ViewGeneration> definitions =
        views.stream().map(FollowedView::frozen).map(FrozenGeneration::generation).toList();
    Schema reader = Projection.of(definitions.get(0).recordSet().schema(), definitions);
    return new ReaderGroup(
        new RecordDecoder(format, reader, schemasById),
        views.stream()
            .map(
                view ->
                    new ViewPlan(view, CompiledView.compile(view.frozen().generation(), reader)))
            .toList());
  }

  boolean hasAny(Predicate<FollowedView> chosen) {
    for (ViewPlan plan : plans) {
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
  boolean apply(RecordChange change, Predicate<FollowedView> chosen, TaskOutput out) {
    DecodedRecord oldRecord = decode(change.before());
    DecodedRecord newRecord = decode(change.after());
    if (newRecord.failure() != null) {
      out.deadLetter(change.about(), Problem.underivable(newRecord.failure(), null));
    }
    RowStamp stamp = RowStamp.of(change.after());
    boolean derived = true;
    for (ViewPlan plan : plans) {
      if (!chosen.test(plan.view())) {
        continue;
      }
      DerivedRows oldRows = plan.derive(oldRecord, change.primaryKey());
      DerivedRows newRows = plan.derive(newRecord, change.primaryKey());
      plan.replace(oldRows, newRows, stamp, out);
      if (newRows.isFailed() && newRecord.failure() == null) {
        String view = plan.view().frozen().view();
        out.deadLetter(change.about(), Problem.underivable(newRows.failure(), view));
      }
      derived &= !newRows.isFailed();
    }
    return derived;
  }

  private DecodedRecord decode(Entry entry) {
    if (entry == null || entry.deleted()) {
      return DecodedRecord.NONE;
    }
    if (entry.value() == null) {
      return DecodedRecord.failed(
          new DerivationException("the record is too large to be kept in the state"));
    }
    try {
      return DecodedRecord.of(decoder.decodeForViews(entry.value()));
    } catch (DerivationException e) {
      return DecodedRecord.failed(e);
    }
  }
}
