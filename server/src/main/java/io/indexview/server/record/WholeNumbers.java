package io.indexview.server.record;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;

/** Reads ints and longs; dates and points in time are ISO 8601 text. */
final class WholeNumbers {
  private WholeNumbers() {}

  /**
   * Reads a value.
   *
   * @throws IllegalArgumentException if it is none of the schema
   * @throws java.time.DateTimeException likewise
   * @throws ArithmeticException likewise
   */
  static Object read(Schema schema, JsonNode json) {
    LogicalType logical = schema.getLogicalType();
    if (json.isTextual() && logical instanceof LogicalTypes.Date) {
      return Math.toIntExact(LocalDate.parse(json.textValue()).toEpochDay());
    }
    if (json.isTextual() && unit(logical) != null) {
      return count(Instant.parse(json.textValue()), unit(logical));
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

  private static long count(Instant time, ChronoUnit unit) {
    if (!time.truncatedTo(unit).equals(time)) {
      throw new IllegalArgumentException(
          "is finer than " + unit.toString().toLowerCase(Locale.ROOT));
    }
    return unit.between(Instant.EPOCH, time);
  }

  /** Null: no point in time. */
  private static ChronoUnit unit(LogicalType logical) {
    if (logical instanceof LogicalTypes.TimestampMillis) {
      return ChronoUnit.MILLIS;
    }
    return logical instanceof LogicalTypes.TimestampMicros ? ChronoUnit.MICROS : null;
  }
}
