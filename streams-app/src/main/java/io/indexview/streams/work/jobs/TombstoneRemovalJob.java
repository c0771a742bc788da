package io.indexview.streams.work.jobs;

import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.streams.topology.RowHeaders;
import io.indexview.streams.work.Job;
import io.indexview.streams.work.Look;
import io.indexview.streams.work.Surroundings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;

/**
 * Does {@link Work.RemoveRows} through a stock sink: each row of the topic gets a tombstone. Rows
 * that were deleted before get another one, which changes nothing and needs no memory.
 */
final class TombstoneRemovalJob implements Job {
  private static final int BATCH = 5_000;

  private final Work.RemoveRows work;
  private final Surroundings around;
  private final Map<TopicPartition, Long> positions = new HashMap<>();
  private Map<TopicPartition, Long> rows;
  private Map<TopicPartition, Long> tombstones;

  TombstoneRemovalJob(Work.RemoveRows work, Surroundings around) {
    this.work = work;
    this.around = around;
  }

  @Override
  public Look look(Consumer<WorkResult> told) {
    if (rows == null) {
      rows = around.ends(work.viewTopic());
    }
    if (tombstones == null) {
      for (Map.Entry<TopicPartition, Long> end : rows.entrySet()) {
        if (!write(end.getKey(), end.getValue())) {
          return Look.waiting("");
        }
      }
      tombstones = around.ends(work.viewTopic());
    }
    return around.isApplied(work.target(), tombstones)
        ? Look.answered(WorkResult.Done.of(work))
        : Look.waiting(
            "consumer group %s, the sink of target %s, to apply the tombstones of generation %d"
                .formatted(around.sinkGroup(work.target()), work.target(), work.generation()));
  }

  /** Writes tombstones for the next rows of a partition; whether it has them all. */
  private boolean write(TopicPartition partition, long end) {
    long from = positions.getOrDefault(partition, 0L);
    List<ProducerRecord<byte[], byte[]>> batch = new ArrayList<>();
    long next =
        around
            .reader()
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
    around.writer().write(batch);
    positions.put(partition, next);
    return next >= end;
  }

  private ProducerRecord<byte[], byte[]> tombstone(ConsumerRecord<byte[], byte[]> row) {
    return new ProducerRecord<>(
        row.topic(),
        row.partition(),
        row.key(),
        null,
        new RowHeaders().of(revision(row) + 1, work.generation()));
  }

  private static long revision(ConsumerRecord<byte[], byte[]> row) {
    Header header = row.headers().lastHeader(RowHeaders.REVISION);
    if (header == null) {
      throw new IllegalStateException(
          "topic %s, partition %d, offset %d: a row without header %s"
              .formatted(row.topic(), row.partition(), row.offset(), RowHeaders.REVISION));
    }
    return Long.parseLong(new String(header.value(), StandardCharsets.UTF_8));
  }
}
