package io.indexview.schemas.control;

import java.util.Locale;

/**
 * Constants of control records and metadata. Most of their fields are texts, so that a release can
 * name one that it does not know; an Avro enum gives its default.
 */
public final class EnumFields {
  private EnumFields() {}

  /**
   * The constant that a field names.
   *
   * @param text its name, in any case
   * @throws IllegalArgumentException if this release has none of the name; says so
   */
  public static <E extends Enum<E>> E constant(Class<E> type, String field, Object text) {
    try {
      return Enum.valueOf(type, text.toString().toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "field \"%s\" is \"%s\", which this release does not know".formatted(field, text), e);
    }
  }
}
