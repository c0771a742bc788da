package io.indexview.cli.output;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** Numbers for people; what is not known shows as a dash. */
public final class Units {
  public static final String UNKNOWN = "-";

  private static final long SECOND = 1_000;
  private static final long MINUTE = 60 * SECOND;
  private static final long HOUR = 60 * MINUTE;

  private Units() {}

  /** A number, or that it is not known. */
  public static Object number(JsonNode value) {
    return value.isNumber() ? (Object) value.longValue() : UNKNOWN;
  }

  /** A text, or that it is not known. */
  public static String text(JsonNode value) {
    return value.isMissingNode() || value.isNull() ? UNKNOWN : value.asText();
  }

  /** Milliseconds as a duration. */
  public static String duration(JsonNode value) {
    if (!value.isNumber()) {
      return UNKNOWN;
    }
    return duration(value.longValue());
  }

  /** Milliseconds as a duration. */
  public static String duration(long millis) {
    if (millis < SECOND) {
      return millis + " ms";
    }
    if (millis < MINUTE) {
      return String.format(Locale.ROOT, "%.1f s", millis / (double) SECOND);
    }
    return millis < HOUR
        ? String.format(Locale.ROOT, "%.1f min", millis / (double) MINUTE)
        : String.format(Locale.ROOT, "%.1f h", millis / (double) HOUR);
  }

  /** How long ago an instant is. */
  public static String age(JsonNode instant, Instant now) {
    return instant.isTextual()
        ? duration(Math.max(0, Instant.parse(instant.asText()).until(now, ChronoUnit.MILLIS)))
        : UNKNOWN;
  }

  /** How long it is until an instant. */
  public static String left(JsonNode instant, Instant now) {
    return duration(Math.max(0, now.until(Instant.parse(instant.asText()), ChronoUnit.MILLIS)));
  }

  /** A part of a whole, in percent; not 100 before it is the whole. */
  public static String percent(long part, long whole) {
    return whole <= 0 ? UNKNOWN : Math.min(part >= whole ? 100 : 99, part * 100 / whole) + " %";
  }
}
