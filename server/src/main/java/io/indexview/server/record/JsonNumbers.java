package io.indexview.server.record;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.views.encoding.FieldType;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;

/** Reads the numbers of a record, strictly. */
final class JsonNumbers {
  /** Greatest length of a JSON number: reading takes the square of that. */
  private static final int MAX_CHARACTERS = 1_000;

  private JsonNumbers() {}

  /**
   * Reads an int or a long; dates and points in time are ISO 8601 text.
   *
   * @throws IllegalArgumentException if it is none of the schema
   * @throws java.time.DateTimeException likewise
   * @throws ArithmeticException likewise
   */
  static Object whole(Schema schema, JsonNode json) {
    LogicalType logical = schema.getLogicalType();
    if (json.isTextual() && logical instanceof LogicalTypes.Date) {
      return Math.toIntExact(LocalDate.parse(json.textValue()).toEpochDay());
    }
    if (json.isTextual() && unit(logical) != null) {
      return count(schema, Instant.parse(json.textValue()));
    }
    if (schema.getType() == Schema.Type.INT && json.isIntegralNumber() && json.canConvertToInt()) {
      return json.intValue();
    }
    if (schema.getType() == Schema.Type.LONG
        && json.isIntegralNumber()
        && json.canConvertToLong()) {
      return json.longValue();
    }
    throw new IllegalArgumentException("use " + remedy(schema));
  }

  private static String remedy(Schema schema) {
    String number = schema.getType() == Schema.Type.INT ? "32 bits" : "64 bits";
    LogicalType logical = schema.getLogicalType();
    if (logical instanceof LogicalTypes.Date) {
      return "a date as in 2017-08-20";
    }
    return unit(logical) == null
        ? "a whole number of " + number
        : "a time as in 2017-08-20T12:30:00Z";
  }

  private static Object count(Schema schema, Instant time) {
    ChronoUnit unit = unit(schema.getLogicalType());
    if (!time.truncatedTo(unit).equals(time)) {
      throw new IllegalArgumentException(
          "is finer than " + unit.toString().toLowerCase(Locale.ROOT));
    }
    try {
      return FieldType.of(schema).orElseThrow().toAvro(time);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "use a time from %s to %s"
              .formatted(
                  Instant.EPOCH.plus(Long.MIN_VALUE, unit),
                  Instant.EPOCH.plus(Long.MAX_VALUE, unit)),
          e);
    }
  }

  /** Null: no point in time. */
  private static ChronoUnit unit(LogicalType logical) {
    if (logical instanceof LogicalTypes.TimestampMillis) {
      return ChronoUnit.MILLIS;
    }
    return logical instanceof LogicalTypes.TimestampMicros ? ChronoUnit.MICROS : null;
  }

  /**
   * Reads a decimal, without ever reckoning with more digits than a request has.
   *
   * @return with the scale of the type
   * @throws IllegalArgumentException if it is none, or does not fit the type exactly
   * @throws ArithmeticException likewise
   */
  static BigDecimal decimal(LogicalTypes.Decimal type, JsonNode json) {
    BigDecimal number = number(json);
    if (number.signum() == 0) {
      return BigDecimal.ZERO.setScale(type.getScale());
    }
    // Before setScale, which writes out what an exponent stands for.
    long before = (long) number.precision() - number.scale();
    if (before > type.getPrecision() - type.getScale()) {
      throw new IllegalArgumentException(
          "has more than %d digits before the point"
              .formatted(type.getPrecision() - type.getScale()));
    }
    if (before <= -type.getScale()) {
      throw new IllegalArgumentException(
          "has more than %d digits after the point".formatted(type.getScale()));
    }
    return number.setScale(type.getScale());
  }

  private static BigDecimal number(JsonNode json) {
    if (!json.isNumber() && !json.isTextual()) {
      throw new IllegalArgumentException("use a number");
    }
    String text = json.asText();
    if (text.length() > MAX_CHARACTERS) {
      throw new IllegalArgumentException("is longer than %d characters".formatted(MAX_CHARACTERS));
    }
    try {
      return new BigDecimal(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("use a number", e);
    }
  }

  /**
   * Reads a float or a double. A number with a point or exponent becomes the nearest one, as it was
   * written from; a whole number must be one exactly.
   *
   * @throws IllegalArgumentException if it is none of the schema, too large or too small for it
   */
  static Object floating(Schema schema, JsonNode json) {
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
    if (!FieldType.isNotFinite(text)) {
      throw new IllegalArgumentException("use a number, or NaN, Infinity, -Infinity");
    }
    return Double.parseDouble(text);
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
