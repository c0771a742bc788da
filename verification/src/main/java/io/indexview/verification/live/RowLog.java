package io.indexview.verification.live;

import io.indexview.verification.RowContent;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The committed rows that the streams app derived, as they lie on the compacted topic of a
 * generation: the newest record of each row is what stands. For one thread at a time.
 *
 * <p>All methods throw {@link org.apache.kafka.common.KafkaException} if the cluster does not
 * answer.
 */
public interface RowLog extends AutoCloseable {

  /** The end of each partition, behind the records of open transactions, too. */
  Map<Integer, Long> ends();

  /** Whether the sink has applied every committed record before the ends, and no other can come. */
  boolean isApplied(Map<Integer, Long> ends);

  /** Takes the rows; what it throws ends the reading. */
  @FunctionalInterface
  interface Visitor {
    /**
     * @param row empty: it was deleted
     */
    void change(String id, Optional<RowContent> row);
  }

  /**
   * Passes on the committed changes of rows in the order of their partition; compacted ones are
   * left out. Waits for transactions that are open.
   *
   * @param from first offset of each partition; absent: from the first
   * @param to first offset that is not read, of each partition
   */
  void read(Map<Integer, Long> from, Map<Integer, Long> to, Visitor visitor);

  /**
   * Ids of some rows from all over the committed changes, in any order, also of deleted ones.
   *
   * @param ends first offset that is not read, of each partition
   * @param rows about how many; may be fewer, or none
   */
  default List<String> sample(Map<Integer, Long> ends, int rows) {
    return List.of();
  }

  @Override
  void close();
}
