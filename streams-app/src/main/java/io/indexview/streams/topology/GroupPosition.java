package io.indexview.streams.topology;

import io.indexview.schemas.time.Time;
import io.indexview.streams.task.TaskServices.AppPosition;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The position of the application's consumer group. An offset is passed if there is no event
 * between what the group committed and it: nobody commits past transaction markers, or past events
 * that retention deleted, where no other event follows. Asks in the background, and only while
 * somebody wants to know. Safe for use by several threads.
 */
public final class GroupPosition implements AppPosition {
  private static final Logger LOGGER = LoggerFactory.getLogger(GroupPosition.class);
  private static final Duration INTERVAL = Duration.ofMillis(500);

  private final Function<Map<TopicPartition, Long>, Set<TopicPartition>> behind;
  private final Executor background;
  private final Time time;
  private final AtomicBoolean asking = new AtomicBoolean();
  private final Map<TopicPartition, Mark> wanted = new ConcurrentHashMap<>();
  private final Map<TopicPartition, Mark> passed = new ConcurrentHashMap<>();
  private volatile long askedAt;

  /** An offset of one of the topics that a name has had. */
  private record Mark(String topicId, long offset) {
    private boolean reaches(Mark other) {
      return topicId.equals(other.topicId) && offset >= other.offset;
    }

    /**
     * The later one; offsets of different topics do not compare, so that the newer topic counts.
     */
    private Mark orLater(Mark newer) {
      return reaches(newer) ? this : newer;
    }
  }

  /**
   * @param behind of some offsets the partitions whose offset the group has not passed, in the
   *     sense of this class; may take its time, and throw {@link KafkaException} if the cluster
   *     does not answer
   * @param background where it is asked, once at a time
   */
  public GroupPosition(
      Function<Map<TopicPartition, Long>, Set<TopicPartition>> behind,
      Executor background,
      Time time) {
    this.behind = behind;
    this.background = background;
    this.time = time;
    this.askedAt = time.nanoTime() - INTERVAL.toNanos();
  }

  @Override
  public boolean hasPassed(String topicId, TopicPartition partition, long offset) {
    Mark mark = new Mark(topicId, offset);
    Mark reached = passed.get(partition);
    if (offset <= 0 || reached != null && reached.reaches(mark)) {
      return true;
    }
    wanted.merge(partition, mark, Mark::orLater);
    if (time.nanoTime() - askedAt >= INTERVAL.toNanos() && asking.compareAndSet(false, true)) {
      askedAt = time.nanoTime();
      background.execute(this::ask);
    }
    return false;
  }

  /**
   * Asks for what is wanted. Callers that get no answer ask again, so a topic that is gone is not
   * asked for for ever.
   */
  private void ask() {
    Map<TopicPartition, Mark> marks = new HashMap<>(wanted);
    wanted.keySet().removeAll(marks.keySet());
    Map<TopicPartition, Long> ends = new HashMap<>();
    marks.forEach((partition, mark) -> ends.put(partition, mark.offset()));
    try {
      marks.keySet().removeAll(behind.apply(ends));
      marks.forEach((partition, mark) -> passed.merge(partition, mark, Mark::orLater));
    } catch (KafkaException e) {
      LOGGER.debug("It is not known now how far the application has come", e);
    } finally {
      asking.set(false);
    }
  }
}
