package io.indexview.kvstore.value;

import io.indexview.schemas.control.StoredValues;
import io.indexview.schemas.serde.ControlSchemas;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.SchemaParseException;

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

  /**
   * What a source says of the values that it reads.
   *
   * @throws IllegalArgumentException if the format is not known here, or a schema is none
   */
  public static ValueConfig of(StoredValues published) {
    ValueFormat format = ValueFormat.of(published.format());
    Map<Integer, Schema> storeSchemas = new HashMap<>();
    try {
      published
          .storeSchemas()
          .forEach((number, text) -> storeSchemas.put(number, new Schema.Parser().parse(text)));
      return new ValueConfig(format, new Schema.Parser().parse(published.schema()), storeSchemas);
    } catch (SchemaParseException e) {
      throw new IllegalArgumentException("a schema cannot be read: " + e.getMessage(), e);
    }
  }

  /** What a source says of them. */
  public StoredValues published() {
    Map<Integer, String> texts = new HashMap<>();
    storeSchemas.forEach((number, written) -> texts.put(number, written.toString()));
    return new StoredValues(format.toString(), schema.toString(), texts);
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

    /** Any bytes. */
    BYTES;

    /**
     * The format of a name, as configurations have it.
     *
     * @throws IllegalArgumentException if there is none of the name
     */
    static ValueFormat of(String name) {
      return Arrays.stream(values())
          .filter(format -> format.toString().equals(name))
          .findFirst()
          .orElseThrow(
              () -> new IllegalArgumentException("the value format %s is unknown".formatted(name)));
    }

    /**
     * Whether a record may be longer in Avro binary of the record schema than its value is, by more
     * than some bytes.
     */
    public boolean mayGrow() {
      return switch (this) {
        case AVRO, STRING, BYTES -> false;
        case AVRO_STORE, AVRO_REGISTRY, JSON -> true;
      };
    }

    /** The name as configurations have it. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** The record schema that the format itself has; empty if the user gives one. */
    public Optional<Schema> ownSchema() {
      return switch (this) {
        case STRING -> Optional.of(ControlSchemas.STRING_RECORD);
        case BYTES -> Optional.of(ControlSchemas.BYTES_RECORD);
        case AVRO, AVRO_STORE, AVRO_REGISTRY, JSON -> Optional.empty();
      };
    }
  }
}
