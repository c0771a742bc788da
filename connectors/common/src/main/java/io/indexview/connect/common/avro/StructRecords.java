package io.indexview.connect.common.avro;

import java.util.List;
import org.apache.avro.AvroMissingFieldException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;

/**
 * Connect structs as Avro records of a schema that is known here: fields by name, defaults for
 * those that the writer did not know. It does not matter which Avro converter made the struct, nor
 * how it names records and enums.
 */
public final class StructRecords {
  private StructRecords() {}

  /**
   * The struct as a record.
   *
   * @throws DataException if it is none of the schema
   */
  public static GenericRecord of(Struct struct, Schema schema) {
    GenericRecord record = new GenericData.Record(schema);
    for (Schema.Field field : schema.getFields()) {
      Field written = struct.schema().field(field.name());
      try {
        record.put(
            field.pos(),
            written == null
                ? GenericData.get().getDefaultValue(field)
                : value(field.schema(), struct.get(written)));
      } catch (AvroMissingFieldException | ClassCastException e) {
        throw new DataException(
            "field %s of %s is missing, or not of type %s"
                .formatted(field.name(), schema.getName(), field.schema().getType()),
            e);
      }
    }
    return record;
  }

  private static Object value(Schema schema, Object value) {
    if (schema.isNullable() && value == null) {
      return null;
    }
    if (value == null) {
      throw new ClassCastException("null is no " + schema.getType());
    }
    return switch (schema.getType()) {
      case UNION -> value(schema.getTypes().get(1), value);
      case RECORD -> of((Struct) value, schema);
      case ARRAY ->
          ((List<?>) value)
              .stream().map(element -> value(schema.getElementType(), element)).toList();
      case ENUM -> symbol(schema, value.toString());
      case INT -> ((Number) value).intValue();
      case LONG -> ((Number) value).longValue();
      default -> value;
    };
  }

  private static GenericData.EnumSymbol symbol(Schema schema, String symbol) {
    return new GenericData.EnumSymbol(
        schema, schema.hasEnumSymbol(symbol) ? symbol : schema.getEnumDefault());
  }
}
