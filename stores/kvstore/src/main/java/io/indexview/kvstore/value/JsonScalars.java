package io.indexview.kvstore.value;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.kvstore.value.ValueDecoder.UndecodableException;
import io.indexview.schemas.serde.Surrogates;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.Set;
import java.util.function.DoubleUnaryOperator;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;

/**
 * JSON values without parts as Avro's. Bytes are base64; dates and times are ISO 8601 text, or the
 * number that Avro holds; decimals are numbers, or text.
 */
final class JsonScalars {
  /** Greatest length of a number, which is Jackson's own bound: its cost grows with the square. */
  private static final int MAX_NUMBER = 1_000;

  private JsonScalars() {}

  static Object value(Schema schema, JsonNode json, String path) throws UndecodableException {
    return switch (schema.getType()) {
      case BOOLEAN -> require(json.isBoolean(), json, path, "true or false").booleanValue();
      case STRING -> whole(text(json, path, "a text"), path);
      case ENUM -> symbol(schema, json, path);
      case INT -> (int) integer(schema, json, path, Integer.MIN_VALUE, Integer.MAX_VALUE);
      case LONG -> integer(schema, json, path, Long.MIN_VALUE, Long.MAX_VALUE);
      case FLOAT -> (float) real(json, path, Float.MAX_VALUE, value -> (float) value);
      case DOUBLE -> real(json, path, Double.MAX_VALUE, value -> value);
      case BYTES -> ByteBuffer.wrap(bytes(schema, json, path));
      case FIXED -> fixed(schema, json, path);
      default -> throw mismatch(path, json, "null");
    };
  }

  private static JsonNode require(boolean fits, JsonNode json, String path, String expected)
      throws UndecodableException {
    if (!fits) {
      throw mismatch(path, json, expected);
    }
    return json;
  }

  private static String text(JsonNode json, String path, String expected)
      throws UndecodableException {
    return require(json.isTextual(), json, path, expected).textValue();
  }

  /** Requires text without half a surrogate pair, which would be written as a question mark. */
  static String whole(String text, String path) throws UndecodableException {
    if (Surrogates.anyAlone(text)) {
      throw new UndecodableException(
          "field %s: the text holds half a surrogate pair, which is no character".formatted(path));
    }
    return text;
  }

  private static Object symbol(Schema schema, JsonNode json, String path)
      throws UndecodableException {
    String symbol = text(json, path, "a symbol of " + schema.getName());
    if (!schema.hasEnumSymbol(symbol)) {
      throw new UndecodableException(
          "field %s: the text of %d characters is none of %s"
              .formatted(path, symbol.length(), schema.getEnumSymbols()));
    }
    return new GenericData.EnumSymbol(schema, symbol);
  }

  private static long integer(Schema schema, JsonNode json, String path, long min, long max)
      throws UndecodableException {
    if (json.isTextual() && IsoTimes.knows(schema)) {
      return time(schema, json, path);
    }
    boolean fits = json.isIntegralNumber() && json.canConvertToLong();
    if (!fits || json.longValue() < min || json.longValue() > max) {
      throw mismatch(path, json, "a whole number of type " + schema.getType().getName());
    }
    return json.longValue();
  }

  private static long time(Schema schema, JsonNode json, String path) throws UndecodableException {
    try {
      return IsoTimes.parse(schema, json.textValue());
    } catch (DateTimeException | ArithmeticException e) {
      throw new UndecodableException(
          "field %s: the text is no ISO 8601 %s, or is finer than that holds"
              .formatted(path, schema.getLogicalType().getName()),
          e);
    }
  }

  /** Fractions are the nearest that the type holds; a whole number is held, or refused. */
  private static double real(JsonNode json, String path, double max, DoubleUnaryOperator narrowing)
      throws UndecodableException {
    double value = require(json.isNumber(), json, path, "a number").doubleValue();
    if (!(Math.abs(value) <= max)) {
      throw mismatch(path, json, "a number of at most " + max);
    }
    double held = narrowing.applyAsDouble(value);
    BigDecimal exact = json.decimalValue();
    if (json.isIntegralNumber() && new BigDecimal(held).compareTo(exact) != 0) {
      throw mismatch(path, json, "a number that its type holds exactly");
    }
    if (held == 0 && exact.signum() != 0) {
      throw mismatch(path, json, "a number that its type tells from 0");
    }
    return held;
  }

  private static byte[] bytes(Schema schema, JsonNode json, String path)
      throws UndecodableException {
    if (schema.getLogicalType() instanceof LogicalTypes.Decimal decimal) {
      return unscaled(decimal, json, path).unscaledValue().toByteArray();
    }
    return base64(json, path);
  }

  private static byte[] base64(JsonNode json, String path) throws UndecodableException {
    try {
      return Base64.getDecoder().decode(text(json, path, "a text in base64"));
    } catch (IllegalArgumentException e) {
      throw new UndecodableException("field %s: the text is no base64".formatted(path), e);
    }
  }

  private static Object fixed(Schema schema, JsonNode json, String path)
      throws UndecodableException {
    int size = schema.getFixedSize();
    byte[] bytes = new byte[size];
    if (schema.getLogicalType() instanceof LogicalTypes.Decimal decimal) {
      byte[] unscaled = unscaled(decimal, json, path).unscaledValue().toByteArray();
      Arrays.fill(bytes, (byte) (unscaled[0] < 0 ? -1 : 0));
      System.arraycopy(unscaled, 0, bytes, size - unscaled.length, unscaled.length);
      return new GenericData.Fixed(schema, bytes);
    }
    byte[] given = base64(json, path);
    if (given.length != size) {
      throw new UndecodableException(
          "field %s: %d bytes instead of %d".formatted(path, given.length, size));
    }
    return new GenericData.Fixed(schema, given);
  }

  private static BigDecimal unscaled(LogicalTypes.Decimal type, JsonNode json, String path)
      throws UndecodableException {
    require(json.isNumber() || json.isTextual(), json, path, "a decimal, as number or text");
    try {
      BigDecimal value = decimal(json).stripTrailingZeros();
      // Asked before it is scaled: 1e999999999 would fill the memory.
      long whole = value.signum() == 0 ? 0 : (long) value.precision() - value.scale();
      if (whole <= type.getPrecision() - type.getScale() && value.scale() <= type.getScale()) {
        return value.setScale(type.getScale());
      }
    } catch (ArithmeticException | NumberFormatException e) {
      throw notDecimal(type, path, e);
    }
    throw notDecimal(type, path, null);
  }

  private static BigDecimal decimal(JsonNode json) {
    if (json.isNumber()) {
      return json.decimalValue();
    }
    if (json.textValue().length() > MAX_NUMBER) {
      throw new NumberFormatException("longer than any decimal");
    }
    return new BigDecimal(json.textValue());
  }

  private static UndecodableException notDecimal(
      LogicalTypes.Decimal type, String path, Exception cause) {
    return new UndecodableException(
        "field %s: no decimal of %d digits, %d of them after the point"
            .formatted(path, type.getPrecision(), type.getScale()),
        cause);
  }

  static UndecodableException mismatch(String path, JsonNode json, String expected) {
    return new UndecodableException(
        "field %s is %s instead of %s".formatted(path, kind(json), expected));
  }

  static String kind(JsonNode json) {
    if (json.isMissingNode()) {
      return "nothing";
    }
    if (json.isNumber()) {
      return json.isIntegralNumber() ? "a whole number" : "a number with a fraction";
    }
    return json.getNodeType().name().toLowerCase(Locale.ROOT);
  }

  /** ISO 8601 text as the numbers of Avro's dates and times. */
  static final class IsoTimes {
    private static final Set<String> KNOWN =
        Set.of(
            "date",
            "time-millis",
            "time-micros",
            "timestamp-millis",
            "timestamp-micros",
            "local-timestamp-millis",
            "local-timestamp-micros");
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long NANOS_PER_MICRO = 1_000;
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private IsoTimes() {}

    static boolean knows(Schema schema) {
      return schema.getLogicalType() != null && KNOWN.contains(schema.getLogicalType().getName());
    }

    /**
     * The number of a text.
     *
     * @throws java.time.DateTimeException if it is none of the type
     * @throws ArithmeticException if the type cannot hold it: too fine, too far
     */
    static long parse(Schema schema, String text) {
      String type = schema.getLogicalType().getName();
      long unit = type.endsWith("micros") ? NANOS_PER_MICRO : NANOS_PER_MILLI;
      return switch (type) {
        case "date" -> Math.toIntExact(LocalDate.parse(text).toEpochDay());
        case "time-millis", "time-micros" -> exact(LocalTime.parse(text).toNanoOfDay(), unit);
        case "local-timestamp-millis", "local-timestamp-micros" ->
            number(LocalDateTime.parse(text).toInstant(ZoneOffset.UTC), unit);
        default -> number(OffsetDateTime.parse(text).toInstant(), unit);
      };
    }

    private static long number(Instant instant, long unit) {
      return Math.addExact(
          Math.multiplyExact(instant.getEpochSecond(), NANOS_PER_SECOND / unit),
          exact(instant.getNano(), unit));
    }

    private static long exact(long nanos, long unit) {
      if (nanos % unit != 0) {
        throw new ArithmeticException("finer than the type");
      }
      return nanos / unit;
    }
  }
}
