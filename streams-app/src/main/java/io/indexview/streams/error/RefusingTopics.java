package io.indexview.streams.error;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TopicAuthorizationException;

/**
 * Topics of views that refuse rows: the right to write them is gone, or they do not take rows of
 * that size. One refused row aborts the transaction with all that is in it, so after a while
 * nothing is written there any more. For all tasks of a process; safe for use by several threads.
 */
public final class RefusingTopics {
  static final Duration LASTING = Duration.ofSeconds(3);
  static final Duration NEW = Duration.ofMinutes(1);

  /** The next row comes only when the state is restored, which may take hours. */
  static final Duration FORGOTTEN = Duration.ofHours(12);

  private final Predicate<String> isOfView;
  private final Clock clock;
  private final Map<String, Refusal> refusals = new ConcurrentHashMap<>();

  private record Refusal(Instant first, Instant last, String reason) {
    Refusal again(Refusal other) {
      return other.first.isAfter(last.plus(FORGOTTEN))
          ? other
          : new Refusal(first, other.last, other.reason);
    }

    boolean isLasting() {
      return !last.isBefore(first.plus(LASTING));
    }
  }

  /**
   * @param isOfView tells topics of views from others, which are not left out
   */
  public RefusingTopics(Predicate<String> isOfView, Clock clock) {
    this.isOfView = isOfView;
    this.clock = clock;
  }

  /** Notes why a record could not be written, if its topic is one of a view and refused it. */
  public void note(String topic, Exception failure) {
    if (isRefusal(failure) && isOfView.test(topic)) {
      Instant now = clock.instant();
      Refusal refusal =
          new Refusal(now, now, "topic %s refuses rows: %s".formatted(topic, failure.getMessage()));
      refusals.merge(
          topic, refusal, (known, again) -> known.isLasting() ? known : known.again(again));
    }
  }

  private static boolean isRefusal(Exception failure) {
    return failure instanceof TopicAuthorizationException
        || failure instanceof RecordTooLargeException
        || failure instanceof InvalidRecordException
        || failure instanceof InvalidTimestampException;
  }

  /** Why a topic is not to be written; empty: it may be. */
  public Optional<String> reason(String topic) {
    return refusals.isEmpty()
        ? Optional.empty()
        : Optional.ofNullable(refusals.get(topic)).filter(Refusal::isLasting).map(Refusal::reason);
  }

  /** Whether a row was refused a moment ago: what fails now fails for that. */
  public boolean isNew() {
    Instant since = clock.instant().minus(NEW);
    return refusals.values().stream().anyMatch(refusal -> refusal.last.isAfter(since));
  }
}
