package io.indexview.streams.controller.actions;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;

/**
 * Tells whether a sink may have missed deletions of one view topic because it is too far behind.
 * What is kept is kept long, so a scan, which takes reading of every partition where the sink is
 * behind, is taken some hundred times while a deletion is kept, and no more. For one thread.
 */
final class SinkRetention {
  private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(10);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);
  private static final int SCANS_WHILE_KEPT = 100;

  private final String viewTopic;
  private final String group;
  private final ActionContext context;
  private Instant due = Instant.MIN;

  /**
   * @param group consumer group of the sink
   */
  SinkRetention(String viewTopic, String group, ActionContext context) {
    this.viewTopic = viewTopic;
    this.group = group;
    this.context = context;
  }

  /** Why the group may have missed deletions of the topic; empty: not that it is known. */
  Optional<String> missed() {
    Instant now = context.clock().instant();
    if (now.isBefore(due)) {
      return Optional.empty();
    }
    Map<TopicPartition, Long> ends = context.ends(viewTopic);
    Duration kept = ends.isEmpty() ? Duration.ZERO : context.cluster().deleteRetention(viewTopic);
    due = now.plus(pause(kept));
    return ends.isEmpty()
        ? Optional.empty()
        : cutOff().or(() -> waitsTooLong(ends, kept, now.minus(kept)));
  }

  static Duration pause(Duration kept) {
    Duration pause = kept.dividedBy(SCANS_WHILE_KEPT);
    if (pause.compareTo(SHORTEST_PAUSE) < 0) {
      return SHORTEST_PAUSE;
    }
    return pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
  }

  private Optional<String> cutOff() {
    Map<TopicPartition, Long> starts = context.log().starts(viewTopic);
    Map<TopicPartition, Long> committed = context.log().committed(group);
    return starts.entrySet().stream()
        .filter(start -> committed.getOrDefault(start.getKey(), 0L) < start.getValue())
        .findFirst()
        .map(
            start ->
                "consumer group %s is at offset %d of %s, which begins at %d"
                    .formatted(
                        group,
                        committed.getOrDefault(start.getKey(), 0L),
                        start.getKey(),
                        start.getValue()));
  }

  private Optional<String> waitsTooLong(
      Map<TopicPartition, Long> ends, Duration kept, Instant oldest) {
    return context.log().oldestBehind(group, ends).entrySet().stream()
        .filter(first -> Instant.ofEpochMilli(first.getValue()).isBefore(oldest))
        .findFirst()
        .map(
            first ->
                "consumer group %s has not applied a row of %s since %s; deletions are kept for %s only"
                    .formatted(
                        group, first.getKey(), Instant.ofEpochMilli(first.getValue()), kept));
  }
}
