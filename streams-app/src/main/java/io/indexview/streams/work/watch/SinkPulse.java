package io.indexview.streams.work.watch;

import io.indexview.streams.config.TargetConfig;
import io.indexview.streams.work.Surroundings;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * How far the sink of a target is, asked once for all who watch it: two requests per target in a
 * round of watches, however many views and partitions there are. For one thread.
 */
public final class SinkPulse {
  private static final Duration FRESH = Duration.ofMillis(500);

  private final TargetConfig target;
  private final Surroundings around;
  private Beat last;
  private Instant stale = Instant.MIN;

  public SinkPulse(TargetConfig target, Surroundings around) {
    this.target = target;
    this.around = around;
  }

  /**
   * @param taken the offsets that the sink has committed
   * @param letters the ends of its dead-letter topic, asked after that: every dead letter of a
   *     record that it has taken lies before them
   */
  record Beat(Map<TopicPartition, Long> taken, Map<TopicPartition, Long> letters) {}

  Beat beat() {
    Instant now = around.clock().instant();
    if (!now.isBefore(stale)) {
      Map<TopicPartition, Long> taken = around.positions().committed(target.sinkGroup());
      last = new Beat(taken, around.ends(target.deadLetterTopic()));
      stale = now.plus(FRESH);
    }
    return last;
  }
}
