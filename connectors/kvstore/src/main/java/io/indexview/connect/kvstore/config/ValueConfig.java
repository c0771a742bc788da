package io.indexview.connect.kvstore.config;

import io.indexview.schemas.serde.ControlSchemas;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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

  /** How the values of a record set are written in the store. */
  public enum ValueFormat {
    /** Avro binary of the record schema, without any header. */
    AVRO,

    /** Avro binary after the number of its schema, as the store's own Avro bindings wrote it. */
    AVRO_STORE,

    /** Avro binary after a schema registry's id, in the Confluent wire format. */
    AVRO_REGISTRY,

    /** A JSON object in UTF-8, its members the fields of the record schema. */
    JSON,

    /** A text in UTF-8. */
    STRING,

    /** Whatever it is. */
    BYTES;

    /** The record schema that the format itself has; empty if the user gives one. */
    Optional<Schema> ownSchema() {
      return switch (this) {
        case STRING -> Optional.of(ControlSchemas.STRING_RECORD);
        case BYTES -> Optional.of(ControlSchemas.BYTES_RECORD);
        case AVRO, AVRO_STORE, AVRO_REGISTRY, JSON -> Optional.empty();
      };
    }
  }
}
