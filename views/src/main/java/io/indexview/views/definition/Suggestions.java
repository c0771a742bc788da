package io.indexview.views.definition;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;

/** What the author of a misspelt name may have meant. */
final class Suggestions {
  private static final int SHOWN = 12;

  private Suggestions() {}

  /** A remedy: the nearest known name, or the known names. */
  static String remedy(String name, Collection<String> known) {
    String nearest =
        known.stream().min(Comparator.comparingInt(other -> distance(name, other))).orElse("");
    if (!nearest.isEmpty() && distance(name, nearest) <= 1 + nearest.length() / 4) {
      return "did you mean \"" + nearest + "\"?";
    }
    if (known.isEmpty()) {
      return "there are none";
    }
    String shown = String.join(", ", known.stream().limit(SHOWN).toList());
    return "use one of " + shown + (known.size() > SHOWN ? ", ..." : "");
  }

  /** Levenshtein distance, letter case aside. */
  private static int distance(String one, String two) {
    String left = one.toLowerCase(Locale.ROOT);
    String right = two.toLowerCase(Locale.ROOT);
    int[] previous = new int[right.length() + 1];
    for (int j = 0; j <= right.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= left.length(); i++) {
      int[] current = new int[right.length() + 1];
      current[0] = i;
      for (int j = 1; j <= right.length(); j++) {
        int change = left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1;
        current[j] = Math.min(previous[j - 1] + change, Math.min(previous[j], current[j - 1]) + 1);
      }
      previous = current;
    }
    return previous[right.length()];
  }
}
