package io.indexview.views.encoding;

import io.indexview.schemas.change.Decimals;
import io.indexview.schemas.serde.Surrogates;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Date;
import java.util.Optional;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericEnumSymbol;

/**
 * A type that a key field can have. Each has one Java form (see {@link #normalise}) and one order
 * (see {@link #compare}).
 */
public enum FieldType {
  /** {@link String}, ordered by code point, which is the order of its UTF-8 bytes. */
  STRING,
  /** {@link Integer}. */
  INT,
  /** {@link Long}. */
  LONG,
  /** {@link Float}; no -0.0, one NaN, which is last. */
  FLOAT,
  /** {@link Double}; no -0.0, one NaN, which is last. */
  DOUBLE,
  /** {@link Boolean}, false first. */
  BOOLEAN,
  /** The symbol as {@link String}, ordered as text, whatever the order of declaration. */
  ENUM,
  /** {@link LocalDate}. */
  DATE,
  /** {@link Instant} in whole milliseconds. */
  TIMESTAMP_MILLIS,
  /** {@link Instant} in whole microseconds. */
  TIMESTAMP_MICROS;

  private static final long MILLIS_PER_DAY = 86_400_000L;
  private static final long MICROS_PER_SECOND = 1_000_000L;
  private static final int NANOS_PER_MICRO = 1_000;

  /** Decimal digits that every double keeps. */
  private static final int DECIMAL_DIGITS = 15;

  private static final int MAX_MAGNITUDE = 290;

  private static final Set<String> NOT_FINITE = Set.of("NaN", "Infinity", "-Infinity");

  /** The type of a schema that is no union; empty if its values cannot be key fields. */
  public static Optional<FieldType> of(Schema schema) {
    String logical = schema.getProp("logicalType");
    return Optional.ofNullable(
        switch (schema.getType()) {
          case STRING -> STRING;
          case ENUM -> ENUM;
          case BOOLEAN -> BOOLEAN;
          case FLOAT -> FLOAT;
          case DOUBLE -> DOUBLE;
          case INT -> logical == null ? INT : "date".equals(logical) ? DATE : null;
          case LONG -> ofLong(logical);
          default -> null;
        });
  }

  /**
   * The type of a schema that is no union as a key field: also decimals, as {@link #DOUBLE}, for
   * which they may have {@value #DECIMAL_DIGITS} digits.
   */
  public static Optional<FieldType> ofKey(Schema schema) {
    return of(schema).or(() -> Decimals.areOf(schema) ? Optional.of(DOUBLE) : Optional.empty());
  }

  /**
   * The double that stands for a decimal in a key. Two decimals have two, in the same order.
   *
   * @param schema of {@link #ofKey}
   * @param value as Avro holds it without conversions
   * @throws IllegalArgumentException if the decimal has too many digits for that
   */
  public static double ofDecimal(Schema schema, Object value) {
    BigDecimal given = Decimals.of(schema, value);
    if (given.signum() == 0) {
      return 0;
    }
    if (Math.abs((long) given.precision() - given.scale()) > MAX_MAGNITUDE) {
      throw new IllegalArgumentException(
          "a decimal outside of what a double holds, up to 1E+%d; include it, and have the source give a text to order by"
              .formatted(MAX_MAGNITUDE));
    }
    BigDecimal number = given.stripTrailingZeros();
    if (number.precision() > DECIMAL_DIGITS) {
      throw new IllegalArgumentException(
          "a decimal of more than %d digits, which keys do not tell apart; include it, and have the source give a text or a double to order by"
              .formatted(DECIMAL_DIGITS));
    }
    return canonical(number.doubleValue());
  }

  private static FieldType ofLong(String logical) {
    if (logical == null) {
      return LONG;
    }
    return switch (logical) {
      case "timestamp-millis" -> TIMESTAMP_MILLIS;
      case "timestamp-micros" -> TIMESTAMP_MICROS;
      default -> null;
    };
  }

  /**
   * The one Java form of a value, from any form in which Avro or Kafka Connect hand it out: text as
   * any {@link CharSequence}, enums as Avro symbols or text, dates as days, {@link LocalDate} or
   * {@link java.util.Date}, timestamps as a number, {@link Instant} or {@link java.util.Date}, -0.0
   * as 0.0.
   *
   * @param value null stays null
   * @throws IllegalArgumentException if it is no value of this type
   */
  public Object normalise(Object value) {
    if (value == null) {
      return null;
    }
    Object normal =
        switch (this) {
          case STRING -> value instanceof CharSequence ? wellFormed(value.toString()) : null;
          case ENUM ->
              value instanceof CharSequence || value instanceof GenericEnumSymbol<?>
                  ? wellFormed(value.toString())
                  : null;
          case BOOLEAN -> value instanceof Boolean ? value : null;
          case INT -> value instanceof Integer ? value : null;
          case LONG ->
              value instanceof Long || value instanceof Integer
                  ? (Object) ((Number) value).longValue()
                  : null;
          case FLOAT -> value instanceof Float number ? (Object) canonical(number) : null;
          case DOUBLE ->
              value instanceof Double || value instanceof Float
                  ? (Object) canonical(((Number) value).doubleValue())
                  : null;
          case DATE -> date(value);
          case TIMESTAMP_MILLIS, TIMESTAMP_MICROS -> timestamp(value);
        };
    if (normal == null) {
      throw new IllegalArgumentException(
          "a value of %s is no %s".formatted(value.getClass().getName(), this));
    }
    return normal;
  }

  /**
   * A value as Avro holds it without conversions.
   *
   * @param normal as {@link #normalise} gives it; not null
   */
  public Object toAvro(Object normal) {
    return switch (this) {
      case STRING, INT, LONG, FLOAT, DOUBLE, BOOLEAN, ENUM -> normal;
      case DATE -> Math.toIntExact(((LocalDate) normal).toEpochDay());
      case TIMESTAMP_MILLIS -> ((Instant) normal).toEpochMilli();
      case TIMESTAMP_MICROS -> micros((Instant) normal);
    };
  }

  /** The difference of two times is counted in nanoseconds, which end with the year 2262. */
  private static long micros(Instant time) {
    long seconds = time.getEpochSecond();
    long micros = time.getNano() / NANOS_PER_MICRO;
    if (seconds < 0) {
      // The first second that a long holds begins before it.
      seconds++;
      micros -= MICROS_PER_SECOND;
    }
    return Math.addExact(Math.multiplyExact(seconds, MICROS_PER_SECOND), micros);
  }

  /** Whether a text is a floating point number that has no digits, which JSON lacks. */
  public static boolean isNotFinite(String text) {
    return NOT_FINITE.contains(text);
  }

  /** The number that stands for all numbers equal to it: 0.0 for -0.0, one NaN. */
  public static double canonical(double number) {
    return number == 0.0 ? 0.0 : Double.isNaN(number) ? Double.NaN : number;
  }

  /** The number that stands for all numbers equal to it: 0.0 for -0.0, one NaN. */
  public static float canonical(float number) {
    return number == 0.0f ? 0.0f : Float.isNaN(number) ? Float.NaN : number;
  }

  /** Half a surrogate pair has no UTF-8 form: two such texts would become one. */
  private static String wellFormed(String text) {
    int alone = Surrogates.indexOfAlone(text);
    if (alone >= 0) {
      throw new IllegalArgumentException(
          "the text holds half of a surrogate pair at index %d, which UTF-8 cannot say"
              .formatted(alone));
    }
    return text;
  }

  private static Object date(Object value) {
    if (value instanceof LocalDate) {
      return value;
    }
    if (value instanceof Integer days) {
      return LocalDate.ofEpochDay(days);
    }
    return value instanceof Date date
        ? LocalDate.ofEpochDay(Math.floorDiv(date.getTime(), MILLIS_PER_DAY))
        : null;
  }

  private Object timestamp(Object value) {
    boolean millis = this == TIMESTAMP_MILLIS;
    if (value instanceof Instant instant) {
      return instant.truncatedTo(millis ? ChronoUnit.MILLIS : ChronoUnit.MICROS);
    }
    if (value instanceof Date date) {
      return Instant.ofEpochMilli(date.getTime());
    }
    if (value instanceof Long number) {
      return millis ? Instant.ofEpochMilli(number) : Instant.EPOCH.plus(number, ChronoUnit.MICROS);
    }
    return null;
  }

  /** Order of two normalised values, null first. */
  public int compare(Object left, Object right) {
    if (left == null || right == null) {
      return Boolean.compare(left != null, right != null);
    }
    return switch (this) {
      case STRING, ENUM -> compareText((String) left, (String) right);
      case INT -> ((Integer) left).compareTo((Integer) right);
      case LONG -> ((Long) left).compareTo((Long) right);
      case FLOAT -> ((Float) left).compareTo((Float) right);
      case DOUBLE -> ((Double) left).compareTo((Double) right);
      case BOOLEAN -> ((Boolean) left).compareTo((Boolean) right);
      case DATE -> ((LocalDate) left).compareTo((LocalDate) right);
      case TIMESTAMP_MILLIS, TIMESTAMP_MICROS -> ((Instant) left).compareTo((Instant) right);
    };
  }

  private static int compareText(String left, String right) {
    return Arrays.compareUnsigned(
        left.getBytes(StandardCharsets.UTF_8), right.getBytes(StandardCharsets.UTF_8));
  }
}
