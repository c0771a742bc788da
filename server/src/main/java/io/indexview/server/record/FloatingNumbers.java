package io.indexview.server.record;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import org.apache.avro.Schema;

/**
 * Reads floats and doubles. A number with a point or exponent becomes the nearest one, as it was
 * written from; a whole number must be one exactly.
 */
final class FloatingNumbers {
  private FloatingNumbers() {}

  /**
   * Reads a value.
   *
   * @throws IllegalArgumentException if it is none of the schema, too large or too small for it
   */
  static Object read(Schema schema, JsonNode json) {
    boolean single = schema.getType() == Schema.Type.FLOAT;
    if (!json.isNumber()) {
      double special = special(json.asText());
      return single ? (Object) (float) special : (Object) special;
    }
    double value = single ? json.floatValue() : json.doubleValue();
    check(json, value, schema.getName());
    return single ? (Object) (float) value : (Object) value;
  }

  private static double special(String text) {
    return switch (text) {
      case "NaN" -> Double.NaN;
      case "Infinity" -> Double.POSITIVE_INFINITY;
      case "-Infinity" -> Double.NEGATIVE_INFINITY;
      default -> throw new IllegalArgumentException("use a number, or NaN, Infinity, -Infinity");
    };
  }

  private static void check(JsonNode json, double value, String type) {
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException("is too large for a " + type);
    }
    if (value == 0 && json.decimalValue().signum() != 0) {
      throw new IllegalArgumentException("is too small for a " + type);
    }
    if (json.isIntegralNumber() && new BigDecimal(value).compareTo(json.decimalValue()) != 0) {
      throw new IllegalArgumentException("has more digits than a %s keeps".formatted(type));
    }
  }
}
