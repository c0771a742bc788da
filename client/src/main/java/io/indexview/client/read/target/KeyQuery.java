package io.indexview.client.read.target;

import io.indexview.views.definition.ViewFields.KeyField;
import io.indexview.views.encoding.FieldType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * A query that fits what it asks: all values are normalised values of their fields.
 *
 * @param fields that rows are ordered by
 * @param equal values of the first fields; null stands for null
 * @param from of the field that follows; null: open
 * @param to of the field that follows; null: open
 * @param prefix of the text of the field that follows; null: any
 */
public record KeyQuery(
    List<KeyField> fields,
    List<Object> equal,
    Bound from,
    Bound to,
    String prefix,
    boolean descending) {
  public KeyQuery {
    fields = List.copyOf(fields);
    // Values can be null.
    equal = Collections.unmodifiableList(new ArrayList<>(equal));
  }

  /** One end of a range. */
  public record Bound(Object value, boolean included) {}

  /** The field after those that have a value. */
  public KeyField next() {
    return fields.get(equal.size());
  }

  /** Whether anything is asked of the field after those that have a value. */
  public boolean asksNext() {
    return from != null || to != null || prefix != null;
  }

  /** Whether no value lies between the bounds, in the order of {@link FieldType#compare}. */
  public boolean isEmpty() {
    if (from == null || to == null) {
      return false;
    }
    int order = next().type().compare(from.value(), to.value());
    return order > 0 || (order == 0 && !(from.included() && to.included()));
  }

  /** Whether a row is asked for, in the order of {@link FieldType#compare}. */
  public boolean matches(Function<KeyField, Object> row) {
    for (int i = 0; i < equal.size(); i++) {
      if (!Objects.equals(row.apply(fields.get(i)), equal.get(i))) {
        return false;
      }
    }
    return !asksNext() || matchesNext(row.apply(next()));
  }

  private boolean matchesNext(Object value) {
    if (prefix != null) {
      return value instanceof String text && text.startsWith(prefix);
    }
    FieldType type = next().type();
    if (from != null) {
      int order = type.compare(value, from.value());
      if (order < 0 || (order == 0 && !from.included())) {
        return false;
      }
    }
    if (to != null) {
      int order = type.compare(value, to.value());
      return order < 0 || (order == 0 && to.included());
    }
    return true;
  }

  /** Text that two queries share only if they have the same answer, in the same order. */
  public String text() {
    StringBuilder text = new StringBuilder(descending ? "-" : "+");
    for (int i = 0; i < equal.size(); i++) {
      append(text.append('\n').append(fields.get(i).path()).append('='), equal.get(i));
    }
    if (asksNext()) {
      text.append('\n').append(next().path());
      append(text.append('^'), prefix);
      append(text.append('>'), from);
      append(text.append('<'), to);
    }
    return text.toString();
  }

  private static void append(StringBuilder text, Object value) {
    if (value instanceof Bound bound) {
      append(text.append(bound.included() ? '=' : '!'), bound.value());
    } else if (value == null) {
      text.append('-');
    } else {
      String plain = value.toString();
      text.append(plain.length()).append(':').append(plain);
    }
  }
}
