package io.indexview.streams.task;

import java.util.Optional;

/** Which topic there is: one that was deleted and created again is another one. */
@FunctionalInterface
public interface TopicIdentity {

  /**
   * Kafka's id of a topic as it was a little while ago; empty while it is not known. Returns at
   * once.
   */
  Optional<String> of(String topic);
}
