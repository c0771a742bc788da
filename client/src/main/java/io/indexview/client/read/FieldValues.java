package io.indexview.client.read;

import io.indexview.views.encoding.FieldType;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.function.ToDoubleFunction;

/** Values of key fields as people and programs give them. */
final class FieldValues {
  private FieldValues() {}

  /**
   * The normalised value.
   *
   * @param given null stays null
   * @throws IllegalArgumentException if it is none of the type; says what is
   */
  static Object of(FieldType type, Object given) {
    boolean text = type == FieldType.STRING || type == FieldType.ENUM;
    if (given instanceof CharSequence chars && !text) {
      return parse(type, chars.toString());
    }
    try {
      return type.normalise(fitted(type, given));
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new IllegalArgumentException(
          text && given instanceof CharSequence ? e.getMessage() : noValue(given, type), e);
    }
  }

  private static Object parse(FieldType type, String text) {
    try {
      return switch (type) {
        case INT -> (Object) Integer.valueOf(text);
        case LONG -> Long.valueOf(text);
        case FLOAT -> type.normalise((float) floating(text, Float::parseFloat));
        case DOUBLE -> type.normalise(floating(text, Double::parseDouble));
        case BOOLEAN -> bool(text);
        case DATE -> LocalDate.parse(text);
        case TIMESTAMP_MILLIS, TIMESTAMP_MICROS ->
            whole(type, OffsetDateTime.parse(text).toInstant());
        case STRING, ENUM -> text;
      };
    } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
      throw new IllegalArgumentException(noValue(text, type), e);
    }
  }

  /**
   * The number nearest to a text. It would ask for other rows if the text is too large or too
   * small, or has no point or exponent and more digits of it than are true.
   */
  private static double floating(String text, ToDoubleFunction<String> nearest) {
    String given = text.trim();
    if (FieldType.isNotFinite(given)) {
      return Double.parseDouble(given);
    }
    BigDecimal number = new BigDecimal(given);
    double value = nearest.applyAsDouble(given);
    boolean isWhole = given.chars().noneMatch(character -> ".eE".indexOf(character) >= 0);
    boolean isThere =
        Double.isFinite(value)
            && (isWhole ? isRounded(number, value) : value != 0 || number.signum() == 0);
    if (!isThere) {
      throw new ArithmeticException("not exactly, or not at all, a floating point number");
    }
    return value;
  }

  /**
   * Whether a number is a value, or has only the first digits of it and then zeros: so programs
   * write large values, and so decimals are that stand in keys as the nearest value.
   */
  private static boolean isRounded(BigDecimal number, double value) {
    MathContext digits = new MathContext(number.stripTrailingZeros().precision());
    return new BigDecimal(value).round(digits).compareTo(number) == 0;
  }

  private static Boolean bool(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("neither true nor false");
    };
  }

  /** A number or time of another type, if it says exactly the same. */
  private static Object fitted(FieldType type, Object given) {
    if (given instanceof Instant instant) {
      return type == FieldType.DATE ? given : whole(type, instant);
    }
    if (!(given instanceof Number number)) {
      return given;
    }
    return switch (type) {
      case INT -> exact(number).intValueExact();
      case LONG -> exact(number).longValueExact();
      case FLOAT -> asFloat(number);
      case DOUBLE -> asDouble(number);
      case DATE, TIMESTAMP_MILLIS, TIMESTAMP_MICROS ->
          throw new IllegalArgumentException("a number is no time");
      default -> given;
    };
  }

  private static BigDecimal exact(Number number) {
    return new BigDecimal(number.toString());
  }

  private static Float asFloat(Number number) {
    float value = number.floatValue();
    if (number instanceof Float || same(number.doubleValue(), value)) {
      return value;
    }
    throw new ArithmeticException("not exactly a float");
  }

  private static Double asDouble(Number number) {
    double value = number.doubleValue();
    boolean exact =
        number instanceof Double
            || number instanceof Float
            || (Double.isFinite(value) && new BigDecimal(value).compareTo(exact(number)) == 0);
    if (exact) {
      return value;
    }
    throw new ArithmeticException("not exactly a double");
  }

  private static boolean same(double left, double right) {
    return Double.compare(left, right) == 0;
  }

  private static Instant whole(FieldType type, Instant instant) {
    ChronoUnit unit = type == FieldType.TIMESTAMP_MICROS ? ChronoUnit.MICROS : ChronoUnit.MILLIS;
    if (!instant.truncatedTo(unit).equals(instant)) {
      throw new ArithmeticException("finer than the field");
    }
    // Fails where it is too far away for one.
    type.toAvro(instant);
    return instant;
  }

  private static String noValue(Object given, FieldType type) {
    String shown = String.valueOf(given);
    return "\"%s\" is %s"
        .formatted(shown.length() <= 60 ? shown : shown.substring(0, 60) + "…", wanted(type));
  }

  private static String wanted(FieldType type) {
    return switch (type) {
      case STRING, ENUM -> "no text";
      case INT -> "no whole number of 32 bits";
      case LONG -> "no whole number of 64 bits";
      case FLOAT -> "no number of single precision";
      case DOUBLE -> "no number of double precision";
      case BOOLEAN -> "neither true nor false";
      case DATE -> "no date; give it as 2017-08-20";
      case TIMESTAMP_MILLIS -> "no time of whole milliseconds; give it as 2017-08-20T09:30:00.000Z";
      case TIMESTAMP_MICROS ->
          "no time of whole microseconds; give it as 2017-08-20T09:30:00.000000Z";
    };
  }
}
