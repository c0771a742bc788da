package io.indexview.streams.controller.actions;

import io.indexview.schemas.RowHeaders;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.Finding;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does {@link Action.RemoveRows} through a generic Connect sink: each row of the topic gets a
 * tombstone. Rows that were deleted before get another one, which changes nothing and needs no
 * memory.
 */
final class RemovalByTombstones implements Activity {
  private static final int BATCH = 5_000;
  private static final Logger LOGGER = LoggerFactory.getLogger(RemovalByTombstones.class);

  private final Action.RemoveRows action;
  private final ActionContext context;
  private final Map<TopicPartition, Long> positions = new HashMap<>();
  private Map<TopicPartition, Long> rows;
  private Map<TopicPartition, Long> tombstones;

  RemovalByTombstones(Action.RemoveRows action, ActionContext context) {
    this.action = action;
    this.context = context;
  }

  @Override
  public Progress advance(Consumer<Finding> found) {
    if (rows == null) {
      rows = context.ends(action.viewTopic());
      if (rows.isEmpty()) {
        LOGGER.warn(
            "Topic {} was deleted before the rows of its generation: those that target {} has of generation {} of view {} stay there; remove them by hand",
            action.viewTopic(),
            action.target(),
            action.generation(),
            action.view());
      }
    }
    if (tombstones == null) {
      for (Map.Entry<TopicPartition, Long> end : rows.entrySet()) {
        if (!write(end.getKey(), end.getValue())) {
          return Activity.waiting("");
        }
      }
      tombstones = context.ends(action.viewTopic());
    }
    return context.isApplied(action.target(), tombstones)
        ? Activity.answered(Finding.Done.of(action))
        : context.waitingForSink(
            action.target(), "apply the tombstones of generation " + action.generation());
  }

  /** Writes tombstones for the next rows of a partition; whether it has them all. */
  private boolean write(TopicPartition partition, long end) {
    long from = positions.getOrDefault(partition, 0L);
    List<ProducerRecord<byte[], byte[]>> batch = new ArrayList<>();
    long next =
        context
            .log()
            .read(
                partition,
                from,
                end,
                row -> {
                  if (row.value() != null) {
                    batch.add(tombstone(row));
                  }
                  return batch.size() < BATCH;
                });
    context.log().write(batch);
    positions.put(partition, next);
    return next >= end;
  }

  private ProducerRecord<byte[], byte[]> tombstone(ConsumerRecord<byte[], byte[]> row) {
    return new ProducerRecord<>(
        row.topic(),
        row.partition(),
        row.key(),
        null,
        new RowHeaders().of(RowHeaders.revision(row) + 1, action.generation()));
  }
}
