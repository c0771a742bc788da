package io.indexview.views.layout;

import java.math.BigDecimal;

/** The numbers that DynamoDB takes. */
final class NumberLimits {
  private static final double LARGEST = 9.99e125;
  private static final double SMALLEST = 1e-130;
  private static final int DIGITS = 38;

  private NumberLimits() {}

  static Double check(double number) {
    double magnitude = Math.abs(number);
    if (!Double.isFinite(number)
        || magnitude > LARGEST
        || (number != 0.0 && magnitude < SMALLEST)) {
      throw new IllegalArgumentException(
          "a number that DynamoDB does not take (not finite, or beyond 1e-130 to 9.99e125)");
    }
    return number;
  }

  static BigDecimal check(BigDecimal number) {
    if (number.stripTrailingZeros().precision() > DIGITS) {
      throw new IllegalArgumentException("a number of more than 38 digits");
    }
    return number;
  }
}
