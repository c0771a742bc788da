package io.indexview.views.filter;

import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.avro.Schema;
import org.apache.avro.generic.IndexedRecord;

/** The fields of a record type, as far as the type checker lets a filter ask for them. */
final class RecordFields {
  private final Schema schema;
  private final RecordValues values;
  private final Map<String, UnaryOperator<Object>> conversions = new HashMap<>();

  RecordFields(Schema schema, RecordValues values) {
    this.schema = schema;
    this.values = values;
  }

  boolean isNull(IndexedRecord record, String name) {
    return record.get(schema.getField(name).pos()) == null;
  }

  Object get(IndexedRecord record, String name) {
    return conversion(name).apply(record.get(schema.getField(name).pos()));
  }

  /** What stands for the field of a record that is null. */
  Object absent(String name) {
    return conversion(name).apply(null);
  }

  private UnaryOperator<Object> conversion(String name) {
    UnaryOperator<Object> conversion = conversions.get(name);
    if (conversion == null) {
      conversion = values.of(schema.getField(name).schema());
      conversions.put(name, conversion);
    }
    return conversion;
  }
}
