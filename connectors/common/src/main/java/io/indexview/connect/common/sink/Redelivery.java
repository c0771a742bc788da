package io.indexview.connect.common.sink;

import io.indexview.connect.common.errors.TryAgainException;
import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTaskContext;

/**
 * Brings a sink the records again that it could not take while its target was away, as Connect does
 * for a {@link org.apache.kafka.connect.errors.RetriableException}, but for the two lines that
 * Connect logs for each try: an outage takes many. Meanwhile it asks Connect for no others, so that
 * only those wait that came before their partitions were paused. For one thread.
 */
public final class Redelivery {
  private final SinkTaskContext context;
  private final Consumer<Collection<SinkRecord>> sink;
  private final Timer untilNextTry;
  private final Set<TopicPartition> paused = new HashSet<>();
  private List<SinkRecord> waiting = List.of();

  /**
   * @param sink throws {@link TryAgainException} if the same records are to come again
   */
  public Redelivery(SinkTaskContext context, Time time, Consumer<Collection<SinkRecord>> sink) {
    this.context = context;
    this.untilNextTry = new Timer(time);
    this.sink = sink;
  }

  /** Gives the sink what waits, and then what has come; called by {@code put}. */
  public void put(Collection<SinkRecord> arrived) {
    List<SinkRecord> all = new ArrayList<>(waiting);
    all.addAll(arrived);
    if (untilNextTry.isExpired()) {
      bring(all);
    } else {
      keep(all);
    }
  }

  private void bring(Collection<SinkRecord> records) {
    try {
      sink.accept(records);
    } catch (TryAgainException e) {
      untilNextTry.reset(e.after());
      keep(List.copyOf(records));
      return;
    }
    waiting = List.of();
    if (!paused.isEmpty()) {
      resume(context, paused, Set.copyOf(paused));
    }
  }

  private void keep(List<SinkRecord> records) {
    waiting = records;
    // Partitions that were assigned since are not paused yet.
    Set<TopicPartition> assigned = new HashSet<>(context.assignment());
    context.pause(assigned.toArray(TopicPartition[]::new));
    paused.addAll(assigned);
    context.timeout(Math.max(1, untilNextTry.remaining().toMillis()));
  }

  /**
   * Offsets that {@code preCommit} may commit: none beyond what waits, which the sink may not know
   * of.
   *
   * @param committable what it may commit, for all it knows
   */
  public Map<TopicPartition, OffsetAndMetadata> committable(
      Map<TopicPartition, OffsetAndMetadata> committable) {
    if (waiting.isEmpty()) {
      return committable;
    }
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>(committable);
    for (SinkRecord record : waiting) {
      offsets.computeIfPresent(
          CommittableOffsets.partition(record),
          (partition, offset) ->
              offset.offset() <= record.originalKafkaOffset()
                  ? offset
                  : new OffsetAndMetadata(record.originalKafkaOffset()));
    }
    return offsets;
  }

  /**
   * Resumes paused partitions. Also those that are revoked: partitions that are lost, and then
   * given to this task again, would be paused by the worker again.
   *
   * @param paused loses them
   * @param resumed need not be paused
   */
  public static void resume(
      SinkTaskContext context, Set<TopicPartition> paused, Set<TopicPartition> resumed) {
    Set<TopicPartition> going = new HashSet<>(resumed);
    going.retainAll(paused);
    paused.removeAll(going);
    going.retainAll(context.assignment());
    context.resume(going.toArray(TopicPartition[]::new));
  }

  /** Forgets partitions that were closed: other tasks have them now. */
  public void forget(Collection<TopicPartition> partitions) {
    Set<TopicPartition> revoked = Set.copyOf(partitions);
    resume(context, paused, revoked);
    waiting =
        waiting.stream()
            .filter(record -> !revoked.contains(CommittableOffsets.partition(record)))
            .toList();
    if (waiting.isEmpty()) {
      untilNextTry.reset(Duration.ZERO);
    }
  }
}
