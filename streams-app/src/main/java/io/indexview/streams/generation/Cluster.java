package io.indexview.streams.generation;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * The topics of the Kafka cluster. Methods throw {@link org.apache.kafka.common.KafkaException};
 * the retriable ones are worth a retry.
 */
public interface Cluster extends TopicDescriptions {

  /** How many brokers there are now. */
  int brokers();

  /** Kafka's ids of all topics but the cluster's own, by name. */
  Map<String, String> topics();

  /**
   * Whether there is no such topic. Asks the broker that creates topics: any other one may not have
   * heard of a topic yet.
   */
  boolean isGone(String topic);

  /** How long deletions stay on a compacted topic. */
  Duration deleteRetention(String topic);

  /** What keeps a topic small: {@code delete}, {@code compact}, or both. */
  Set<String> cleanupPolicies(String topic);

  /** Offset of the first record that a topic still holds, by partition. */
  Map<Integer, Long> beginnings(String topic);

  /**
   * The partitions that each member of a consumer group has, by its id; none where there is no such
   * group. Empty while the members share the partitions anew.
   */
  Optional<Map<String, Set<TopicPartition>>> assignment(String group);

  /** Deletes a topic if there is one. */
  void delete(String topic);

  /** Creates those of the topics that do not exist; the others stay as they are. */
  void createMissing(List<TopicSpec> topics);

  /**
   * Makes a topic as it is to be, whether there is one or not: a broker may have created one of its
   * own for whoever asked for it. Partitions that there are too many of stay.
   */
  void restore(TopicSpec topic);

  /** A topic as it is to be created; the replication factor is the same for all. */
  record TopicSpec(String name, int partitions, Map<String, String> configs) {
    public TopicSpec {
      configs = Map.copyOf(configs);
    }
  }
}
