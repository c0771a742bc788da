package io.indexview.connect.dynamodb;

import io.indexview.connect.common.errors.Occurrences;
import io.indexview.connect.common.sink.Redelivery;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkTaskContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks Kafka for no more of all partitions with rows while too many records wait, until half of
 * them are done, and of single ones while theirs are held. What has come is never refused for that:
 * the worker would log it as an error each time. For one thread.
 */
final class Backpressure {
  private static final Logger LOGGER = LoggerFactory.getLogger(Backpressure.class);

  private final SinkTaskContext context;
  private final int max;
  private final Predicate<String> isHeld;
  private final Predicate<String> hasRows;
  private final Clock clock;
  private final Occurrences full = new Occurrences(Duration.ofMinutes(1));
  private final Set<TopicPartition> paused = new HashSet<>();
  private boolean isFull;

  /**
   * @param max records that wait at most, give or take one poll
   * @param hasRows of which topics records may wait
   * @param isHeld of which of them none can be written now
   */
  Backpressure(
      SinkTaskContext context,
      int max,
      Predicate<String> hasRows,
      Predicate<String> isHeld,
      Clock clock) {
    this.context = context;
    this.max = max;
    this.hasRows = hasRows;
    this.isHeld = isHeld;
    this.clock = clock;
  }

  /**
   * Pauses and resumes as is called for now. Not only when something changes: partitions that were
   * assigned since are not paused yet.
   *
   * @param waiting records that can be written, and are not yet
   * @param held records that cannot be written
   */
  void adjust(int waiting, int held) {
    if (waiting >= max) {
      tell(waiting);
      isFull = true;
    } else if (waiting <= max / 2) {
      isFull = false;
    }
    if (isFull || held > 0 || !paused.isEmpty()) {
      pauseAndResume();
    }
  }

  /** Forgets partitions that were revoked: other tasks have them now. */
  void forget(Set<TopicPartition> revoked) {
    Redelivery.resume(context, paused, revoked);
  }

  private void tell(int waiting) {
    if (!isFull && full.occurred(clock.millis()) > 0) {
      LOGGER.info(
          "{} records wait for DynamoDB; taking no more until it has taken half of {}",
          waiting,
          max);
    }
  }

  private void pauseAndResume() {
    Set<TopicPartition> assigned = context.assignment();
    Set<TopicPartition> wanted =
        assigned.stream()
            .filter(partition -> hasRows.test(partition.topic()))
            .filter(partition -> isFull || isHeld.test(partition.topic()))
            .collect(Collectors.toSet());
    paused.retainAll(assigned);
    paused.removeAll(wanted);
    context.resume(paused.toArray(TopicPartition[]::new));
    paused.clear();
    paused.addAll(wanted);
    context.pause(wanted.toArray(TopicPartition[]::new));
  }
}
