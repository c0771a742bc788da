package io.indexview.streams.generation;

import io.indexview.schemas.progress.KafkaAnswers;
import io.indexview.streams.generation.Cluster.TopicSpec;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.admin.TopicListing;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** The cluster as an admin client sees it. */
public final class KafkaCluster implements Cluster {
  private static final Set<GroupState> SHARED_ANEW =
      EnumSet.of(
          GroupState.PREPARING_REBALANCE,
          GroupState.COMPLETING_REBALANCE,
          GroupState.ASSIGNING,
          GroupState.RECONCILING);

  private final Admin admin;
  private final short replication;

  /**
   * @param admin stays open
   * @param replication -1: the brokers' default
   */
  public KafkaCluster(Admin admin, short replication) {
    this.admin = admin;
    this.replication = replication;
  }

  @Override
  public Map<String, String> topics() {
    return KafkaAnswers.await(admin.listTopics().listings()).stream()
        .collect(
            Collectors.toUnmodifiableMap(
                TopicListing::name, listing -> listing.topicId().toString()));
  }

  @Override
  public Map<String, KafkaFuture<Description>> describe(Collection<String> topics) {
    return admin.describeTopics(topics).topicNameValues().entrySet().stream()
        .collect(
            Collectors.toMap(
                Map.Entry::getKey, answer -> answer.getValue().thenApply(KafkaCluster::of)));
  }

  private static Description of(TopicDescription found) {
    int replicas =
        found.partitions().stream().mapToInt(one -> one.replicas().size()).min().orElseThrow();
    return new Description(found.topicId().toString(), found.partitions().size(), replicas);
  }

  @Override
  public int brokers() {
    return KafkaAnswers.await(admin.describeCluster().nodes()).size();
  }

  @Override
  public boolean isGone(String topic) {
    NewTopic like = newTopic(new TopicSpec(topic, 1, Map.of()));
    CreateTopicsOptions asking = new CreateTopicsOptions().validateOnly(true);
    try {
      KafkaAnswers.await(admin.createTopics(List.of(like), asking).all());
      return true;
    } catch (TopicExistsException e) {
      return false;
    } catch (RetriableException e) {
      throw e;
    } catch (ApiException e) {
      // It may not be created like this; so there is none.
      return true;
    }
  }

  @Override
  public Duration deleteRetention(String topic) {
    return Duration.ofMillis(
        Long.parseLong(setting(topic, TopicConfig.DELETE_RETENTION_MS_CONFIG)));
  }

  private String setting(String topic, String name) {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    Config config =
        KafkaAnswers.await(admin.describeConfigs(List.of(resource)).values().get(resource));
    ConfigEntry entry = config.get(name);
    if (entry == null) {
      throw new InvalidConfigurationException(
          "topic %s has no setting \"%s\"".formatted(topic, name));
    }
    return entry.value();
  }

  @Override
  public Set<String> cleanupPolicies(String topic) {
    return Arrays.stream(setting(topic, TopicConfig.CLEANUP_POLICY_CONFIG).split(","))
        .map(String::strip)
        .collect(Collectors.toUnmodifiableSet());
  }

  @Override
  public Map<Integer, Long> beginnings(String topic) {
    Description description = KafkaAnswers.await(describe(List.of(topic)).get(topic));
    Map<TopicPartition, OffsetSpec> first =
        IntStream.range(0, description.partitions())
            .boxed()
            .collect(
                Collectors.toMap(
                    partition -> new TopicPartition(topic, partition),
                    partition -> OffsetSpec.earliest()));
    return KafkaAnswers.await(admin.listOffsets(first).all()).entrySet().stream()
        .collect(
            Collectors.toUnmodifiableMap(
                found -> found.getKey().partition(), found -> found.getValue().offset()));
  }

  @Override
  public Optional<Map<String, Set<TopicPartition>>> assignment(String group) {
    try {
      ConsumerGroupDescription found =
          KafkaAnswers.await(
              admin.describeConsumerGroups(List.of(group)).describedGroups().get(group));
      return SHARED_ANEW.contains(found.groupState())
          ? Optional.empty()
          : Optional.of(
              found.members().stream()
                  .collect(
                      Collectors.toMap(
                          MemberDescription::consumerId,
                          member -> member.assignment().topicPartitions())));
    } catch (GroupIdNotFoundException e) {
      return Optional.of(Map.of());
    }
  }

  @Override
  public void delete(String topic) {
    try {
      KafkaAnswers.await(admin.deleteTopics(List.of(topic)).topicNameValues().get(topic));
    } catch (UnknownTopicOrPartitionException e) {
      // As wanted.
      return;
    }
  }

  @Override
  public void createMissing(List<TopicSpec> topics) {
    Collection<KafkaFuture<Void>> created =
        admin.createTopics(topics.stream().map(this::newTopic).toList()).values().values();
    for (KafkaFuture<Void> topic : created) {
      createdOrExists(topic);
    }
  }

  private static void createdOrExists(KafkaFuture<Void> topic) {
    try {
      KafkaAnswers.await(topic);
    } catch (TopicExistsException e) {
      // As wanted.
      return;
    }
  }

  @Override
  public void restore(TopicSpec topic) {
    createMissing(List.of(topic));
    int partitions = partitions(topic.name()).orElse(topic.partitions());
    if (partitions < topic.partitions()) {
      NewPartitions enough = NewPartitions.increaseTo(topic.partitions());
      KafkaAnswers.await(admin.createPartitions(Map.of(topic.name(), enough)).all());
    }
    List<AlterConfigOp> wrong =
        topic.configs().entrySet().stream()
            .filter(wanted -> !wanted.getValue().equals(setting(topic.name(), wanted.getKey())))
            .map(wanted -> new ConfigEntry(wanted.getKey(), wanted.getValue()))
            .map(wanted -> new AlterConfigOp(wanted, AlterConfigOp.OpType.SET))
            .toList();
    if (!wrong.isEmpty()) {
      ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic.name());
      KafkaAnswers.await(admin.incrementalAlterConfigs(Map.of(resource, wrong)).all());
    }
  }

  private NewTopic newTopic(TopicSpec topic) {
    Optional<Short> factor = replication < 0 ? Optional.empty() : Optional.of(replication);
    return new NewTopic(topic.name(), Optional.of(topic.partitions()), factor)
        .configs(topic.configs());
  }
}
