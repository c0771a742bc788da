package io.indexview.benchmarks.app;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ReplicaInfo;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;

/** What is asked of the broker. */
final class BrokerAdmin implements AutoCloseable {
  private final Admin admin;

  BrokerAdmin(String bootstrap) {
    this.admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap));
  }

  /** Creates the topics of a contestant that it does not create itself. */
  void createTopics(Entrant entrant) throws ExecutionException, InterruptedException {
    create(entrant.changes(), TopicConfig.CLEANUP_POLICY_DELETE);
    if (!entrant.kind().isApp()) {
      for (var view : entrant.generations()) {
        create(entrant.viewTopic(view), TopicConfig.CLEANUP_POLICY_COMPACT);
      }
    }
  }

  private void create(String topic, String policy) throws ExecutionException, InterruptedException {
    NewTopic created =
        new NewTopic(topic, Optional.of(Entrant.PARTITIONS), Optional.empty())
            .configs(Map.of(TopicConfig.CLEANUP_POLICY_CONFIG, policy));
    admin.createTopics(List.of(created)).all().get();
  }

  /** Where the events of a contestant end, whether they are to be seen or not. */
  Map<TopicPartition, Long> ends(Entrant entrant) throws ExecutionException, InterruptedException {
    return ends(List.of(entrant.changes()), IsolationLevel.READ_UNCOMMITTED);
  }

  /** Whether no row of a contestant is of a transaction that has not ended. */
  boolean hasCommittedRows(Entrant entrant) throws ExecutionException, InterruptedException {
    List<String> topics = entrant.generations().stream().map(entrant::viewTopic).toList();
    return ends(topics, IsolationLevel.READ_COMMITTED)
        .equals(ends(topics, IsolationLevel.READ_UNCOMMITTED));
  }

  private Map<TopicPartition, Long> ends(List<String> topics, IsolationLevel seen)
      throws ExecutionException, InterruptedException {
    Map<TopicPartition, OffsetSpec> asked =
        topics.stream()
            .flatMap(
                topic ->
                    IntStream.range(0, Entrant.PARTITIONS)
                        .mapToObj(partition -> new TopicPartition(topic, partition)))
            .collect(Collectors.toMap(one -> one, unused -> OffsetSpec.latest()));
    Map<TopicPartition, ListOffsetsResultInfo> ends =
        admin.listOffsets(asked, new ListOffsetsOptions(seen)).all().get();
    return ends.entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, one -> one.getValue().offset()));
  }

  /** Whether a contestant has committed all that is before these ends. */
  boolean hasCommitted(Entrant entrant, Map<TopicPartition, Long> ends)
      throws ExecutionException, InterruptedException {
    Map<TopicPartition, OffsetAndMetadata> committed =
        admin.listConsumerGroupOffsets(entrant.id()).partitionsToOffsetAndMetadata().get();
    return ends.entrySet().stream()
        .allMatch(
            end -> {
              OffsetAndMetadata offset = committed.get(end.getKey());
              return offset != null && offset.offset() >= end.getValue();
            });
  }

  /** How many bytes there are in each topic. */
  Map<String, Long> bytes() throws ExecutionException, InterruptedException {
    int broker = admin.describeCluster().nodes().get().iterator().next().id();
    Map<String, Long> bytes = new HashMap<>();
    for (var directory :
        admin.describeLogDirs(List.of(broker)).allDescriptions().get().get(broker).values()) {
      for (Map.Entry<TopicPartition, ReplicaInfo> one : directory.replicaInfos().entrySet()) {
        bytes.merge(one.getKey().topic(), one.getValue().size(), Long::sum);
      }
    }
    return bytes;
  }

  @Override
  public void close() {
    admin.close();
  }
}
