package io.indexview.streams.controller.actions;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.hash.Sha256;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.controller.rules.Finding.RejectedRow;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * The rows of a generation that its sink rejected, until a later record of the same key was
 * applied. For one thread.
 */
public final class RejectedRowTracker {
  /** Most rows that are followed; the rules give up sooner. */
  static final int MAX_KEPT = 1_000;

  private static final byte[] NO_KEY = {};

  private final PublishedGeneration generation;
  private final KafkaLog log;
  private final Map<String, RejectedRow> rows = new HashMap<>();
  private final Map<Integer, Long> searched = new HashMap<>();
  private boolean tooMany;

  public RejectedRowTracker(
      PublishedGeneration generation, KafkaLog log, Collection<RejectedRow> known) {
    this.generation = generation;
    this.log = log;
    known.forEach(this::add);
  }

  void add(RejectedRow row) {
    RejectedRow before = rows.get(row.row());
    if (tooMany || before != null && before.offset() >= row.offset()) {
      return;
    }
    long later = row.offset() + 1;
    searched.put(
        row.partition(),
        isSearched(row.partition()) ? Math.min(searched.get(row.partition()), later) : later);
    rows.put(row.row(), row);
    if (rows.size() > MAX_KEPT) {
      tooMany = true;
      rows.clear();
    }
  }

  boolean areTooMany() {
    return tooMany;
  }

  /** Whether there is none to search later records of. */
  boolean isEmpty() {
    return rows.isEmpty();
  }

  /**
   * Searches later records of the rows and tells of those that it finds.
   *
   * @param taken the offsets that the sink has committed; every dead letter of an earlier record
   *     was added
   */
  void searchTo(Map<TopicPartition, Long> taken, Consumer<Finding> found) {
    Set<Integer> partitions =
        rows.values().stream().map(RejectedRow::partition).collect(Collectors.toSet());
    for (int number : partitions) {
      TopicPartition partition = new TopicPartition(generation.viewTopic(), number);
      long from = searched.get(number);
      long to = Math.max(from, taken.getOrDefault(partition, 0L));
      searched.put(number, log.read(partition, from, to, message -> take(message, found)));
    }
  }

  private boolean isSearched(int partition) {
    return rows.values().stream().anyMatch(row -> row.partition() == partition);
  }

  private boolean take(ConsumerRecord<byte[], byte[]> message, Consumer<Finding> found) {
    String id = rowId(message.key());
    RejectedRow row = rows.get(id);
    if (row != null && row.partition() == message.partition() && row.offset() < message.offset()) {
      rows.remove(id);
      found.accept(
          new Finding.RowSuperseded(generation.view(), generation.generation(), id, row.offset()));
    }
    return true;
  }

  /** What stands for the key of a row: the same text for the same bytes, of 43 characters. */
  static String rowId(byte[] key) {
    return Sha256.text(key == null ? NO_KEY : key);
  }
}
