package io.indexview.views.derive;

import io.indexview.views.encoding.PlainValues;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.IndexedRecord;

/**
 * The way to a field by positions, worked out once. A path through an array has two parts: to the
 * array, and on from an element.
 */
final class FieldAccess {
  private final int[] outer;
  private final int[] inner;
  private final Schema leaf;

  private FieldAccess(int[] outer, int[] inner, Schema leaf) {
    this.outer = outer;
    this.inner = inner;
    this.leaf = leaf;
  }

  /** Resolves a path that is known to be valid; an array is taken apart. */
  static FieldAccess of(Schema record, String path) {
    return of(record, path, true);
  }

  /** Resolves a path that is known to be valid; an array at its end is taken whole. */
  static FieldAccess ofWhole(Schema record, String path) {
    return of(record, path, false);
  }

  private static FieldAccess of(Schema record, String path, boolean elements) {
    List<Integer> steps = new ArrayList<>();
    int[] outer = null;
    Schema current = record;
    for (String step : path.split("\\.")) {
      if (current.getType() == Schema.Type.ARRAY) {
        outer = positions(steps);
        steps.clear();
        current = PlainValues.withoutNull(current.getElementType());
      }
      Schema.Field field = current.getField(step);
      if (field == null) {
        throw new IllegalArgumentException(
            "schema %s lacks the field \"%s\" of path \"%s\""
                .formatted(current.getFullName(), step, path));
      }
      steps.add(field.pos());
      current = PlainValues.withoutNull(field.schema());
    }
    if (elements && current.getType() == Schema.Type.ARRAY) {
      return new FieldAccess(
          positions(steps), new int[0], PlainValues.withoutNull(current.getElementType()));
    }
    return outer == null
        ? new FieldAccess(positions(steps), null, current)
        : new FieldAccess(outer, positions(steps), current);
  }

  private static int[] positions(List<Integer> steps) {
    return steps.stream().mapToInt(Integer::intValue).toArray();
  }

  /** Schema of the values, without null. */
  Schema leaf() {
    return leaf;
  }

  boolean fansOut() {
    return inner != null;
  }

  /** The field's value, or the array it fans out over; null if it or a record before it is null. */
  Object get(IndexedRecord record) {
    return walk(record, outer);
  }

  /** The value in an element of the array. */
  Object getInElement(Object element) {
    return walk(element, inner);
  }

  private static Object walk(Object start, int[] positions) {
    Object value = start;
    for (int position : positions) {
      if (value == null) {
        return null;
      }
      value = ((IndexedRecord) value).get(position);
    }
    return value;
  }
}
