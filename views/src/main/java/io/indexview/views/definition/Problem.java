package io.indexview.views.definition;

import java.util.Objects;

/**
 * One thing wrong with a view definition.
 *
 * @param field property of the definition, like {@code key[1]} or {@code indexes[0].sortKey}; empty
 *     if the text as a whole is meant
 * @param value what stands there, as text; empty if nothing does
 * @param message what is wrong and what helps
 */
public record Problem(String field, String value, String message) {
  public Problem {
    Objects.requireNonNull(field, "field");
    Objects.requireNonNull(value, "value");
    Objects.requireNonNull(message, "message");
  }

  @Override
  public String toString() {
    String where = field.isEmpty() ? "" : value.isEmpty() ? field : field + " \"" + value + '"';
    return where.isEmpty() ? message : where + ": " + message;
  }
}
