package io.indexview.views.derive;

import java.util.List;

/**
 * What to emit so that the old rows of one primary record become the new ones.
 *
 * @param upserts rows that are new or changed, in the order of the new rows; to be emitted first,
 *     so that the record never drops out of the view in between
 * @param deletes rows that are gone, in the order of the old rows
 */
public record Delta(List<ViewRow> upserts, List<ViewRow> deletes) {
  public static final Delta NONE = new Delta(List.of(), List.of());

  /** Rows that are the same are in neither list. Each argument holds a row key at most once. */
  public static Delta between(List<ViewRow> oldRows, List<ViewRow> newRows) {
    throw new IllegalStateException("not built yet");
  }

  public boolean isEmpty() {
    return upserts.isEmpty() && deletes.isEmpty();
  }
}
