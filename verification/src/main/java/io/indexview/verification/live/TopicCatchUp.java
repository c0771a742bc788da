package io.indexview.verification.live;

import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How far the topic of a generation is read while its rows are compared; reads on to its end. Due
 * again an interval after the end was noted that was last reached: the topic keeps deletions for
 * days only. For one thread.
 */
final class TopicCatchUp {
  /** Far less than {@code delete.retention.ms} of the topic; compaction leaves less to read. */
  static final Duration INTERVAL = Duration.ofDays(1);

  private static final Logger LOGGER = LoggerFactory.getLogger(TopicCatchUp.class);
  private static final Duration RETRY = Duration.ofMinutes(1);

  /**
   * Longest time since the topic was last read to its end, even by a process that died up to a day
   * before.
   */
  private static final Duration MAX_UNREAD = Duration.ofDays(3);

  private final RowLog log;
  private final Duration interval;
  private final Time time;

  /** Offsets up to which the topic is read, or is being read. */
  private Map<Integer, Long> end;

  private long endNotedNanos;
  private long dueAtNanos;

  /**
   * @param end offsets up to which somebody else reads the topic
   * @param endAge how long ago they were noted
   */
  TopicCatchUp(RowLog log, Map<Integer, Long> end, Duration endAge, Duration interval, Time time) {
    this.log = log;
    this.end = end;
    this.interval = interval;
    this.time = time;
    endNoted(time.nanoTime() - endAge.toNanos());
  }

  /** Offsets up to which the topic is read, or is being read. */
  Map<Integer, Long> end() {
    return end;
  }

  boolean isDue() {
    return time.nanoTime() - dueAtNanos >= 0;
  }

  /** Reads on to what is the end now. */
  void toEnd(RowLog.Visitor visitor) {
    long notedNanos = time.nanoTime();
    Map<Integer, Long> next = log.ends();
    log.read(end, next, visitor);
    // What was read of a piece before Kafka failed is read once more, which does no harm.
    end = next;
    endNoted(notedNanos);
  }

  /**
   * Like {@link #toEnd}, but if Kafka does not answer, it is only due again soon.
   *
   * @throws RetriableException if Kafka has not answered for so long that deletions may be missed
   */
  void tryToEnd(RowLog.Visitor visitor) {
    try {
      toEnd(visitor);
    } catch (RetriableException e) {
      long now = time.nanoTime();
      if (now - endNotedNanos > MAX_UNREAD.toNanos()) {
        throw e;
      }
      LOGGER.warn(
          "What was derived meanwhile cannot be read now, tried again in a minute: {}",
          e.toString());
      dueAtNanos = now + RETRY.toNanos();
    }
  }

  private void endNoted(long atNanos) {
    endNotedNanos = atNanos;
    dueAtNanos = atNanos + interval.toNanos();
  }
}
