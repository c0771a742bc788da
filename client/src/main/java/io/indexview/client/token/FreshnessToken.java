package io.indexview.client.token;

import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where the change event of a write lies. A read that is given it waits until the view includes
 * that write; as text it carries over between processes.
 *
 * @param topic the primary-change topic
 */
public record FreshnessToken(String topic, int partition, long offset) {
  private static final Pattern TEXT =
      Pattern.compile("([A-Za-z0-9._-]{1,249}):(\\d{1,9}):(\\d{1,18})");

  public FreshnessToken {
    Objects.requireNonNull(topic, "topic");
  }

  /**
   * Reads {@link #toString} back.
   *
   * @throws IllegalArgumentException if it is no token
   */
  public static FreshnessToken parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "freshness token \"%s\": use what a write returned, topic:partition:offset"
              .formatted(text));
    }
    return new FreshnessToken(
        matcher.group(1), Integer.parseInt(matcher.group(2)), Long.parseLong(matcher.group(3)));
  }

  @Override
  public String toString() {
    return topic + ":" + partition + ":" + offset;
  }
}
