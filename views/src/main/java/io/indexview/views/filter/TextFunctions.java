package io.indexview.views.filter;

import com.google.common.collect.ImmutableList;
import com.google.re2j.Pattern;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.exceptions.CelBadFormatException;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelFunctionBinding;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Functions of CEL whose text is nearly always written in the expression: what the text stands for
 * is worked out once. {@code timestamp} takes a plain date, too; {@code matches} and {@code
 * contains} are bounded. Not safe for use by several threads.
 */
final class TextFunctions {
  static final String MATCHES = "matches";
  private static final String MATCHES_ID = "bounded_matches";
  static final String CONTAINS = "contains";
  private static final String CONTAINS_ID = "bounded_contains";
  private static final String TIMESTAMP = "timestamp";
  private static final String TIMESTAMP_ID = "date_or_time_to_timestamp";
  private static final int DATE_LENGTH = "2017-08-20".length();

  private final Map<String, Pattern> patterns;
  private final Map<String, Instant> instants = new HashMap<>();
  private final Steps steps;

  /**
   * @param patterns every pattern that the expression holds
   */
  TextFunctions(Map<String, Pattern> patterns, Steps steps) {
    this.patterns = Map.copyOf(patterns);
    this.steps = steps;
  }

  /** Notes what a text stands for, if it stands for a point in time. */
  void remember(String text) {
    try {
      instants.put(text, parse(text));
    } catch (DateTimeException e) {
      // Evaluating it says so.
    }
  }

  static List<CelFunctionDecl> declarations() {
    return List.of(
        CelFunctionDecl.newFunctionDeclaration(
            MATCHES,
            CelOverloadDecl.newMemberOverload(
                MATCHES_ID, SimpleType.BOOL, SimpleType.STRING, SimpleType.STRING)),
        CelFunctionDecl.newFunctionDeclaration(
            CONTAINS,
            CelOverloadDecl.newMemberOverload(
                CONTAINS_ID, SimpleType.BOOL, SimpleType.STRING, SimpleType.STRING)),
        CelFunctionDecl.newFunctionDeclaration(
            TIMESTAMP,
            CelOverloadDecl.newGlobalOverload(
                TIMESTAMP_ID, SimpleType.TIMESTAMP, SimpleType.STRING)));
  }

  @SuppressWarnings("Immutable") // bound to one filter, which one thread uses
  List<CelFunctionBinding> bindings() {
    return ImmutableList.of(
        CelFunctionBinding.from(MATCHES_ID, String.class, String.class, this::matches),
        CelFunctionBinding.from(CONTAINS_ID, String.class, String.class, this::contains),
        CelFunctionBinding.from(TIMESTAMP_ID, String.class, this::instant));
  }

  private boolean matches(String text, String regex) {
    Pattern pattern = patterns.get(regex);
    steps.take((long) pattern.programSize() * text.length());
    return pattern.matcher(text).find();
  }

  private boolean contains(String text, String part) {
    steps.take((long) text.length() + part.length());
    return TextSearch.contains(text, part);
  }

  private Instant instant(String text) {
    Instant known = instants.get(text);
    if (known != null) {
      return known;
    }
    try {
      return parse(text);
    } catch (DateTimeException e) {
      throw new CelBadFormatException(e);
    }
  }

  private static Instant parse(String text) {
    return text.length() == DATE_LENGTH
        ? LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant()
        : OffsetDateTime.parse(text).toInstant();
  }

  /**
   * Finds a text in another in time that grows with their lengths, not with the product of them.
   */
  static final class TextSearch {
    /** Work up to which the platform's search is quicker, whatever the texts. */
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
}
