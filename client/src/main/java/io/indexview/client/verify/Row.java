package io.indexview.client.verify;

import java.util.Map;
import java.util.Objects;

/**
 * A view row as its target holds it, or should.
 *
 * @param id the row's key in the target, as text
 * @param values the row's included fields, without its revision
 */
public record Row(String id, Map<String, Object> values) {
  public Row {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(values, "values");
  }
}
