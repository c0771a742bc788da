package io.indexview.streams.generation;

import io.indexview.schemas.progress.KafkaAnswers;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * What brokers say of topics. Methods that wait for an answer throw {@link
 * org.apache.kafka.common.KafkaException}; the retriable ones are worth a retry.
 */
public interface TopicDescriptions {

  /**
   * Asks for all of the topics in one request. The answer of one that does not exist fails with
   * {@link UnknownTopicOrPartitionException}; no answer fails because of another topic.
   */
  Map<String, KafkaFuture<Description>> describe(Collection<String> topics);

  /** Descriptions of those topics that exist, asked for in one request. */
  default Map<String, Description> existing(Collection<String> topics) {
    Map<String, Description> existing = new HashMap<>();
    describe(topics)
        .forEach((topic, answer) -> found(answer).ifPresent(found -> existing.put(topic, found)));
    return existing;
  }

  private static Optional<Description> found(KafkaFuture<Description> answer) {
    try {
      return Optional.of(KafkaAnswers.await(answer));
    } catch (UnknownTopicOrPartitionException e) {
      return Optional.empty();
    }
  }

  private Optional<Description> find(String topic) {
    return Optional.ofNullable(existing(List.of(topic)).get(topic));
  }

  /** Number of partitions of a topic; empty if there is no such topic. */
  default OptionalInt partitions(String topic) {
    return find(topic).map(found -> OptionalInt.of(found.partitions())).orElse(OptionalInt.empty());
  }

  /** Kafka's id of a topic; empty if there is no such topic. */
  default Optional<String> topicId(String topic) {
    return find(topic).map(Description::id);
  }

  /**
   * What is asked of a topic.
   *
   * @param id Kafka's
   * @param partitions their number
   * @param replicas of the partition that has the fewest
   */
  record Description(String id, int partitions, int replicas) {}
}
