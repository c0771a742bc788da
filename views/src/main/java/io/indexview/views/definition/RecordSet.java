package io.indexview.views.definition;

import io.indexview.schemas.change.RecordFormat;
import java.util.List;
import java.util.Objects;
import org.apache.avro.Schema;

/**
 * One kind of primary records.
 *
 * @param name as in a definition's {@code source}
 * @param topic its primary-change topic
 * @param uniqueFields top-level fields that together identify a record; empty if only the primary
 *     key does
 * @param schema the record's schema, which views are validated against and read with
 */
public record RecordSet(
    String name, String topic, RecordFormat format, List<String> uniqueFields, Schema schema) {
  public RecordSet {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(format, "format");
    uniqueFields = List.copyOf(uniqueFields);
    if (schema.getType() != Schema.Type.RECORD) {
      throw new IllegalArgumentException(
          "schema of record set \"%s\" is of type %s; give a record schema"
              .formatted(name, schema.getType().getName()));
    }
  }
}
