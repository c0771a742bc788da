package io.indexview.kvstore.value;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.IndexedRecord;

/**
 * Refuses what Avro writes although it is no value of its logical type, so that no reader takes it:
 * times of day beyond the day, decimals of no bytes. Safe for use by several threads.
 */
final class LogicalValues {
  private static final int MILLIS_OF_DAY = 86_400_000;

  private final Schema schema;
  private final boolean any;

  LogicalValues(Schema schema) {
    this.schema = schema;
    this.any = holds(schema, new HashSet<>());
  }

  private static boolean holds(Schema schema, Set<Schema> above) {
    return switch (schema.getType()) {
      case RECORD ->
          above.add(schema)
              && schema.getFields().stream().anyMatch(field -> holds(field.schema(), above));
      case UNION -> schema.getTypes().stream().anyMatch(type -> holds(type, above));
      case ARRAY -> holds(schema.getElementType(), above);
      case MAP -> holds(schema.getValueType(), above);
      default -> isTimeOfDay(schema) || isDecimal(schema);
    };
  }

  private static boolean isTimeOfDay(Schema schema) {
    return schema.getLogicalType() instanceof LogicalTypes.TimeMillis;
  }

  private static boolean isDecimal(Schema schema) {
    return schema.getType() == Schema.Type.BYTES
        && schema.getLogicalType() instanceof LogicalTypes.Decimal;
  }

  /**
   * Checks a record of the schema.
   *
   * @throws UnencodableException naming the field
   */
  void require(IndexedRecord record) {
    if (any) {
      require(schema, record, "");
    }
  }

  private static void require(Schema schema, Object value, String path) {
    switch (schema.getType()) {
      case RECORD -> {
        for (Schema.Field field : schema.getFields()) {
          String name = path.isEmpty() ? field.name() : path + "." + field.name();
          require(field.schema(), ((IndexedRecord) value).get(field.pos()), name);
        }
      }
      case UNION ->
          require(
              schema.getTypes().get(GenericData.get().resolveUnion(schema, value)), value, path);
      case ARRAY ->
          ((Collection<?>) value)
              .forEach(element -> require(schema.getElementType(), element, path + "[]"));
      case MAP ->
          ((Map<?, ?>) value)
              .forEach((key, held) -> require(schema.getValueType(), held, path + "." + key));
      default -> requireScalar(schema, value, path);
    }
  }

  private static void requireScalar(Schema schema, Object value, String path) {
    if (isTimeOfDay(schema) && value instanceof Integer millis) {
      if (millis < 0 || millis > MILLIS_OF_DAY) {
        throw new UnencodableException(
            "field %s: %d ms is no time of day; use 0 to %d".formatted(path, millis, MILLIS_OF_DAY),
            null);
      }
    } else if (isDecimal(schema) && value instanceof ByteBuffer bytes && !bytes.hasRemaining()) {
      throw new UnencodableException(
          "field %s: a decimal of no bytes is no number".formatted(path), null);
    }
  }
}
