package io.indexview.streams.generation;

import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.generation.Cluster.TopicSpec;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The application's own topics, as they have to be. Brokers that create topics by themselves make
 * one of their own kind for whoever asks for it first, and would delete what nobody writes again.
 */
public record OwnTopics(Cluster cluster) {
  private static final Logger LOGGER = LoggerFactory.getLogger(OwnTopics.class);

  /**
   * Creates those that do not exist, and has those compacted that are to be.
   *
   * @throws InvalidConfigException if one is not compacted, and the application may not change that
   */
  public void prepare(List<TopicSpec> topics) {
    cluster.createMissing(topics);
    topics.stream().filter(OwnTopics::isToBeCompacted).forEach(this::compact);
  }

  /** Warns of those of the topics that are lost with one broker, though there are several. */
  public void warnOfSingleReplicas(Collection<String> topics) {
    if (cluster.brokers() == 1) {
      return;
    }
    List<String> single =
        cluster.existing(topics).entrySet().stream()
            .filter(found -> found.getValue().replicas() == 1)
            .map(Map.Entry::getKey)
            .sorted()
            .toList();
    if (!single.isEmpty()) {
      LOGGER.warn(
          "The application forgets views or state if one broker is lost, as these topics have one replica: {}; give them more (kafka-reassign-partitions.sh), and where default.replication.factor of the brokers is 1, set {}: else changelogs and view topics that are created later have one, too",
          single,
          AppConfig.TOPIC_REPLICATION_CONFIG);
    }
  }

  private static boolean isToBeCompacted(TopicSpec topic) {
    return TopicConfig.CLEANUP_POLICY_COMPACT.equals(
        topic.configs().get(TopicConfig.CLEANUP_POLICY_CONFIG));
  }

  private void compact(TopicSpec topic) {
    Set<String> policies;
    try {
      policies = cluster.cleanupPolicies(topic.name());
    } catch (AuthorizationException e) {
      LOGGER.warn(
          "The application may not see whether topic {} is compacted, as it has to be; give it DescribeConfigs",
          topic.name());
      return;
    }
    if (policies.equals(Set.of(TopicConfig.CLEANUP_POLICY_COMPACT))) {
      return;
    }
    try {
      cluster.restore(topic);
      LOGGER.warn(
          "Topic {} had cleanup.policy {}, by which it would lose what stands there; it is compacted now",
          topic.name(),
          policies);
    } catch (AuthorizationException e) {
      throw new InvalidConfigException(
          "A topic of the application is not as it has to be",
          List.of(
              "topic %s has cleanup.policy %s, by which it would lose what stands there, and the application may not change it: set cleanup.policy=compact, or give it AlterConfigs"
                  .formatted(topic.name(), policies)));
    }
  }
}
