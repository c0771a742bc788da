package io.indexview.views.encoding;

/**
 * Text form of the values of one key field. The UTF-8 bytes of two texts, compared unsigned, are
 * ordered as the values are ({@link FieldType#compare}); two values never share a text, and {@link
 * #decode} gives the value back. Thread-safe.
 */
public final class SortableText {
  private final FieldType type;
  private final boolean nullable;

  private SortableText(FieldType type, boolean nullable) {
    this.type = type;
    this.nullable = nullable;
  }

  public static SortableText of(FieldType type, boolean nullable) {
    return new SortableText(type, nullable);
  }

  /**
   * @param value in any form that {@link FieldType#normalise} takes
   * @throws IllegalArgumentException if it is no value of the type, or null in a field without
   *     nulls
   */
  public String encode(Object value) {
    throw new IllegalStateException("not built yet: " + type + nullable);
  }

  /**
   * @return the normalised value
   * @throws IllegalArgumentException if {@link #encode} never gives such a text
   */
  public Object decode(String text) {
    throw new IllegalStateException("not built yet");
  }
}
