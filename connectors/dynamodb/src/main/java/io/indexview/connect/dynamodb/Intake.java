package io.indexview.connect.dynamodb;

import io.indexview.connect.common.errors.Occurrences;
import java.time.Clock;
import java.time.Duration;
import java.util.function.Predicate;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkTaskContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks Kafka for no more while too many records wait, until half of them are done. What has come is
 * never refused for that: the worker would log it as an error each time. For one thread.
 */
final class Intake {
  private static final Logger LOGGER = LoggerFactory.getLogger(Intake.class);

  private final SinkTaskContext context;
  private final int max;
  private final Predicate<TopicPartition> waits;
  private final Clock clock;
  private final Occurrences full = new Occurrences(Duration.ofMinutes(1));
  private boolean paused;

  /**
   * @param max records that wait at most, give or take one poll
   * @param waits of which partitions records may wait
   */
  Intake(SinkTaskContext context, int max, Predicate<TopicPartition> waits, Clock clock) {
    this.context = context;
    this.max = max;
    this.waits = waits;
    this.clock = clock;
  }

  /**
   * Says how many records wait now. As long as they are too many this pauses every time: partitions
   * that were assigned since are not paused yet.
   */
  void adjust(int waiting) {
    if (waiting >= max) {
      tell(waiting);
      paused = true;
      context.pause(partitions());
    } else if (paused && waiting <= max / 2) {
      paused = false;
      context.resume(partitions());
    }
  }

  private void tell(int waiting) {
    if (!paused && full.occurred(clock.millis()) > 0) {
      LOGGER.info(
          "{} records wait for DynamoDB; taking no more until it has taken half of {}",
          waiting,
          max);
    }
  }

  private TopicPartition[] partitions() {
    return context.assignment().stream().filter(waits).toArray(TopicPartition[]::new);
  }
}
