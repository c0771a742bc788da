package io.indexview.streams.task;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;

/**
 * What the consumers of this process could not read any more, until the task of the partition tells
 * it. Safe for use by several threads.
 */
public final class TrimmedEvents {
  private final Map<TopicPartition, Trimmed> untold = new ConcurrentHashMap<>();

  /**
   * @param from offset that was to be read next
   * @param to offset that the partition begins at
   */
  public record Trimmed(long from, long to) {}

  /** The events between the offsets were deleted before they were read. */
  public void found(TopicPartition partition, long from, long to) {
    untold.put(partition, new Trimmed(from, to));
  }

  /**
   * A task of the partition begins. What the one before did not tell was found once more, and told,
   * where the partition was meanwhile, or will be here.
   */
  public void forget(TopicPartition partition) {
    untold.remove(partition);
  }

  /**
   * Returns what was trimmed of a partition, once. Report it in the transaction that goes on behind
   * it: when that is aborted, the consumer finds it once more.
   */
  public Optional<Trimmed> take(TopicPartition partition) {
    return untold.isEmpty() ? Optional.empty() : Optional.ofNullable(untold.remove(partition));
  }
}
