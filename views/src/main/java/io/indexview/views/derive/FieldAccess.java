package io.indexview.views.derive;

import io.indexview.views.encoding.PlainValues;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.util.Utf8;

/**
 * The way to a field by positions, worked out once. A path through an array has two parts: to the
 * array, and on from an element. Either way it may end in an entry of a map.
 */
final class FieldAccess {
  private final int[] outer;
  private final int[] inner;

  /** Null: the path does not end in an entry of a map. */
  private final String entry;

  /** {@link #entry} as a key of decoded maps. */
  private final Utf8 decodedEntry;

  private final Schema leaf;

  private FieldAccess(int[] outer, int[] inner, String entry, Schema leaf) {
    this.outer = outer;
    this.inner = inner;
    this.entry = entry;
    this.decodedEntry = entry == null ? null : new Utf8(entry);
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
    String entry = null;
    Schema current = record;
    for (int start = 0; start <= path.length() && entry == null; ) {
      if (current.getType() == Schema.Type.ARRAY) {
        outer = positions(steps);
        steps.clear();
        current = PlainValues.withoutNull(current.getElementType());
      }
      if (current.getType() == Schema.Type.MAP) {
        entry = path.substring(start);
        current = PlainValues.withoutNull(current.getValueType());
        continue;
      }
      int dot = path.indexOf('.', start);
      String step = path.substring(start, dot < 0 ? path.length() : dot);
      Schema.Field field = field(current, step, path);
      steps.add(field.pos());
      current = PlainValues.withoutNull(field.schema());
      start += step.length() + 1;
    }
    if (elements && current.getType() == Schema.Type.ARRAY) {
      return new FieldAccess(
          positions(steps), new int[0], null, PlainValues.withoutNull(current.getElementType()));
    }
    return outer == null
        ? new FieldAccess(positions(steps), null, entry, current)
        : new FieldAccess(outer, positions(steps), entry, current);
  }

  private static Schema.Field field(Schema record, String name, String path) {
    Schema.Field field = record.getField(name);
    if (field == null) {
      throw new IllegalArgumentException(
          "schema %s lacks the field \"%s\" of path \"%s\""
              .formatted(record.getFullName(), name, path));
    }
    return field;
  }

  private static int[] positions(List<Integer> steps) {
    return steps.stream().mapToInt(Integer::intValue).toArray();
  }

  /** Schema of the values, without null. */
  Schema leaf() {
    return leaf;
  }

  /** Position of the field, if it is one of the record itself; -1: it lies deeper. */
  int position() {
    return outer.length == 1 && !fansOut() && entry == null ? outer[0] : -1;
  }

  boolean fansOut() {
    return inner != null;
  }

  /**
   * The field's value, or the array it fans out over; null if it or a record before it is null, or
   * its entry is not in the map.
   */
  Object get(IndexedRecord record) {
    Object value = walk(record, outer);
    return fansOut() ? value : last(value);
  }

  /** The value in an element of the array. */
  Object getInElement(Object element) {
    return last(walk(element, inner));
  }

  private Object last(Object value) {
    if (entry == null || value == null) {
      return value;
    }
    Map<?, ?> map = (Map<?, ?>) value;
    Object found = map.get(decodedEntry);
    return found == null ? map.get(entry) : found;
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
