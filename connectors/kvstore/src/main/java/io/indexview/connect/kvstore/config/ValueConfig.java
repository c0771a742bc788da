package io.indexview.connect.kvstore.config;

import java.util.Map;
import java.util.Objects;
import org.apache.avro.Schema;

/**
 * What the values of a record set are.
 *
 * @param schema of the records that they become
 * @param storeSchemas of {@link ValueFormat#AVRO_STORE}: what values are written with, by the
 *     store's numbers; else none
 */
public record ValueConfig(ValueFormat format, Schema schema, Map<Integer, Schema> storeSchemas) {
  public ValueConfig {
    Objects.requireNonNull(format, "format");
    Objects.requireNonNull(schema, "schema");
    storeSchemas = Map.copyOf(storeSchemas);
  }

  /** A format that needs no schemas beside the records'. */
  public static ValueConfig of(ValueFormat format, Schema schema) {
    return new ValueConfig(format, schema, Map.of());
  }
}
