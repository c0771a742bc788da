package io.indexview.views.encoding;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;

/** Dates and timestamps as ISO 8601 text that sorts, whatever the year. */
final class TimeText {
  private static final int PLAIN_YEAR_DIGITS = 4;
  private static final int LONG_YEAR_DIGITS = 10;
  private static final int MAX_PLAIN_YEAR = 9999;
  private static final int USUAL_DATE_LENGTH = 10;
  private static final int MONTHS = 12;

  /** Every month has so many days. */
  private static final int SURE_DAYS = 28;

  private static final long COMPLEMENT = 9_999_999_999L;
  private static final int NANOS_PER_MILLI = 1_000_000;
  private static final int NANOS_PER_MICRO = 1_000;

  private TimeText() {}

  static String of(FieldType type, Object value) {
    StringBuilder text = new StringBuilder(27);
    if (type == FieldType.DATE) {
      appendDate(text, (LocalDate) value);
      return text.toString();
    }
    LocalDateTime time = LocalDateTime.ofInstant((Instant) value, ZoneOffset.UTC);
    appendDate(text, time.toLocalDate());
    appendPadded(text.append('T'), time.getHour(), 2);
    appendPadded(text.append(':'), time.getMinute(), 2);
    appendPadded(text.append(':'), time.getSecond(), 2);
    boolean millis = type == FieldType.TIMESTAMP_MILLIS;
    int fraction = time.getNano() / (millis ? NANOS_PER_MILLI : NANOS_PER_MICRO);
    appendPadded(text.append('.'), fraction, millis ? 3 : 6);
    return text.append('Z').toString();
  }

  private static void appendDate(StringBuilder text, LocalDate date) {
    int year = date.getYear();
    if (year < 0) {
      appendPadded(text.append('-'), COMPLEMENT + year, LONG_YEAR_DIGITS);
    } else if (year > MAX_PLAIN_YEAR) {
      appendPadded(text.append('Y'), year, LONG_YEAR_DIGITS);
    } else {
      appendPadded(text, year, PLAIN_YEAR_DIGITS);
    }
    appendPadded(text.append('-'), date.getMonthValue(), 2);
    appendPadded(text.append('-'), date.getDayOfMonth(), 2);
  }

  private static void appendPadded(StringBuilder text, long number, int digits) {
    String plain = Long.toString(number);
    for (int i = plain.length(); i < digits; i++) {
      text.append('0');
    }
    text.append(plain);
  }

  /**
   * A date whose year has four digits, read so that no other text stands for it; null: it is none.
   */
  static LocalDate usualDate(String text) {
    boolean fits =
        text.length() == USUAL_DATE_LENGTH && text.charAt(4) == '-' && text.charAt(7) == '-';
    int year = fits ? digits(text, 0, PLAIN_YEAR_DIGITS) : -1;
    int month = year < 0 ? -1 : digits(text, 5, 2);
    int day = month < 1 || month > MONTHS ? -1 : digits(text, 8, 2);
    return day < 1 || day > SURE_DAYS ? null : LocalDate.of(year, month, day);
  }

  /** The number that they write; negative if some are none. */
  private static int digits(String text, int from, int count) {
    int number = 0;
    for (int i = from; i < from + count; i++) {
      char digit = text.charAt(i);
      if (digit < '0' || digit > '9') {
        return -1;
      }
      number = 10 * number + digit - '0';
    }
    return number;
  }

  static Object parse(FieldType type, String text) {
    try {
      int yearEnd =
          text.startsWith("-") || text.startsWith("Y") ? LONG_YEAR_DIGITS + 1 : PLAIN_YEAR_DIGITS;
      LocalDate date =
          LocalDate.of(
              year(text.substring(0, yearEnd)),
              Integer.parseInt(text, yearEnd + 1, yearEnd + 3, 10),
              Integer.parseInt(text, yearEnd + 4, yearEnd + 6, 10));
      if (type == FieldType.DATE) {
        return date;
      }
      LocalTime time = LocalTime.parse(text.substring(yearEnd + 7, text.length() - 1));
      return date.atTime(time).toInstant(ZoneOffset.UTC);
    } catch (DateTimeException | NumberFormatException | IndexOutOfBoundsException e) {
      throw new IllegalArgumentException(
          "a text of %d characters is no encoded %s".formatted(text.length(), type), e);
    }
  }

  private static int year(String text) {
    return switch (text.charAt(0)) {
      case '-' -> (int) (Long.parseLong(text, 1, text.length(), 10) - COMPLEMENT);
      case 'Y' -> Integer.parseInt(text, 1, text.length(), 10);
      default -> Integer.parseInt(text);
    };
  }
}
