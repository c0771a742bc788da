package io.indexview.streams.controller.actions;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.progress.DeadLetter;
import io.indexview.schemas.serde.WireFormat;
import io.indexview.streams.controller.rules.DeadLetterPosition;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.controller.rules.Finding.RejectedRow;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.SerializationException;

/** The dead letters of one generation, read in their order. For one thread. */
public final class DeadLetterReader {
  private final PublishedGeneration generation;
  private final DeadLetterWindow window;
  private final RejectedRowTracker rejected;
  private final DeadLetterPosition from;
  private final Map<Integer, Long> positions;
  private boolean begun;

  /**
   * @param window that of the target
   * @param rejected learns of every one
   * @param from where it begins, and the topic that it was at before
   */
  public DeadLetterReader(
      PublishedGeneration generation,
      DeadLetterWindow window,
      RejectedRowTracker rejected,
      DeadLetterPosition from) {
    this.generation = generation;
    this.window = window;
    this.rejected = rejected;
    this.from = from;
    this.positions = new HashMap<>(from.next());
  }

  /** The rows that were rejected and are not superseded. */
  RejectedRowTracker rejected() {
    return rejected;
  }

  /**
   * Reads on towards the ends, and tells what it finds. Once there are too many rejected rows there
   * is nothing more to tell.
   *
   * @return whether it is there
   */
  public boolean readTo(Map<TopicPartition, Long> ends, Consumer<Finding> found) {
    begin(found);
    boolean there = true;
    for (Map.Entry<TopicPartition, Long> end : ends.entrySet()) {
      if (rejected.areTooMany()) {
        return true;
      }
      int partition = end.getKey().partition();
      long from = positions.getOrDefault(partition, 0L);
      if (from < end.getValue()) {
        long next =
            window.read(end.getKey(), from, end.getValue(), deadLetter -> take(deadLetter, found));
        positions.put(partition, next);
        there &= next >= end.getValue();
      }
    }
    return there;
  }

  private void begin(Consumer<Finding> found) {
    String topicId = window.topicId();
    if (!begun && !topicId.equals(from.topicId())) {
      if (from.isOfAnother(topicId)) {
        found.accept(Finding.ChangesMissed.ofDeadLetters(generation, window.topic()));
      }
      found.accept(
          new Finding.DeadLettersFollowed(generation.view(), generation.generation(), topicId));
    }
    begun = true;
  }

  private boolean take(ConsumerRecord<byte[], byte[]> message, Consumer<Finding> found) {
    DeadLetter deadLetter = DeadLetter.of(message);
    boolean mine =
        deadLetter
            .topic()
            .map(generation.viewTopic()::equals)
            .orElseGet(() -> isRow(message.key()));
    if (mine && !(deadLetter.retried() && window.sinkRetriesForever())) {
      RejectedRow row =
          new RejectedRow(
              RejectedRowTracker.rowId(message.key()),
              deadLetter.partition(),
              deadLetter.offset(),
              deadLetter.reason());
      rejected.add(row);
      found.accept(
          new Finding.RowRejected(
              generation.view(),
              generation.generation(),
              message.partition(),
              message.offset(),
              row));
    }
    return !rejected.areTooMany();
  }

  /**
   * Each generation has a key schema of its own, so a dead letter without headers is known by it.
   */
  private boolean isRow(byte[] key) {
    try {
      return key != null && WireFormat.schemaId(key) == generation.schemas().key();
    } catch (SerializationException e) {
      return false;
    }
  }
}
