package io.indexview.views.encoding;

/** Numbers as text that sorts. */
final class NumberText {
  private static final char FIRST_LENGTH = 'a';
  private static final char LAST_LENGTH = 'z';
  private static final int HEX_DIGITS_OF_LONG = 16;
  private static final int HEX_DIGITS_OF_INT = 8;
  private static final int MAX_DIGITS = 19;

  private NumberText() {}

  static String ofWhole(long number) {
    String digits = Long.toString(number);
    if (number >= 0) {
      return length(false, digits.length()) + digits;
    }
    char[] text = digits.toCharArray();
    char[] result = new char[text.length + 1];
    result[0] = '-';
    result[1] = length(true, text.length - 1);
    for (int i = 1; i < text.length; i++) {
      result[i + 1] = complement(text[i]);
    }
    return new String(result);
  }

  /** Takes only what {@link #ofWhole} gives, so that nobody needs to encode the number again. */
  static long toWhole(String text) {
    boolean negative = text.startsWith("-");
    int first = negative ? 2 : 1;
    int count = text.length() - first;
    if (count < 1
        || count > MAX_DIGITS
        || text.charAt(first - 1) != length(negative, count)
        || isPadded(text, first, negative)) {
      throw illegal(text, null);
    }
    long number = 0;
    for (int i = first; i < text.length(); i++) {
      char digit = negative ? complement(text.charAt(i)) : text.charAt(i);
      number = number * 10 - (digit - '0');
      // Negative, as there is one negative number more; positive once it is too large.
      if (digit < '0' || digit > '9' || number > 0) {
        throw illegal(text, null);
      }
    }
    if (!negative && number == Long.MIN_VALUE) {
      throw illegal(text, null);
    }
    return negative ? number : -number;
  }

  /** The letter before so many digits. */
  private static char length(boolean negative, int digits) {
    return (char) (negative ? LAST_LENGTH - (digits - 1) : FIRST_LENGTH + digits - 1);
  }

  /** Whether the number begins with a zero that it does not need; there is no negative zero. */
  private static boolean isPadded(String text, int first, boolean negative) {
    char zero = negative ? complement('0') : '0';
    return text.charAt(first) == zero && (negative || text.length() > first + 1);
  }

  private static char complement(char digit) {
    return (char) ('0' + '9' - digit);
  }

  static String ofDouble(double number) {
    long bits = Double.doubleToLongBits(number);
    return hex(bits < 0 ? ~bits : bits ^ Long.MIN_VALUE, HEX_DIGITS_OF_LONG);
  }

  static double toDouble(String text) {
    long bits = parseHex(text, HEX_DIGITS_OF_LONG);
    return Double.longBitsToDouble(bits < 0 ? bits ^ Long.MIN_VALUE : ~bits);
  }

  static String ofFloat(float number) {
    int bits = Float.floatToIntBits(number);
    return hex(
        Integer.toUnsignedLong(bits < 0 ? ~bits : bits ^ Integer.MIN_VALUE), HEX_DIGITS_OF_INT);
  }

  static float toFloat(String text) {
    int bits = (int) parseHex(text, HEX_DIGITS_OF_INT);
    return Float.intBitsToFloat(bits < 0 ? bits ^ Integer.MIN_VALUE : ~bits);
  }

  private static String hex(long bits, int digits) {
    String hex = Long.toHexString(bits);
    return "0".repeat(digits - hex.length()) + hex;
  }

  private static long parseHex(String text, int digits) {
    if (text.length() != digits) {
      throw illegal(text, null);
    }
    try {
      return Long.parseUnsignedLong(text, 16);
    } catch (NumberFormatException e) {
      throw illegal(text, e);
    }
  }

  private static IllegalArgumentException illegal(String text, Exception cause) {
    return new IllegalArgumentException(
        "a text of %d characters is no encoded number".formatted(text.length()), cause);
  }
}
