package io.indexview.streams.controller.actions;

import io.indexview.streams.config.TargetConfig;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * How far the sink of a target is, asked once for all who watch it: two requests per target in a
 * round of watches, however many views and partitions there are. For one thread.
 */
public final class SinkPositions {
  private static final Duration FRESH = Duration.ofMillis(500);

  private final TargetConfig target;
  private final ActionContext context;
  private Beat last;
  private Instant stale = Instant.MIN;

  public SinkPositions(TargetConfig target, ActionContext context) {
    this.target = target;
    this.context = context;
  }

  /**
   * @param taken the offsets that the sink has committed
   * @param deadLetters the ends of its dead-letter topic, asked after that: every dead letter of a
   *     record that it has taken lies before them
   */
  record Beat(Map<TopicPartition, Long> taken, Map<TopicPartition, Long> deadLetters) {}

  Beat beat() {
    Instant now = context.clock().instant();
    if (!now.isBefore(stale)) {
      Map<TopicPartition, Long> taken = context.log().committed(target.sinkGroup());
      last = new Beat(taken, context.ends(target.deadLetterTopic()));
      stale = now.plus(FRESH);
    }
    return last;
  }
}
