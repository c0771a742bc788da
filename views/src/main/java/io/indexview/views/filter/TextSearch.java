package io.indexview.views.filter;

/** Finds a text in another in time that grows with their lengths, not with the product of them. */
final class TextSearch {
  /** Up to here the platform's search is quicker, whatever the texts. */
  private static final long FEW = 1 << 16;

  private TextSearch() {}

  static boolean contains(String text, String part) {
    return (long) text.length() * part.length() <= FEW
        ? text.contains(part)
        : part.length() <= text.length() && find(text, part);
  }

  /** Knuth, Morris and Pratt. */
  private static boolean find(String text, String part) {
    int[] borders = borders(part);
    int matched = 0;
    for (int i = 0; i < text.length(); i++) {
      matched = next(part, borders, matched, text.charAt(i));
      if (matched == part.length()) {
        return true;
      }
    }
    return false;
  }

  /** How long the text is that each beginning of the part both begins and ends with. */
  private static int[] borders(String part) {
    int[] borders = new int[part.length() + 1];
    for (int i = 1; i < part.length(); i++) {
      borders[i + 1] = next(part, borders, borders[i], part.charAt(i));
    }
    return borders;
  }

  private static int next(String part, int[] borders, int matched, char following) {
    int length = matched;
    while (length > 0 && part.charAt(length) != following) {
      length = borders[length];
    }
    return part.charAt(length) == following ? length + 1 : 0;
  }
}
