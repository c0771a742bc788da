package io.indexview.views.layout;

import java.util.ArrayList;
import java.util.List;

/**
 * Several texts in one, and back: ordered as the texts are, one after the other, whatever they
 * hold. They are joined by a tab; a tab, and what sorts below or with it, is written as a line feed
 * and a letter. The result is never empty, as key attributes must not be.
 */
final class JoinedText {
  private static final char SEPARATOR = '\t';
  private static final char ESCAPE = '\n';
  private static final char SHIFT = '@';
  private static final String EMPTY = String.valueOf(ESCAPE);

  private JoinedText() {}

  static String join(List<String> texts) {
    StringBuilder joined = new StringBuilder();
    for (int i = 0; i < texts.size(); i++) {
      if (i > 0) {
        joined.append(SEPARATOR);
      }
      append(joined, texts.get(i));
    }
    return joined.isEmpty() ? EMPTY : joined.toString();
  }

  /** What the joined form of every list begins with that begins with these texts and goes on. */
  static String prefix(List<String> texts) {
    StringBuilder joined = new StringBuilder();
    for (String text : texts) {
      append(joined, text);
      joined.append(SEPARATOR);
    }
    return joined.toString();
  }

  /** One text as it stands in the joined form. */
  static String escape(String text) {
    StringBuilder escaped = new StringBuilder(text.length());
    append(escaped, text);
    return escaped.toString();
  }

  /** What is above all joined forms that begin with this and a separator, and below the others. */
  static String behind(String joined) {
    return joined + (char) (SEPARATOR + 1);
  }

  private static void append(StringBuilder joined, String text) {
    for (int i = 0; i < text.length(); i++) {
      char unit = text.charAt(i);
      if (unit <= ESCAPE) {
        joined.append(ESCAPE).append((char) (unit + SHIFT));
      } else {
        joined.append(unit);
      }
    }
  }

  /**
   * Splits what {@link #join} gave.
   *
   * @throws LayoutException if it never gives such a text
   */
  static List<String> split(String joined) {
    List<String> texts = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < joined.length() && !joined.equals(EMPTY); i++) {
      char unit = joined.charAt(i);
      if (unit == SEPARATOR) {
        texts.add(text.toString());
        text.setLength(0);
      } else if (unit == ESCAPE) {
        i++;
        text.append(unescape(joined, i));
      } else {
        text.append(unit);
      }
    }
    texts.add(text.toString());
    return texts;
  }

  private static char unescape(String joined, int index) {
    int unit = index < joined.length() ? joined.charAt(index) - SHIFT : -1;
    if (unit < 0 || unit > ESCAPE) {
      throw new LayoutException("a key attribute holds an escape that is never written");
    }
    return (char) unit;
  }
}
