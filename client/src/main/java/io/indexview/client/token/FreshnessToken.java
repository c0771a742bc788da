package io.indexview.client.token;

import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.Uuid;

/**
 * Where the change event of a write lies. A read that is given it waits until the view includes
 * that write; as text it carries over between processes.
 *
 * @param topic the primary-change topic
 * @param topicId id of that topic, which a topic created anew under the name does not have; empty:
 *     not known to the writer
 */
public record FreshnessToken(String topic, Optional<Uuid> topicId, int partition, long offset) {
  private static final String VERSION = "v1";
  private static final String SEPARATOR = "~";
  private static final Pattern TOPIC = Pattern.compile("[A-Za-z0-9._-]{1,249}");
  private static final Pattern TEXT =
      Pattern.compile("v1~([A-Za-z0-9._-]{1,249})~(\\d{1,9})~(\\d{1,18})(?:~([A-Za-z0-9_-]{22}))?");

  /**
   * @throws IllegalArgumentException if no topic has such a name, or a number is negative
   */
  public FreshnessToken {
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(topicId, "topicId");
    if (!TOPIC.matcher(topic).matches() || partition < 0 || offset < 0) {
      throw new IllegalArgumentException(
          "freshness token: no record lies at \"%s\" partition %d offset %d"
              .formatted(topic, partition, offset));
    }
  }

  /** Token of a writer that does not know the topic's id. */
  public FreshnessToken(String topic, int partition, long offset) {
    this(topic, Optional.empty(), partition, offset);
  }

  /**
   * Reads {@link #toString} back.
   *
   * @throws InvalidFreshnessTokenException if it is no token
   */
  public static FreshnessToken parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      throw new InvalidFreshnessTokenException(
          "\"%s\" is none; use what a write returned, v1~topic~partition~offset"
              .formatted(text.length() <= 300 ? text : text.substring(0, 300) + "…"));
    }
    return new FreshnessToken(
        matcher.group(1),
        Optional.ofNullable(matcher.group(4)).map(Uuid::fromString),
        Integer.parseInt(matcher.group(2)),
        Long.parseLong(matcher.group(3)));
  }

  /** Text that is safe in URLs as it is. */
  @Override
  public String toString() {
    String text = String.join(SEPARATOR, VERSION, topic, partition + "", offset + "");
    return topicId.map(id -> text + SEPARATOR + id).orElse(text);
  }

  /** A freshness token that no read can wait for: no token, or of other records than the view's. */
  public static final class InvalidFreshnessTokenException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    public InvalidFreshnessTokenException(String message) {
      super("freshness token: " + message);
    }
  }
}
