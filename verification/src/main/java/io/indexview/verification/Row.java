package io.indexview.verification;

import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * A view row as its target holds it, or should.
 *
 * @param id the row's key in the target, as text
 * @param key normalised key fields by name
 * @param values the row's included fields, without its revision
 * @param revision of the primary record's change that wrote it; empty where rows hold none
 */
public record Row(
    String id,
    String primaryKey,
    Map<String, Object> key,
    Map<String, Object> values,
    OptionalLong revision) {
  public Row {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(primaryKey, "primaryKey");
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(values, "values");
    Objects.requireNonNull(revision, "revision");
  }
}
