package io.indexview.schemas.serde;

/** Tells texts that UTF-8 can hold from those that would be written with a question mark. */
public final class Surrogates {
  private Surrogates() {}

  /** Whether a text has half a surrogate pair, which is no character. */
  public static boolean anyAlone(String text) {
    return indexOfAlone(text) >= 0;
  }

  /** Index of the first surrogate that has no other half; negative: there is none. */
  public static int indexOfAlone(String text) {
    for (int i = 0; i < text.length(); i++) {
      char unit = text.charAt(i);
      if (!Character.isSurrogate(unit)) {
        continue;
      }
      boolean paired = i + 1 < text.length() && Character.isSurrogatePair(unit, text.charAt(i + 1));
      if (!paired) {
        return i;
      }
      i++;
    }
    return -1;
  }
}
