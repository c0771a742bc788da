package io.indexview.schemas.progress;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * Committed data records that were seen a moment ago, one per partition, so that a group that is
 * far behind one need not be found behind by reading again. Forgotten soon: compaction may take the
 * record away, and nobody commits past it then. For one thread.
 */
final class Witnesses {
  private static final Duration KEPT = Duration.ofSeconds(2);

  private final Map<TopicPartition, Witness> seen = new HashMap<>();

  private record Witness(long offset, long forgottenAtNanos) {}

  void add(TopicPartition partition, long offset) {
    seen.put(partition, new Witness(offset, System.nanoTime() + KEPT.toNanos()));
  }

  /**
   * Whether a record is known in the partition between two offsets.
   *
   * @param from inclusive
   * @param to exclusive
   */
  boolean isBetween(TopicPartition partition, long from, long to) {
    Witness witness = seen.get(partition);
    return witness != null
        && witness.offset() >= from
        && witness.offset() < to
        && System.nanoTime() - witness.forgottenAtNanos() < 0;
  }
}
