package io.indexview.views.derive;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What to emit so that the old rows of one primary record become the new ones.
 *
 * @param upserts rows that are new or changed, in the order of the new rows; to be emitted first,
 *     so that the record never drops out of the view in between
 * @param deletes rows that are gone, in the order of the old rows
 */
public record Delta(List<ViewRow> upserts, List<ViewRow> deletes) {
  public static final Delta NONE = new Delta(List.of(), List.of());

  private static final int FEW_PAIRS = 64;

  /** Rows that are the same are in neither list. Each argument holds a row key at most once. */
  public static Delta between(List<ViewRow> oldRows, List<ViewRow> newRows) {
    if (oldRows.isEmpty()) {
      return newRows.isEmpty() ? NONE : new Delta(newRows, List.of());
    }
    if (newRows.isEmpty()) {
      return new Delta(List.of(), oldRows);
    }
    Delta delta =
        (long) oldRows.size() * newRows.size() <= FEW_PAIRS
            ? ofFew(oldRows, newRows)
            : ofMany(oldRows, newRows);
    return delta.isEmpty() ? NONE : delta;
  }

  private static Delta ofFew(List<ViewRow> oldRows, List<ViewRow> newRows) {
    if (oldRows.size() == 1 && newRows.size() == 1) {
      return ofOne(oldRows, newRows);
    }
    List<ViewRow> upserts = new ArrayList<>(newRows.size());
    for (ViewRow row : newRows) {
      ViewRow old = find(oldRows, row.keyBody());
      if (old == null || !Arrays.equals(old.valueBody(), row.valueBody())) {
        upserts.add(row);
      }
    }
    List<ViewRow> deletes = new ArrayList<>(oldRows.size());
    for (ViewRow row : oldRows) {
      if (find(newRows, row.keyBody()) == null) {
        deletes.add(row);
      }
    }
    return new Delta(upserts, deletes);
  }

  /** Most records have one row. */
  private static Delta ofOne(List<ViewRow> oldRow, List<ViewRow> newRow) {
    if (!newRow.get(0).hasKeyOf(oldRow.get(0))) {
      return new Delta(newRow, oldRow);
    }
    return Arrays.equals(oldRow.get(0).valueBody(), newRow.get(0).valueBody())
        ? NONE
        : new Delta(newRow, List.of());
  }

  private static ViewRow find(List<ViewRow> rows, byte[] key) {
    for (ViewRow row : rows) {
      if (Arrays.equals(row.keyBody(), key)) {
        return row;
      }
    }
    return null;
  }

  private static Delta ofMany(List<ViewRow> oldRows, List<ViewRow> newRows) {
    Map<ByteBuffer, ViewRow> old = new HashMap<>();
    oldRows.forEach(row -> old.put(ByteBuffer.wrap(row.keyBody()), row));
    List<ViewRow> upserts = new ArrayList<>();
    for (ViewRow row : newRows) {
      ViewRow before = old.remove(ByteBuffer.wrap(row.keyBody()));
      if (before == null || !Arrays.equals(before.valueBody(), row.valueBody())) {
        upserts.add(row);
      }
    }
    List<ViewRow> deletes =
        oldRows.stream().filter(row -> old.containsKey(ByteBuffer.wrap(row.keyBody()))).toList();
    return new Delta(upserts, deletes);
  }

  public boolean isEmpty() {
    return upserts.isEmpty() && deletes.isEmpty();
  }
}
