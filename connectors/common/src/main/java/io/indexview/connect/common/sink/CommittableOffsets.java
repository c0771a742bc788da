package io.indexview.connect.common.sink;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * What a sink with writes in flight may commit: per partition the lowest offset still in flight, or
 * what the framework has consumed. Counts in original coordinates, because transformations may
 * rename topics while the framework commits what was consumed. Thread-safe: writes complete on
 * other threads.
 */
public final class CommittableOffsets {
  private final Map<TopicPartition, Progress> partitions = new HashMap<>();

  /** A record came and is not applied yet; the same record may come again. */
  public synchronized void received(SinkRecord record) {
    Progress progress = partitions.computeIfAbsent(partition(record), p -> new Progress());
    long offset = record.originalKafkaOffset();
    progress.inFlight.add(offset);
    progress.next = Math.max(progress.next, offset + 1);
  }

  /** The record is durably applied, reported as rejected, or overtaken by a newer one applied. */
  public synchronized void done(SinkRecord record) {
    Progress progress = partitions.get(partition(record));
    if (progress != null) {
      progress.inFlight.remove(record.originalKafkaOffset());
    }
  }

  /**
   * Nothing is to become of these records any more, whether they came or not.
   *
   * @param until exclusive
   */
  public synchronized void giveUp(TopicPartition partition, long first, long until) {
    Progress progress = partitions.get(partition);
    if (progress != null) {
      progress.inFlight.subSet(first, until).clear();
    }
  }

  /** Whether all that came before the record in its partition is done. */
  public synchronized boolean isNext(SinkRecord record) {
    Progress progress = partitions.get(partition(record));
    return progress == null || progress.inFlight.headSet(record.originalKafkaOffset()).isEmpty();
  }

  public synchronized boolean anyInFlight() {
    return partitions.values().stream().anyMatch(progress -> !progress.inFlight.isEmpty());
  }

  /** Records that came and are not done. */
  public synchronized int inFlight() {
    return partitions.values().stream().mapToInt(progress -> progress.inFlight.size()).sum();
  }

  /**
   * Offsets that {@code preCommit} may commit.
   *
   * @param consumed what the framework hands to it: past records, too, that no sink ever sees,
   *     because they could not be converted or a transformation dropped them
   */
  public synchronized Map<TopicPartition, OffsetAndMetadata> committable(
      Map<TopicPartition, OffsetAndMetadata> consumed) {
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>(consumed);
    partitions.forEach(
        (partition, progress) -> {
          OffsetAndMetadata other = consumed.get(partition);
          offsets.put(partition, new OffsetAndMetadata(progress.committable(other)));
        });
    return offsets;
  }

  /** Forgets partitions that were closed: they belong to another task now. */
  public synchronized void forget(Collection<TopicPartition> revoked) {
    revoked.forEach(partitions::remove);
  }

  /** The partition that the record was consumed from. */
  public static TopicPartition partition(SinkRecord record) {
    return new TopicPartition(record.originalTopic(), record.originalKafkaPartition());
  }

  private static final class Progress {
    private final TreeSet<Long> inFlight = new TreeSet<>();
    private long next;

    /**
     * Offset to commit for a partition. With records in flight it does not exceed what the
     * framework has counted: that does not count a batch that is to come again, and complains of an
     * offset behind it, past a transaction's marker.
     *
     * @param consumed null: the framework does not tell
     */
    private long committable(OffsetAndMetadata consumed) {
      if (consumed == null) {
        return inFlight.isEmpty() ? next : inFlight.first();
      }
      return inFlight.isEmpty()
          ? Math.max(next, consumed.offset())
          : Math.min(inFlight.first(), consumed.offset());
    }
  }
}
