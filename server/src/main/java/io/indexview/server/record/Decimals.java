package io.indexview.server.record;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import org.apache.avro.LogicalTypes;

/** Reads decimals, without ever reckoning with more digits than a request has. */
final class Decimals {
  /** As many as the digits of a JSON number: reading takes the square of that. */
  private static final int MOST_CHARACTERS = 1_000;

  private Decimals() {}

  /**
   * Reads a value.
   *
   * @return with the scale of the type
   * @throws IllegalArgumentException if it is none, or does not fit the type exactly
   * @throws ArithmeticException likewise
   */
  static BigDecimal read(LogicalTypes.Decimal type, JsonNode json) {
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
    if (text.length() > MOST_CHARACTERS) {
      throw new IllegalArgumentException("is longer than %d characters".formatted(MOST_CHARACTERS));
    }
    try {
      return new BigDecimal(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("use a number", e);
    }
  }
}
