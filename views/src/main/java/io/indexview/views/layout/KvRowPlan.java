package io.indexview.views.layout;

import com.fasterxml.jackson.core.io.SerializedString;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.encoding.FieldType;
import io.indexview.views.encoding.PlainValues;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Reads the values of rows straight from their bytes, if these are as {@link KvRowValue#row} writes
 * them: the members in their order and nothing between them. Whatever else a value holds is left to
 * a parser of JSON, which gives the same where both read it. Thread-safe.
 */
final class KvRowPlan {
  private static final byte[] HEAD = member("{", ViewFields.PRIMARY_KEY);
  private static final byte[] REVISION = member(",", ViewFields.REVISION);
  private static final Set<String> OWN_NAMES =
      Set.of(ViewFields.PRIMARY_KEY, ViewFields.REVISION, KvRowHead.DELETED);

  private final Field[] fields;
  private final FieldMap.Names names;

  /**
   * @param member what stands before the value
   */
  private record Field(String name, byte[] member, FieldType type) {}

  private KvRowPlan(List<Field> fields) {
    this.fields = fields.toArray(Field[]::new);
    this.names = new FieldMap.Names(fields.stream().map(Field::name).toList());
  }

  /** Null: some field is no scalar, or has a name that means something else. */
  static KvRowPlan of(List<ViewFields.ValueField> fields) {
    List<Field> scalars =
        fields.stream()
            .filter(field -> !OWN_NAMES.contains(field.name()))
            .map(KvRowPlan::scalar)
            .flatMap(Optional::stream)
            .toList();
    return scalars.size() == fields.size() ? new KvRowPlan(scalars) : null;
  }

  private static Optional<Field> scalar(ViewFields.ValueField field) {
    return FieldType.of(PlainValues.withoutNull(field.schema()))
        .map(type -> new Field(field.name(), member(",", field.name()), type));
  }

  private static byte[] member(String before, String name) {
    byte[] quoted = new SerializedString(name).asQuotedUTF8();
    byte[] start = (before + '"').getBytes(StandardCharsets.US_ASCII);
    byte[] member = Arrays.copyOf(start, start.length + quoted.length + 2);
    System.arraycopy(quoted, 0, member, start.length, quoted.length);
    member[member.length - 2] = '"';
    member[member.length - 1] = ':';
    return member;
  }

  /** The row of a value; null: a parser tells what it is. */
  StoredRow read(Map<String, Object> key, byte[] value) {
    Cursor cursor = new Cursor(value);
    String primaryKey = cursor.skips(HEAD) ? cursor.text() : null;
    if (primaryKey == null || !cursor.skips(REVISION) || !cursor.skipsWhole()) {
      return null;
    }
    long revision = cursor.whole;
    Object[] values = new Object[fields.length];
    for (int i = 0; i < values.length; i++) {
      Field field = fields[i];
      if (!cursor.skips(field.member())) {
        return null;
      }
      boolean isNull = cursor.skips(Cursor.NULL);
      values[i] = isNull ? null : cursor.value(field.type());
      if (values[i] == null && !isNull) {
        return null;
      }
    }
    return cursor.ends()
        ? new StoredRow(
            key, primaryKey, new FieldMap(names, values), OptionalLong.of(revision), false)
        : null;
  }

  /** The primary key of the row that {@link #read} gives, without making that; null: it is null. */
  String primaryKey(byte[] value) {
    Cursor cursor = new Cursor(value);
    String primaryKey = cursor.skips(HEAD) ? cursor.text() : null;
    if (primaryKey == null || !cursor.skips(REVISION) || !cursor.skipsWhole()) {
      return null;
    }
    for (Field field : fields) {
      boolean isRead =
          cursor.skips(field.member())
              && (cursor.skips(Cursor.NULL) || cursor.skipsValue(field.type()));
      if (!isRead) {
        return null;
      }
    }
    return cursor.ends() ? primaryKey : null;
  }

  /** Where reading is; what cannot be read is null, and nothing is read after that. */
  private static final class Cursor {
    private static final byte[] NULL = "null".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] TRUE = "true".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] FALSE = "false".getBytes(StandardCharsets.US_ASCII);

    /** Every number of so many digits is a long. */
    private static final int SURE_DIGITS = 18;

    /** Digits in a row that the writer makes at most. */
    private static final int MAX_DIGITS = 19;

    private static final int NANO_DIGITS = 9;
    private static final int HEX_DIGITS = 4;
    private static final int DATE_LENGTH = 10;

    /** Every number of so many digits is an int. */
    private static final int SURE_INT_DIGITS = 9;

    /** Every month has so many days. */
    private static final int SURE_DAYS = 28;

    private static final int SECONDS_LENGTH = 20;
    private static final int MONTHS = 12;

    private static final VarHandle EIGHT_BYTES =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /**
     * The lowest bit of each of eight bytes. {@link #HIGH_BITS} has the highest, which no character
     * of ASCII has.
     */
    private static final long ONES = 0x0101_0101_0101_0101L;

    private static final long HIGH_BITS = ONES << 7;

    private final byte[] bytes;
    private int at;

    /** What {@link #skipsWhole} has passed. */
    private long whole;

    Cursor(byte[] bytes) {
      this.bytes = bytes;
    }

    boolean skips(byte[] expected) {
      int end = at + expected.length;
      boolean areNext =
          end <= bytes.length
              && bytes[at] == expected[0]
              && Arrays.equals(bytes, at, end, expected, 0, expected.length);
      at = areNext ? end : at;
      return areNext;
    }

    boolean ends() {
      return at == bytes.length - 1 && bytes[at] == '}';
    }

    private int current() {
      return at < bytes.length ? bytes[at] : 0;
    }

    Object value(FieldType type) {
      return switch (type) {
        case STRING, ENUM -> text();
        case INT -> skipsWhole() && whole == (int) whole ? (Object) (int) whole : null;
        case LONG -> skipsWhole() ? (Object) whole : null;
        case FLOAT, DOUBLE -> floating(type);
        case BOOLEAN -> skips(TRUE) ? Boolean.TRUE : skips(FALSE) ? Boolean.FALSE : null;
        case DATE, TIMESTAMP_MILLIS, TIMESTAMP_MICROS -> time(type == FieldType.DATE);
      };
    }

    /** Goes on behind what {@link #value} gives, without making it; false: it gives null. */
    boolean skipsValue(FieldType type) {
      int from = at;
      boolean isSure =
          switch (type) {
            case STRING, ENUM -> skipsPlainText();
            case INT -> skipsWhole() && at - from <= SURE_INT_DIGITS;
            case LONG -> skipsWhole();
            case FLOAT, DOUBLE -> skipsFraction() && current() != 'E';
            case DATE -> skipsSureDate();
            case BOOLEAN, TIMESTAMP_MILLIS, TIMESTAMP_MICROS -> false;
          };
      if (!isSure) {
        at = from;
      }
      return isSure || value(type) != null;
    }

    /** ASCII without escapes. */
    private boolean skipsPlainText() {
      if (!skips('"')) {
        return false;
      }
      at = endOfText(HIGH_BITS);
      return skips('"');
    }

    /**
     * Where text ends, or goes on with an escape or a control character; eight bytes at a time.
     *
     * @param alsoAt {@link #HIGH_BITS}: or with what is not ASCII; 0: no matter
     */
    private int endOfText(long alsoAt) {
      int next = at;
      for (; next <= bytes.length - Long.BYTES; next += Long.BYTES) {
        long eight = (long) EIGHT_BYTES.get(bytes, next);
        long quotes = eight ^ ONES * '"';
        long escapes = eight ^ ONES * '\\';
        // A borrow from one of them makes others of those behind it, which does not matter.
        long ends =
            (((eight - ONES * ' ') & ~eight)
                    | ((quotes - ONES) & ~quotes)
                    | ((escapes - ONES) & ~escapes)
                    | (eight & alsoAt))
                & HIGH_BITS;
        if (ends != 0) {
          return next + Long.numberOfTrailingZeros(ends) / Byte.SIZE;
        }
      }
      while (next < bytes.length && !isEnd(bytes[next], alsoAt)) {
        next++;
      }
      return next;
    }

    private static boolean isEnd(int current, long alsoAt) {
      return current < 0 ? alsoAt != 0 : current < ' ' || current == '"' || current == '\\';
    }

    private boolean skipsSureDate() {
      int end = at + DATE_LENGTH + 2;
      boolean fits =
          end <= bytes.length
              && bytes[at] == '"'
              && bytes[at + 5] == '-'
              && bytes[at + 8] == '-'
              && bytes[end - 1] == '"';
      if (!fits || number(at + 1, 4) < 0) {
        return false;
      }
      int month = number(at + 6, 2);
      int day = number(at + 9, 2);
      at = end;
      return month >= 1 && month <= MONTHS && day >= 1 && day <= SURE_DAYS;
    }

    /** Number of that many digits; negative if they are none. */
    private int number(int from, int digits) {
      int number = 0;
      for (int i = from; i < from + digits; i++) {
        if (!isDigit(bytes[i])) {
          return -1;
        }
        number = 10 * number + bytes[i] - '0';
      }
      return number;
    }

    boolean skipsWhole() {
      int from = at;
      boolean isNegative = skips('-');
      int first = at;
      long number = 0;
      while (isDigit(current())) {
        number = 10 * number + bytes[at] - '0';
        at++;
      }
      int digits = at - first;
      boolean isNumber = digits == 1 || (digits > 1 && bytes[first] != '0');
      if (!isNumber || digits > MAX_DIGITS) {
        return false;
      }
      if (digits > SURE_DIGITS) {
        return parses(from);
      }
      whole = isNegative ? -number : number;
      return true;
    }

    private boolean parses(int from) {
      try {
        whole = Long.parseLong(ascii(from));
        return true;
      } catch (NumberFormatException e) {
        return false;
      }
    }

    private String ascii(int from) {
      return new String(bytes, from, at - from, StandardCharsets.ISO_8859_1);
    }

    /** Reads a number with a fraction, and perhaps an exponent. */
    private Object floating(FieldType type) {
      int from = at;
      double number = skipsFloating() ? Double.parseDouble(ascii(from)) : Double.NaN;
      Number value = type == FieldType.FLOAT ? (Number) (float) number : (Number) number;
      return Double.isFinite(value.doubleValue()) ? value : null;
    }

    private boolean skipsFraction() {
      return skipsWhole() && skips('.') && skipsDigits();
    }

    private boolean skipsFloating() {
      boolean isFraction = skipsFraction();
      if (isFraction && skips('E')) {
        skips('-');
        return skipsDigits();
      }
      return isFraction;
    }

    private boolean skipsDigits() {
      int from = at;
      while (isDigit(current()) && at - from < MAX_DIGITS) {
        at++;
      }
      return at > from;
    }

    private static boolean isDigit(int character) {
      return character >= '0' && character <= '9';
    }

    private boolean skips(char expected) {
      if (current() != expected) {
        return false;
      }
      at++;
      return true;
    }

    String text() {
      if (!skips('"')) {
        return null;
      }
      int from = at;
      at = endOfText(HIGH_BITS);
      String ascii = current() == '"' ? ascii(from) : null;
      at = ascii == null ? endOfText(0) : at;
      if (skips('"')) {
        return ascii == null ? utf8(bytes, from, at - 1 - from) : ascii;
      }
      return current() == '\\' ? escaped(from) : null;
    }

    /**
     * @param from where the text begins, whose first escape is next
     */
    private String escaped(int from) {
      StringBuilder text = new StringBuilder();
      int plain = from;
      while (true) {
        int next = current();
        // A byte of a longer character is negative.
        if (next >= 0 && next < ' ') {
          return null;
        }
        if (next == '"' || next == '\\') {
          String before = utf8(bytes, plain, at - plain);
          if (before == null) {
            return null;
          }
          text.append(before);
          at++;
          if (next == '"') {
            return text.toString();
          }
          int unescaped = unescaped();
          if (unescaped < 0) {
            return null;
          }
          text.append((char) unescaped);
          plain = at;
        } else {
          at++;
        }
      }
    }

    /** Reads the character of an escape that the writer makes; negative: it is another one. */
    private int unescaped() {
      int escape = current();
      at++;
      return switch (escape) {
        case '"', '\\' -> escape;
        case 'b' -> '\b';
        case 'f' -> '\f';
        case 'n' -> '\n';
        case 'r' -> '\r';
        case 't' -> '\t';
        case 'u' -> unit();
        default -> -1;
      };
    }

    /** Reads a unit of UTF-16; negative: there is none. */
    private int unit() {
      int unit = 0;
      for (int i = 0; i < HEX_DIGITS; i++) {
        int digit = Character.digit(current(), 16);
        if (digit < 0) {
          return -1;
        }
        unit = 16 * unit + digit;
        at++;
      }
      return unit;
    }

    /** Null: it is no UTF-8. */
    private static String utf8(byte[] bytes, int from, int length) {
      String text = new String(bytes, from, length, StandardCharsets.UTF_8);
      // It may stand for bytes that are none.
      boolean isSure =
          text.indexOf('\uFFFD') < 0
              || Arrays.equals(
                  text.getBytes(StandardCharsets.UTF_8),
                  Arrays.copyOfRange(bytes, from, from + length));
      return isSure ? text : null;
    }

    /** Reads a time, or a date, with a year of four digits. */
    private Object time(boolean isDate) {
      String text = text();
      boolean fits =
          text != null
              && (isDate ? text.length() == DATE_LENGTH : text.length() >= SECONDS_LENGTH)
              && text.charAt(4) == '-'
              && text.charAt(7) == '-';
      try {
        return !fits ? null : isDate ? date(text) : timestamp(text);
      } catch (DateTimeException e) {
        return null;
      }
    }

    private static LocalDate date(String text) {
      int year = number(text, 0, 4);
      return year < 0 ? null : LocalDate.of(year, number(text, 5, 2), number(text, 8, 2));
    }

    /** Reads a time like {@code 2017-08-20T09:30:00Z}, perhaps with a fraction. */
    private static Object timestamp(String text) {
      LocalDate date = date(text);
      int digits = text.length() - SECONDS_LENGTH - 1;
      boolean fits =
          date != null
              && text.charAt(10) == 'T'
              && text.charAt(13) == ':'
              && text.charAt(16) == ':'
              && text.charAt(text.length() - 1) == 'Z'
              && (digits < 0 || (text.charAt(19) == '.' && digits > 0 && digits <= NANO_DIGITS));
      if (!fits) {
        return null;
      }
      int nanos = digits < 0 ? 0 : number(text, SECONDS_LENGTH, digits);
      for (int i = Math.max(0, digits); i < NANO_DIGITS && nanos > 0; i++) {
        nanos *= 10;
      }
      LocalTime time =
          LocalTime.of(number(text, 11, 2), number(text, 14, 2), number(text, 17, 2), nanos);
      return date.atTime(time).toInstant(ZoneOffset.UTC);
    }

    /** Number of that many digits; negative if they are none. */
    private static int number(String text, int from, int digits) {
      int number = 0;
      for (int i = from; i < from + digits; i++) {
        char digit = text.charAt(i);
        if (!isDigit(digit)) {
          return -1;
        }
        number = 10 * number + digit - '0';
      }
      return number;
    }
  }
}
