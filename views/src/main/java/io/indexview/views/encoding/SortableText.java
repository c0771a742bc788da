package io.indexview.views.encoding;

import java.time.LocalDate;

/**
 * Text form of the values of one key field. The UTF-8 bytes of two texts, compared unsigned, are
 * ordered as the values are ({@link FieldType#compare}); two values never share a text, and {@link
 * #decode} gives the value back. Thread-safe.
 *
 * <p>The forms:
 *
 * <ul>
 *   <li>text, enums: themselves; in a field with nulls behind a {@code =}, so that no text is taken
 *       for null
 *   <li>whole numbers: a letter that counts the digits, then the digits: {@code a7}, {@code d1500};
 *       negative ones {@code -} and then the complement of both
 *   <li>floating point: the bits in hex, turned so that they sort: {@code bff8000000000000} is 1.5
 *   <li>boolean: {@code false}, {@code true}
 *   <li>date and time: ISO 8601 in UTC with all digits, {@code 2017-08-20T09:30:00.000Z}; years
 *       above 9999 as {@code Y} and ten digits, years before 0 as {@code -} and their complement
 *   <li>null: nothing
 * </ul>
 */
public final class SortableText {
  private static final char NOT_NULL = '=';

  private final FieldType type;
  private final boolean nullable;
  private final boolean marked;

  private SortableText(FieldType type, boolean nullable) {
    this.type = type;
    this.nullable = nullable;
    this.marked = nullable && (type == FieldType.STRING || type == FieldType.ENUM);
  }

  public static SortableText of(FieldType type, boolean nullable) {
    return new SortableText(type, nullable);
  }

  /**
   * Encodes a value.
   *
   * @param value in any form that {@link FieldType#normalise} takes
   * @throws IllegalArgumentException if it is no value of the type, or null in a field without
   *     nulls
   */
  public String encode(Object value) {
    Object normal = type.normalise(value);
    if (normal == null) {
      if (!nullable) {
        throw new IllegalArgumentException("null in a field that has no nulls");
      }
      return "";
    }
    return switch (type) {
      case STRING, ENUM -> marked ? NOT_NULL + (String) normal : (String) normal;
      case INT, LONG -> NumberText.ofWhole(((Number) normal).longValue());
      case FLOAT -> NumberText.ofFloat((Float) normal);
      case DOUBLE -> NumberText.ofDouble((Double) normal);
      case BOOLEAN -> normal.toString();
      case DATE, TIMESTAMP_MILLIS, TIMESTAMP_MICROS -> TimeText.of(type, normal);
    };
  }

  /**
   * Decodes what {@link #encode} gave.
   *
   * @return the normalised value
   * @throws IllegalArgumentException if {@link #encode} never gives such a text
   */
  public Object decode(String text) {
    if (nullable && text.isEmpty()) {
      return null;
    }
    return switch (type) {
      case STRING, ENUM -> type.normalise(marked ? unmark(text) : text);
      case INT -> whole(text);
      case LONG -> NumberText.toWhole(text);
      case FLOAT -> only(text, NumberText.toFloat(text));
      case DOUBLE -> only(text, NumberText.toDouble(text));
      case BOOLEAN -> bool(text);
      case DATE -> {
        LocalDate usual = TimeText.usualDate(text);
        yield usual == null ? only(text, TimeText.parse(type, text)) : usual;
      }
      case TIMESTAMP_MILLIS, TIMESTAMP_MICROS -> only(text, TimeText.parse(type, text));
    };
  }

  /** The value, if the text that was read as it is the one that {@link #encode} gives for it. */
  private Object only(String text, Object value) {
    if (!encode(value).equals(text)) {
      throw illegal(text, null);
    }
    return value;
  }

  private String unmark(String text) {
    if (text.charAt(0) != NOT_NULL) {
      throw illegal(text, null);
    }
    return text.substring(1);
  }

  private Integer whole(String text) {
    try {
      return Math.toIntExact(NumberText.toWhole(text));
    } catch (ArithmeticException e) {
      throw illegal(text, e);
    }
  }

  private Boolean bool(String text) {
    if (text.equals("true")) {
      return true;
    }
    if (text.equals("false")) {
      return false;
    }
    throw illegal(text, null);
  }

  private IllegalArgumentException illegal(String text, Exception cause) {
    return new IllegalArgumentException(
        "a text of %d characters is no encoded %s".formatted(text.length(), type), cause);
  }
}
