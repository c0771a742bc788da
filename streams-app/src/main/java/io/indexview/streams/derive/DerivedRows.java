package io.indexview.streams.derive;

import io.indexview.views.derive.DerivationException;
import io.indexview.views.derive.ViewRow;
import java.util.List;

/**
 * The rows of one record in one view.
 *
 * @param failure why there are none although there might be; null if there is no such reason
 */
record DerivedRows(List<ViewRow> rows, DerivationException failure) {
  static final DerivedRows NONE = new DerivedRows(List.of(), null);

  static DerivedRows of(List<ViewRow> rows) {
    return new DerivedRows(rows, null);
  }

  static DerivedRows failed(DerivationException failure) {
    return new DerivedRows(List.of(), failure);
  }

  boolean isFailed() {
    return failure != null;
  }

  /** Of the rows' keys as they are published. */
  long keyBytes() {
    long bytes = 0;
    for (ViewRow row : rows) {
      bytes += ViewRow.HEADER_BYTES + row.keyBody().length;
    }
    return bytes;
  }
}
