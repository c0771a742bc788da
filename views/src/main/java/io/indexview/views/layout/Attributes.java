package io.indexview.views.layout;

import io.indexview.views.definition.ViewFields;
import io.indexview.views.encoding.FieldType;
import io.indexview.views.encoding.PlainValues;
import io.indexview.views.encoding.SortableText;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;

/** Plain values as attributes, and back: times as text that sorts, numbers as numbers. */
final class Attributes {
  private static final double MAX_NUMBER = 9.99e125;
  private static final double MIN_NUMBER = 1e-130;
  private static final int DIGITS = 38;
  private static final SortableText DATE = SortableText.of(FieldType.DATE, false);
  private static final SortableText MILLIS = SortableText.of(FieldType.TIMESTAMP_MILLIS, false);
  private static final SortableText MICROS = SortableText.of(FieldType.TIMESTAMP_MICROS, false);

  private Attributes() {}

  /** The attribute of the field with a path, as the key of a table or an index. */
  static DynamoDbLayout.KeyAttribute key(ViewFields fields, String path) {
    for (ViewFields.KeyField field : fields.key()) {
      if (field.path().equals(path)) {
        return new DynamoDbLayout.KeyAttribute(field.name(), keyType(field.type()));
      }
    }
    for (ViewFields.ValueField field : fields.values()) {
      if (field.path().equals(path)) {
        Schema schema = PlainValues.withoutNull(field.schema());
        return new DynamoDbLayout.KeyAttribute(
            field.name(), keyType(FieldType.of(schema).orElseThrow()));
      }
    }
    throw new IllegalArgumentException("no field with path " + path);
  }

  private static DynamoDbLayout.AttributeType keyType(FieldType type) {
    return switch (type) {
      case INT, LONG, FLOAT, DOUBLE -> DynamoDbLayout.AttributeType.N;
      default -> DynamoDbLayout.AttributeType.S;
    };
  }

  /** The attribute of a value that a table or index is keyed by: a boolean becomes text. */
  static Object ofKey(FieldType type, Object plain) {
    return plain instanceof Boolean ? plain.toString() : of(type, plain);
  }

  static Object ofKey(Schema schema, Object plain) {
    return plain instanceof Boolean ? plain.toString() : of(schema, plain);
  }

  static Object of(Schema schema, Object plain) {
    if (plain == null) {
      return null;
    } else if (schema.isUnion()) {
      return of(PlainValues.withoutNull(schema), plain);
    }
    Optional<FieldType> scalar = FieldType.of(schema);
    if (scalar.isPresent()) {
      return of(scalar.get(), plain);
    } else if (plain instanceof Integer number) {
      return number.longValue();
    } else if (plain instanceof BigDecimal decimal) {
      return inLimits(decimal);
    } else if (plain instanceof ByteBuffer bytes) {
      return PlainValues.copy(bytes);
    } else if (plain instanceof List<?> list) {
      List<Object> elements = new ArrayList<>(list.size());
      list.forEach(element -> elements.add(of(schema.getElementType(), element)));
      return elements;
    } else if (plain instanceof Map<?, ?> map) {
      Map<String, Object> entries = new LinkedHashMap<>();
      boolean record = schema.getType() == Schema.Type.RECORD;
      map.forEach(
          (name, value) -> {
            Schema type = record ? schema.getField((String) name).schema() : schema.getValueType();
            entries.put((String) name, of(type, value));
          });
      return entries;
    }
    return plain;
  }

  private static Object of(FieldType type, Object plain) {
    return switch (type) {
      case STRING, ENUM, BOOLEAN, LONG -> plain;
      case INT -> ((Integer) plain).longValue();
      case FLOAT -> inLimits(Double.parseDouble(plain.toString()));
      case DOUBLE -> inLimits((Double) plain);
      case DATE -> DATE.encode(plain);
      case TIMESTAMP_MILLIS -> MILLIS.encode(plain);
      case TIMESTAMP_MICROS -> MICROS.encode(plain);
    };
  }

  static Object parse(String name, Schema schema, Map<String, ?> item) {
    try {
      return parse(schema, item.get(name));
    } catch (IllegalArgumentException | ArithmeticException | ClassCastException e) {
      throw unreadable(name, e);
    }
  }

  static Object parse(String name, FieldType type, Object attribute) {
    try {
      if (attribute == null) {
        throw new LayoutException("an item without the key attribute \"%s\"".formatted(name));
      }
      return parse(type, attribute);
    } catch (IllegalArgumentException | ArithmeticException | ClassCastException e) {
      throw unreadable(name, e);
    }
  }

  private static LayoutException unreadable(String name, RuntimeException cause) {
    return new LayoutException("attribute \"%s\" is of another type".formatted(name), cause);
  }

  private static Object parse(Schema schema, Object attribute) {
    if (attribute == null) {
      return null;
    }
    if (schema.isUnion()) {
      return parse(PlainValues.withoutNull(schema), attribute);
    }
    Optional<FieldType> scalar = FieldType.of(schema);
    if (scalar.isPresent()) {
      return parse(scalar.get(), attribute);
    }
    return switch (schema.getType()) {
      case INT -> Math.toIntExact(exact(attribute));
      case LONG -> exact(attribute);
      case BYTES, FIXED ->
          schema.getLogicalType() instanceof LogicalTypes.Decimal decimal
              ? PlainValues.decimal(decimal, new BigDecimal(((Number) attribute).toString()))
              : PlainValues.of(schema, attribute);
      case ARRAY -> {
        List<Object> list = new ArrayList<>();
        ((List<?>) attribute).forEach(value -> list.add(parse(schema.getElementType(), value)));
        yield list;
      }
      case MAP -> {
        Map<String, Object> map = new LinkedHashMap<>();
        ((Map<?, ?>) attribute)
            .forEach((key, value) -> map.put((String) key, parse(schema.getValueType(), value)));
        yield map;
      }
      case RECORD -> {
        Map<String, Object> map = new LinkedHashMap<>();
        Map<?, ?> entries = (Map<?, ?>) attribute;
        schema
            .getFields()
            .forEach(
                field -> map.put(field.name(), parse(field.schema(), entries.get(field.name()))));
        yield map;
      }
      default -> throw new IllegalArgumentException("never stored");
    };
  }

  private static Object parse(FieldType type, Object attribute) {
    return switch (type) {
      case STRING, ENUM -> (String) attribute;
      case INT -> Math.toIntExact(exact(attribute));
      case LONG -> exact(attribute);
      case FLOAT -> {
        float number = ((Number) attribute).floatValue();
        requireFinite(number);
        yield number;
      }
      case DOUBLE -> {
        double number = ((Number) attribute).doubleValue();
        requireFinite(number);
        yield number;
      }
      case BOOLEAN -> attribute instanceof Boolean ? attribute : (Object) bool((String) attribute);
      case DATE -> DATE.decode((String) attribute);
      case TIMESTAMP_MILLIS -> MILLIS.decode((String) attribute);
      case TIMESTAMP_MICROS -> MICROS.decode((String) attribute);
    };
  }

  /**
   * A whole number, read back as any {@link Number}.
   *
   * @throws ArithmeticException if it is none, or no long
   */
  private static long exact(Object attribute) {
    if (attribute instanceof Long number) {
      return number;
    }
    return attribute instanceof BigDecimal number
        ? number.longValueExact()
        : new BigDecimal(((Number) attribute).toString()).longValueExact();
  }

  private static void requireFinite(double number) {
    if (!Double.isFinite(number)) {
      throw new ArithmeticException("a number that is too large for its field");
    }
  }

  /** Reads a boolean, of a field that a table or an index is keyed by. */
  private static boolean bool(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("neither true nor false");
    };
  }

  private static Double inLimits(double number) {
    double magnitude = Math.abs(number);
    if (!Double.isFinite(number)
        || magnitude > MAX_NUMBER
        || (number != 0.0 && magnitude < MIN_NUMBER)) {
      throw new IllegalArgumentException(
          "a number that DynamoDB does not take (not finite, or beyond 1e-130 to 9.99e125)");
    }
    return number;
  }

  private static BigDecimal inLimits(BigDecimal number) {
    if (number.stripTrailingZeros().precision() > DIGITS) {
      throw new IllegalArgumentException("a number of more than 38 digits");
    }
    return number;
  }
}
