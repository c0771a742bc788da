package io.indexview.views.derive;

import io.indexview.views.definition.ViewGeneration;
import org.apache.avro.Schema;

/**
 * Avro schemas of a generation's rows.
 *
 * @param key the key fields, then {@code _primaryKey}; carries the generation
 * @param value the included fields, then {@code _revision}
 */
public record RowSchemas(Schema key, Schema value) {

  public static RowSchemas of(ViewGeneration generation) {
    throw new IllegalStateException("not built yet");
  }
}
