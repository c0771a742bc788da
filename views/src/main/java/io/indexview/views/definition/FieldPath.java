package io.indexview.views.definition;

import io.indexview.views.encoding.PlainValues;
import java.util.List;
import org.apache.avro.Schema;

/**
 * A field path resolved against a record schema. It leads through records, by the names of their
 * fields, and may end in an entry of a map, by its key: {@code userMetadata.cost-center}.
 *
 * @param leaf schema of the values, without null; an element's where the path fans out
 * @param nullable whether the value or a record on the way can be null, as an entry of a map always
 *     can
 * @param array path of the array that it fans out over, or null
 */
record FieldPath(String path, Schema leaf, boolean nullable, String array) {

  /** A path that cannot be resolved; the message says why and what helps. */
  static final class UnresolvableException extends Exception {
    UnresolvableException(String message) {
      super(message);
    }
  }

  /** Resolves the path of a key field: one array on the way, or at its end, fans out. */
  static FieldPath ofKey(Schema record, String path) throws UnresolvableException {
    FieldPath found = resolve(record, path);
    if (found.leaf.getType() != Schema.Type.ARRAY) {
      return found;
    }
    if (found.array != null) {
      throw new UnresolvableException(
          "an array inside the array \"%s\" cannot fan out; use a path with one array"
              .formatted(found.array));
    }
    Schema element = found.leaf.getElementType();
    return new FieldPath(
        path, PlainValues.withoutNull(element), found.nullable || element.isNullable(), path);
  }

  /** Resolves the path of an included field: arrays only at its end, and whole. */
  static FieldPath ofIncluded(Schema record, String path) throws UnresolvableException {
    FieldPath found = resolve(record, path);
    if (found.array != null) {
      throw new UnresolvableException(
          "leads through an array; include the array \"%s\" itself".formatted(found.array));
    }
    return found;
  }

  private static FieldPath resolve(Schema record, String path) throws UnresolvableException {
    Schema current = record;
    boolean nullable = false;
    String array = null;
    int start = 0;
    while (start <= path.length()) {
      String done = path.substring(0, Math.max(0, start - 1));
      if (current.getType() == Schema.Type.ARRAY) {
        if (array != null) {
          throw new UnresolvableException(
              "leads through two arrays, \"%s\" and \"%s\"; use a path with one array"
                  .formatted(array, done));
        }
        array = done;
        nullable |= current.getElementType().isNullable();
        current = PlainValues.withoutNull(current.getElementType());
      }
      if (current.getType() == Schema.Type.MAP) {
        return new FieldPath(path, entry(current, path.substring(start), done), true, array);
      }
      int end = endOfStep(path, start);
      Schema.Field field = field(current, path.substring(start, end), done);
      nullable |= field.schema().isNullable();
      current = PlainValues.withoutNull(field.schema());
      start = end + 1;
    }
    return new FieldPath(path, current, nullable, array);
  }

  private static int endOfStep(String path, int start) {
    int dot = path.indexOf('.', start);
    return dot < 0 ? path.length() : dot;
  }

  /** What follows the name of a map is the key of an entry, dots and all. */
  private static Schema entry(Schema map, String key, String parent) throws UnresolvableException {
    if (key.isEmpty()) {
      throw new UnresolvableException(
          "names no entry of the map \"%s\"; write the entry's key after the dot"
              .formatted(parent));
    }
    Schema value = PlainValues.withoutNull(map.getValueType());
    return switch (value.getType()) {
      case RECORD, ARRAY, MAP, UNION ->
          throw new UnresolvableException(
              "is %s in the map \"%s\", and only entries that are texts, numbers, booleans, dates"
                      .formatted(typeOf(value), parent)
                  + " or times can be fields; include the map itself");
      default -> value;
    };
  }

  private static Schema.Field field(Schema schema, String name, String parent)
      throws UnresolvableException {
    if (schema.getType() != Schema.Type.RECORD) {
      throw new UnresolvableException(
          "\"%s\" is %s and has no fields; end the path there".formatted(parent, typeOf(schema)));
    }
    Schema.Field field = schema.getField(name);
    if (field == null) {
      List<String> names =
          schema.getFields().stream()
              .map(known -> parent.isEmpty() ? known.name() : parent + "." + known.name())
              .toList();
      String wanted = parent.isEmpty() ? name : parent + "." + name;
      throw new UnresolvableException(
          "no such field in schema %s; %s"
              .formatted(schema.getFullName(), Suggestions.remedy(wanted, names)));
    }
    return field;
  }

  /** The top-level field that a path begins with. */
  static String top(String path) {
    return path.substring(0, endOfStep(path, 0));
  }

  /** The type in words, for messages. */
  static String typeOf(Schema schema) {
    String logical = schema.getProp("logicalType");
    return switch (schema.getType()) {
      case UNION -> "a union of several types";
      case ARRAY -> "an array";
      case MAP -> "a map";
      case RECORD -> "a record";
      default -> "of type " + (logical == null ? schema.getType().getName() : logical);
    };
  }
}
