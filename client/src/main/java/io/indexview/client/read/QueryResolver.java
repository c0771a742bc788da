package io.indexview.client.read;

import io.indexview.client.read.ViewQuery.Condition;
import io.indexview.client.read.ViewQuery.Equality;
import io.indexview.client.read.ViewQuery.Prefix;
import io.indexview.client.read.ViewQuery.Range;
import io.indexview.client.read.target.KeyQuery;
import io.indexview.client.read.target.ViewRows.InvalidQueryException;
import io.indexview.views.definition.ViewFields.KeyField;
import io.indexview.views.encoding.FieldType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Fits one query to the key of its view, and collects everything that does not fit. */
final class QueryResolver {
  private final ViewQuery query;
  private final List<KeyField> fields;
  private final List<String> problems = new ArrayList<>();

  private QueryResolver(ViewQuery query, List<KeyField> fields) {
    this.query = query;
    this.fields = fields;
  }

  /**
   * The query in terms of the key.
   *
   * @param fields that rows can be asked for by, in the order of the key
   * @throws InvalidQueryException with everything that is wrong with it
   */
  static KeyQuery resolve(ViewQuery query, List<KeyField> fields, int maxLimit) {
    QueryResolver resolver = new QueryResolver(query, fields);
    resolver.checkLimit(maxLimit);
    KeyQuery resolved = resolver.resolve();
    if (!resolver.problems.isEmpty()) {
      throw new InvalidQueryException(query.view(), resolver.problems);
    }
    return resolved;
  }

  private void checkLimit(int maxLimit) {
    if (query.limit() < 1 || query.limit() > maxLimit) {
      problems.add("limit %d: use 1 to %d".formatted(query.limit(), maxLimit));
    }
  }

  private KeyQuery resolve() {
    Object[] values = new Object[fields.size()];
    boolean[] given = new boolean[fields.size()];
    for (Equality equality : query.equal()) {
      take(equality, values, given);
    }
    int run = 0;
    while (run < given.length && given[run]) {
      run++;
    }
    boolean isLeading = true;
    for (int i = run; i < given.length; i++) {
      if (given[i]) {
        noLeadingRun(i, run);
        isLeading = false;
      }
    }
    List<Object> equal = Arrays.asList(values).subList(0, run);
    Condition condition = query.condition();
    if (condition == null || !isLeading || !isNext(condition, run)) {
      return new KeyQuery(fields, equal, null, null, null, query.descending());
    }
    return resolve(condition, equal);
  }

  private void take(Equality equality, Object[] values, boolean[] given) {
    int position = position(equality.field());
    if (position < 0) {
      return;
    }
    KeyField field = fields.get(position);
    if (given[position]) {
      problems.add("field \"%s\" is given twice".formatted(equality.field()));
    }
    Object value = equality.value();
    if (value == null && !field.nullable()) {
      problems.add("field \"%s\" holds no nulls in this view".formatted(equality.field()));
    }
    given[position] = true;
    values[position] = value(field, value);
  }

  /** Place of a field in the key; -1, and a problem: there is none. */
  private int position(String name) {
    for (int i = 0; i < fields.size(); i++) {
      if (fields.get(i).name().equals(name) || fields.get(i).path().equals(name)) {
        return i;
      }
    }
    problems.add("\"%s\" is no field to ask by; these are %s".formatted(name, names(fields)));
    return -1;
  }

  private static String names(List<KeyField> fields) {
    return fields.stream().map(KeyField::path).collect(Collectors.joining(", "));
  }

  private Object value(KeyField field, Object given) {
    try {
      return FieldValues.of(field.type(), given);
    } catch (IllegalArgumentException e) {
      problems.add("field \"%s\": %s".formatted(field.path(), e.getMessage()));
      return null;
    }
  }

  private void noLeadingRun(int position, int missing) {
    problems.add(
        "field \"%s\" is given without \"%s\" before it; give a leading run of %s"
            .formatted(fields.get(position).path(), fields.get(missing).path(), names(fields)));
  }

  private boolean isNext(Condition condition, int next) {
    if (condition.field() == null) {
      if (next == fields.size()) {
        problems.add(
            "all of %s have a value, no field is left to range over".formatted(names(fields)));
      }
      return next < fields.size();
    }
    int position = position(condition.field());
    if (position >= 0 && position < next) {
      problems.add(
          "field \"%s\" has a value already; leave its range out".formatted(condition.field()));
    } else if (position > next) {
      noLeadingRun(position, next);
    }
    return position == next;
  }

  private KeyQuery resolve(Condition condition, List<Object> equal) {
    KeyField field = fields.get(equal.size());
    if (condition instanceof Prefix prefix) {
      if (field.type() != FieldType.STRING && field.type() != FieldType.ENUM) {
        problems.add(
            "field \"%s\" holds no text that could begin with something; use a range"
                .formatted(field.path()));
        return new KeyQuery(fields, equal, null, null, null, query.descending());
      }
      Object text = value(field, prefix.prefix());
      return new KeyQuery(fields, equal, null, null, (String) text, query.descending());
    }
    Range range = (Range) condition;
    if (range.from() == null && range.to() == null) {
      problems.add(
          "field \"%s\": the range has no bound; give one or leave it out".formatted(field.path()));
    }
    KeyQuery.Bound from = bound(field, range.from(), range.fromIncluded());
    KeyQuery.Bound to = bound(field, range.to(), range.toIncluded());
    if (from == null && field.nullable()) {
      // Null sorts first, but is in no range.
      from = new KeyQuery.Bound(null, false);
    }
    return new KeyQuery(fields, equal, from, to, null, query.descending());
  }

  private KeyQuery.Bound bound(KeyField field, Object given, boolean included) {
    return given == null ? null : new KeyQuery.Bound(value(field, given), included);
  }
}
