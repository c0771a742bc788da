package io.indexview.views.encoding;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.IndexedRecord;

/**
 * Values of included fields in one Java form, from any form in which Avro or Kafka Connect hand
 * them out: scalars as {@link FieldType#normalise} gives them, bytes and fixed as {@link
 * ByteBuffer}, decimals as {@link BigDecimal}, arrays as {@link List}, maps and records as {@link
 * Map}. Entries of maps are in the order of their names, so that equal values are written alike;
 * fields of records in the order of their schema.
 */
public final class PlainValues {
  /**
   * Beyond that of any store's numbers. 1E+999999999 would be a gigabyte when it is written out,
   * and zeros behind the point take the longer to be stripped the more there are.
   */
  private static final int MAX_EXPONENT = 1_000;

  private PlainValues() {}

  /** Whether values of a schema have a plain form: no union of several types anywhere in it. */
  public static boolean supports(Schema schema) {
    return supports(schema, new ArrayList<>());
  }

  private static boolean supports(Schema schema, List<Schema> above) {
    return switch (schema.getType()) {
      case UNION ->
          schema.getTypes().stream().filter(type -> type.getType() != Schema.Type.NULL).count() == 1
              && schema.getTypes().stream().allMatch(type -> supports(type, above));
      case ARRAY -> supports(schema.getElementType(), above);
      case MAP -> supports(schema.getValueType(), above);
      case RECORD -> {
        if (above.stream().anyMatch(record -> record == schema)) {
          yield true;
        }
        above.add(schema);
        yield schema.getFields().stream().allMatch(field -> supports(field.schema(), above));
      }
      default -> true;
    };
  }

  /**
   * The plain form of a value.
   *
   * @param value records as {@link IndexedRecord} or {@link Map}; null stays null
   * @throws IllegalArgumentException if it is no value of the schema
   */
  public static Object of(Schema schema, Object value) {
    if (value == null) {
      return null;
    }
    if (schema.isUnion()) {
      Schema other = withoutNull(schema);
      return of(other == schema ? branch(schema, value) : other, value);
    }
    Optional<FieldType> scalar = FieldType.of(schema);
    if (scalar.isPresent()) {
      return scalar.get().normalise(value);
    }
    Object plain =
        switch (schema.getType()) {
          case INT -> time(value);
          case LONG -> value instanceof Long ? value : null;
          case BYTES, FIXED -> bytes(schema, value);
          case ARRAY -> value instanceof Collection<?> elements ? list(schema, elements) : null;
          case MAP -> value instanceof Map<?, ?> entries ? map(schema, entries) : null;
          case RECORD -> fields(schema, value);
          default -> null;
        };
    if (plain == null) {
      throw new IllegalArgumentException(
          "a value of %s is no %s"
              .formatted(value.getClass().getName(), schema.getType().getName()));
    }
    return plain;
  }

  /**
   * Finds the type of a value in a union of several types. Views do not take such unions, but
   * Avro's own values find theirs.
   */
  private static Schema branch(Schema union, Object value) {
    try {
      return union.getTypes().get(GenericData.get().resolveUnion(union, value));
    } catch (AvroRuntimeException e) {
      throw new IllegalArgumentException(
          "a value of %s is none of %s".formatted(value.getClass().getName(), union), e);
    }
  }

  /** The only other branch of a union with null; any other schema unchanged. */
  public static Schema withoutNull(Schema schema) {
    if (!schema.isUnion()) {
      return schema;
    }
    Schema only = null;
    for (Schema type : schema.getTypes()) {
      if (type.getType() != Schema.Type.NULL) {
        if (only != null) {
          return schema;
        }
        only = type;
      }
    }
    return only == null ? schema : only;
  }

  /** Connect hands out times of day as a date on the first day of the epoch. */
  private static Object time(Object value) {
    if (value instanceof Date date) {
      return Math.toIntExact(date.getTime());
    }
    return value instanceof Integer ? value : null;
  }

  private static Object bytes(Schema schema, Object value) {
    byte[] bytes = null;
    if (value instanceof byte[] array) {
      bytes = array;
    } else if (value instanceof ByteBuffer buffer) {
      bytes = copy(buffer);
    } else if (value instanceof GenericFixed fixed) {
      bytes = fixed.bytes();
    }
    if (schema.getLogicalType() instanceof LogicalTypes.Decimal decimal) {
      return bytes == null
          ? value instanceof BigDecimal ? value : null
          : new BigDecimal(new BigInteger(bytes), decimal.getScale());
    }
    return bytes == null ? null : ByteBuffer.wrap(bytes).asReadOnlyBuffer();
  }

  /**
   * The plain form of a decimal that a store has given back.
   *
   * @throws IllegalArgumentException if the schema has none such
   */
  public static BigDecimal decimal(LogicalTypes.Decimal type, BigDecimal stored) {
    int scale = type.getScale();
    if (stored.signum() == 0) {
      return BigDecimal.ZERO.setScale(scale);
    }
    if (stored.scale() >= -MAX_EXPONENT && (long) stored.scale() - scale <= MAX_EXPONENT) {
      BigDecimal number = stored.setScale(scale, RoundingMode.DOWN);
      if (number.compareTo(stored) == 0) {
        return number;
      }
    }
    throw new IllegalArgumentException(
        "a decimal with other digits than %d behind the point".formatted(scale));
  }

  /** The content of a plain value of bytes. */
  public static byte[] copy(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  private static List<Object> list(Schema schema, Collection<?> elements) {
    List<Object> list = new ArrayList<>(elements.size());
    for (Object element : elements) {
      list.add(of(schema.getElementType(), element));
    }
    return list;
  }

  private static Map<String, Object> map(Schema schema, Map<?, ?> entries) {
    Map<String, Object> map = new TreeMap<>();
    entries.forEach((key, entry) -> map.put(key.toString(), of(schema.getValueType(), entry)));
    return map;
  }

  private static Object fields(Schema schema, Object value) {
    if (!(value instanceof IndexedRecord) && !(value instanceof Map)) {
      return null;
    }
    Map<String, Object> map = new LinkedHashMap<>();
    for (Schema.Field field : schema.getFields()) {
      Object plain =
          value instanceof IndexedRecord record
              ? record.get(field.pos())
              : ((Map<?, ?>) value).get(field.name());
      map.put(field.name(), of(field.schema(), plain));
    }
    return map;
  }
}
