package io.indexview.views.layout;

import io.indexview.views.definition.ViewFields;
import io.indexview.views.encoding.SortableText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The key fields of a generation's rows as text components, and back. */
final class RowKey {
  private final List<ViewFields.KeyField> fields;
  private final List<SortableText> texts;
  private final FieldMap.Names fieldNames;

  RowKey(ViewFields fields) {
    this.fields = fields.key();
    this.fieldNames = new FieldMap.Names(names());
    this.texts =
        this.fields.stream().map(field -> SortableText.of(field.type(), field.nullable())).toList();
  }

  int size() {
    return fields.size();
  }

  List<String> components(Function<String, ?> key) {
    List<String> components = new ArrayList<>(fields.size());
    for (int i = 0; i < fields.size(); i++) {
      components.add(component(i, key.apply(fields.get(i).name())));
    }
    return components;
  }

  /** Components of the first key fields, as many as there are values. */
  List<String> leading(List<?> values) {
    if (values.size() > fields.size()) {
      throw new LayoutException(
          "%d key values given, but the view's key has %d fields: %s"
              .formatted(values.size(), fields.size(), names()));
    }
    List<String> components = new ArrayList<>(values.size());
    for (int i = 0; i < values.size(); i++) {
      components.add(component(i, values.get(i)));
    }
    return components;
  }

  String component(int index, Object value) {
    try {
      return texts.get(index).encode(value);
    } catch (IllegalArgumentException e) {
      throw new LayoutException(
          "key field \"%s\": %s".formatted(fields.get(index).name(), e.getMessage()), e);
    }
  }

  Map<String, Object> values(List<String> components) {
    return values(new Object[0], components);
  }

  /**
   * The values of a key.
   *
   * @param first of the first fields
   * @param components of the others
   */
  Map<String, Object> values(Object[] first, List<String> components) {
    Object[] values = Arrays.copyOf(first, fields.size());
    for (int i = first.length; i < values.length; i++) {
      values[i] = value(i, components.get(i - first.length));
    }
    return new FieldMap(fieldNames, values);
  }

  /** The values of the first fields. */
  Object[] first(List<String> components) {
    Object[] values = new Object[components.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = value(i, components.get(i));
    }
    return values;
  }

  private Object value(int index, String component) {
    try {
      return texts.get(index).decode(component);
    } catch (IllegalArgumentException e) {
      throw new LayoutException(
          "key field \"%s\": %s".formatted(fields.get(index).name(), e.getMessage()), e);
    }
  }

  /** Whether {@link #values} gives something. */
  boolean isKey(List<String> path, int from, int field, int count) {
    try {
      for (int i = 0; i < count; i++) {
        texts.get(field + i).decode(path.get(from + i));
      }
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  static String primaryKey(Function<String, ?> key) {
    Object primaryKey = key.apply(ViewFields.PRIMARY_KEY);
    if (primaryKey == null) {
      throw new LayoutException("a row key without " + ViewFields.PRIMARY_KEY);
    }
    return primaryKey.toString();
  }

  private List<String> names() {
    return fields.stream().map(ViewFields.KeyField::name).toList();
  }
}
