package io.indexview.views.layout;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.indexview.views.encoding.FieldType;
import io.indexview.views.encoding.PlainValues;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalTime;
import org.apache.avro.Schema;

/** Whether a JSON value surely can be read as one of a field, seen without reading it. */
enum PlainJson {
  /** Any scalar is read. */
  SCALAR,
  /** Any number is read. */
  NUMBER,
  DATE,
  TIMESTAMP,
  /** Never sure. */
  OTHER;

  /** Of a number that every reader takes. */
  static final int MAX_DIGITS = 30;

  private static final int DATE_LENGTH = 10;
  private static final int SECONDS_END = 19;
  private static final int MAX_LENGTH = 30;

  static PlainJson of(Schema schema) {
    return FieldType.of(PlainValues.withoutNull(schema)).map(PlainJson::of).orElse(OTHER);
  }

  private static PlainJson of(FieldType type) {
    return switch (type) {
      case STRING, ENUM, INT, LONG, BOOLEAN -> SCALAR;
      case FLOAT, DOUBLE -> NUMBER;
      case DATE -> DATE;
      case TIMESTAMP_MILLIS, TIMESTAMP_MICROS -> TIMESTAMP;
    };
  }

  /**
   * Whether the value can be read.
   *
   * @param token that the parser is at
   * @throws DateTimeException if it cannot
   */
  boolean isSure(JsonToken token, JsonParser json) throws IOException {
    return switch (token) {
      case VALUE_NULL -> true;
      case VALUE_TRUE, VALUE_FALSE -> this == SCALAR;
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT ->
          (this == SCALAR || this == NUMBER) && json.getTextLength() <= MAX_DIGITS;
      case VALUE_STRING -> this == SCALAR || isTime(json);
      default -> false;
    };
  }

  private boolean isTime(JsonParser json) throws IOException {
    if (this != DATE && this != TIMESTAMP) {
      return false;
    }
    char[] text = json.getTextCharacters();
    int from = json.getTextOffset();
    int length = json.getTextLength();
    boolean isDate = this == DATE;
    if (isDate ? length != DATE_LENGTH : length <= SECONDS_END || length > MAX_LENGTH) {
      return false;
    }
    return date(text, from) && (isDate || time(text, from + DATE_LENGTH, from + length));
  }

  private static boolean date(char[] text, int from) {
    int year = number(text, from, 4);
    int month = number(text, from + 5, 2);
    int day = number(text, from + 8, 2);
    return year >= 0
        && text[from + 4] == '-'
        && text[from + 7] == '-'
        && LocalDate.of(year, month, day) != null;
  }

  /** Of {@code T09:30:00Z}, perhaps with a fraction. */
  private static boolean time(char[] text, int from, int end) {
    int hour = number(text, from + 1, 2);
    int minute = number(text, from + 4, 2);
    int second = number(text, from + 7, 2);
    int fraction = end - from - 11;
    return text[from] == 'T'
        && text[from + 3] == ':'
        && text[from + 6] == ':'
        && text[end - 1] == 'Z'
        && (fraction < 0 || (fraction > 0 && text[from + 9] == '.'))
        && number(text, from + 10, Math.max(0, fraction)) >= 0
        && LocalTime.of(hour, minute, second) != null;
  }

  /** Of that many digits; negative if they are none. */
  private static int number(char[] text, int from, int digits) {
    int number = 0;
    for (int i = from; i < from + digits; i++) {
      if (text[i] < '0' || text[i] > '9') {
        return -1;
      }
      number = 10 * number + text[i] - '0';
    }
    return number;
  }
}
