package io.indexview.streams.derive;

import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.derive.Delta;
import io.indexview.views.derive.DerivationException;
import io.indexview.views.derive.ViewRow;

/** One generation, ready to derive. */
record ViewPlan(FollowedView view, CompiledView compiled) {

  DerivedRows derive(DecodedRecord decoded, String primaryKey) {
    if (decoded.failure() != null) {
      return DerivedRows.failed(decoded.failure());
    }
    if (decoded.record() == null) {
      return DerivedRows.NONE;
    }
    try {
      return DerivedRows.of(compiled.rows(decoded.record(), primaryKey));
    } catch (DerivationException e) {
      return DerivedRows.failed(e);
    } catch (RuntimeException e) {
      // Deriving is a pure function: it would fail again for ever and hold the partition up.
      return DerivedRows.failed(new DerivationException("deriving failed: " + e, e));
    }
  }

  /** Emits what makes the old rows the new ones, and counts it. */
  void replace(DerivedRows before, DerivedRows after, RowStamp stamp, TaskOutput out) {
    Delta delta = Delta.between(before.rows(), after.rows());
    FrozenGeneration frozen = view.frozen();
    for (ViewRow row : delta.upserts()) {
      out.row(
          frozen,
          row.key(frozen.keySchemaId()),
          row.value(frozen.valueSchemaId(), stamp.revision()),
          stamp);
    }
    for (ViewRow row : delta.deletes()) {
      out.row(frozen, row.key(frozen.keySchemaId()), null, stamp);
    }
    view.count(before, after, delta);
  }
}
