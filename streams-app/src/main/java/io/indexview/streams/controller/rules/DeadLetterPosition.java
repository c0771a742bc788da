package io.indexview.streams.controller.rules;

import java.util.Map;
import java.util.Objects;

/**
 * How far the dead letters of a generation are read.
 *
 * @param topicId Kafka's id of the dead-letter topic; empty: nobody has looked
 * @param next offset to read next in each partition of that topic; absent: 0
 */
public record DeadLetterPosition(String topicId, Map<Integer, Long> next) {
  public static final DeadLetterPosition NONE = new DeadLetterPosition("", Map.of());

  public DeadLetterPosition {
    Objects.requireNonNull(topicId, "topicId");
    next = Map.copyOf(next);
  }

  /** Whether it says how far another topic is read, which was deleted. */
  public boolean isOfAnother(String topic) {
    return !topicId.isEmpty() && !topicId.equals(topic);
  }
}
