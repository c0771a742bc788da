package io.indexview.schemas.control;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.avro.generic.GenericRecord;

/**
 * How the records of a topic are written in their KV store, as the source that reads them there
 * says it on {@code source-states}. Whoever else reads or writes them there obeys it.
 *
 * @param format as {@code record.set.NAME.value.format} of the source
 * @param schema the Avro schema that the source reads the records with, as JSON
 * @param storeSchemas what values of the format {@code avro_store} are written with, as JSON, by
 *     the numbers of the store's catalog; else none
 */
public record StoredValues(String format, String schema, Map<Integer, String> storeSchemas) {
  private static final String FORMAT = "valueFormat";
  private static final String SCHEMA = "valueSchema";
  private static final String STORE_SCHEMAS = "storeSchemas";

  public StoredValues {
    Objects.requireNonNull(format, "format");
    Objects.requireNonNull(schema, "schema");
    storeSchemas = Map.copyOf(storeSchemas);
  }

  /** Empty: the source reads no KV store, or does not tell. */
  static Optional<StoredValues> of(GenericRecord state) {
    Object format = state.get(FORMAT);
    Object schema = state.get(SCHEMA);
    if (format == null || schema == null) {
      return Optional.empty();
    }
    Map<Integer, String> storeSchemas = new HashMap<>();
    Optional.ofNullable((Map<?, ?>) state.get(STORE_SCHEMAS))
        .orElse(Map.of())
        .forEach(
            (number, text) ->
                storeSchemas.put(Integer.valueOf(number.toString()), text.toString()));
    return Optional.of(new StoredValues(format.toString(), schema.toString(), storeSchemas));
  }

  /** Sets the fields of a record of {@code source-states}. */
  void putInto(GenericRecord state) {
    Map<String, String> texts = new HashMap<>();
    storeSchemas.forEach((number, text) -> texts.put(number.toString(), text));
    state.put(FORMAT, format);
    state.put(SCHEMA, schema);
    state.put(STORE_SCHEMAS, texts.isEmpty() ? null : texts);
  }
}
