package io.indexview.views.definition;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How often a view is verified, as definitions spell it. */
final class VerificationInterval {
  private static final String NEVER = "never";
  private static final Pattern TEXT = Pattern.compile("([1-9]\\d{0,5})([mhd])");

  private VerificationInterval() {}

  /** Empty: it is none. */
  static Optional<Duration> of(String text) {
    if (text.equals(NEVER)) {
      return Optional.of(Duration.ZERO);
    }
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long number = Long.parseLong(matcher.group(1));
    return Optional.of(
        switch (matcher.group(2)) {
          case "m" -> Duration.ofMinutes(number);
          case "h" -> Duration.ofHours(number);
          default -> Duration.ofDays(number);
        });
  }

  /** Text of an interval in the largest unit that divides it. */
  static String text(Duration interval) {
    long minutes = interval.toMinutes();
    if (minutes == 0) {
      return NEVER;
    }
    if (minutes % Duration.ofDays(1).toMinutes() == 0) {
      return interval.toDays() + "d";
    }
    return minutes % Duration.ofHours(1).toMinutes() == 0
        ? interval.toHours() + "h"
        : minutes + "m";
  }
}
