package io.indexview.streams.controller.actions;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * What was read last of each partition of a dead-letter topic: all generations of a target read the
 * same, and one of them reads for all that are at the same place. For one thread.
 */
public final class DeadLetterWindow {
  private static final int MAX_MESSAGES = 1_000;
  private static final int MAX_BYTES = 4 << 20;

  private final KafkaLog log;
  private final String topic;
  private final String topicId;
  private final boolean sinkRetriesForever;
  private final Map<TopicPartition, Window> windows = new HashMap<>();

  private record Window(long from, long next, List<ConsumerRecord<byte[], byte[]>> messages) {}

  /**
   * @param topicId Kafka's, of the topic; another one of its name needs another window
   * @param sinkRetriesForever whether a record that it tries again is given up only by a task that
   *     is cancelled, and comes again
   */
  public DeadLetterWindow(KafkaLog log, String topic, String topicId, boolean sinkRetriesForever) {
    this.log = log;
    this.topic = topic;
    this.topicId = topicId;
    this.sinkRetriesForever = sinkRetriesForever;
  }

  String topic() {
    return topic;
  }

  String topicId() {
    return topicId;
  }

  boolean sinkRetriesForever() {
    return sinkRetriesForever;
  }

  /** Reads as {@link KafkaLog#read} does. */
  long read(
      TopicPartition partition,
      long from,
      long to,
      Predicate<ConsumerRecord<byte[], byte[]>> each) {
    Window window = windows.get(partition);
    if (window == null || from < window.from() || from >= window.next()) {
      window = filled(partition, from, to);
      windows.put(partition, window);
    }
    for (ConsumerRecord<byte[], byte[]> message : window.messages()) {
      boolean wanted = message.offset() >= from && message.offset() < to;
      if (wanted && !each.test(message)) {
        return message.offset() + 1;
      }
    }
    return Math.min(window.next(), to);
  }

  private Window filled(TopicPartition partition, long from, long to) {
    List<ConsumerRecord<byte[], byte[]>> messages = new ArrayList<>();
    long[] bytes = {0};
    long next =
        log.read(
            partition,
            from,
            to,
            message -> {
              messages.add(message);
              bytes[0] +=
                  Math.max(0, message.serializedKeySize())
                      + Math.max(0, message.serializedValueSize());
              return messages.size() < MAX_MESSAGES && bytes[0] < MAX_BYTES;
            });
    return new Window(from, next, messages);
  }
}
