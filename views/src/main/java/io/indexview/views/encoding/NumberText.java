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
      return (char) (FIRST_LENGTH + digits.length() - 1) + digits;
    }
    char[] text = digits.toCharArray();
    char[] result = new char[text.length + 1];
    result[0] = '-';
    result[1] = (char) (LAST_LENGTH - (text.length - 2));
    for (int i = 1; i < text.length; i++) {
      result[i + 1] = complement(text[i]);
    }
    return new String(result);
  }

  static long toWhole(String text) {
    boolean negative = text.startsWith("-");
    int start = negative ? 2 : 1;
    if (text.length() <= start || text.length() - start > MAX_DIGITS) {
      throw illegal(text, null);
    }
    StringBuilder digits = new StringBuilder(text.length()).append(negative ? "-" : "");
    for (int i = start; i < text.length(); i++) {
      char digit = text.charAt(i);
      if (digit < '0' || digit > '9') {
        throw illegal(text, null);
      }
      digits.append(negative ? complement(digit) : digit);
    }
    try {
      long number = Long.parseLong(digits.toString());
      if (!ofWhole(number).equals(text)) {
        throw illegal(text, null);
      }
      return number;
    } catch (NumberFormatException e) {
      throw illegal(text, e);
    }
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
