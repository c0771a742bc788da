package io.indexview.streams.generation;

import io.indexview.streams.generation.Cluster.TopicSpec;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.internals.KafkaFutureImpl;

/** A cluster in memory. */
public final class FakeCluster implements Cluster {
  public final Map<String, TopicSpec> topics = new LinkedHashMap<>();

  public int brokers = 1;

  /** Of topics that have not as many as there are brokers. */
  public final Map<String, Integer> replicas = new TreeMap<>();

  private final Map<String, Integer> deleted = new TreeMap<>();

  /** Topic that nobody may change; null: none. */
  public String refused;

  /** Topics that the broker who is asked has not heard of. */
  public final Set<String> unheard = new HashSet<>();

  /** By partition, of every topic. */
  public final Map<Integer, Long> beginnings = new TreeMap<>();

  /** Of every group; empty: it is shared anew. */
  public Optional<Map<String, Set<TopicPartition>>> assignment = Optional.of(Map.of());

  /** Instead of that; null: none. */
  public RuntimeException assignmentRefusal;

  /** How often somebody asked for topics. */
  public int requests;

  @Override
  public int brokers() {
    return brokers;
  }

  @Override
  public synchronized Map<String, String> topics() {
    requests++;
    Map<String, String> ids = new TreeMap<>();
    topics.keySet().forEach(topic -> ids.put(topic, id(topic)));
    return ids;
  }

  @Override
  public synchronized Map<String, KafkaFuture<Description>> describe(Collection<String> names) {
    requests++;
    Map<String, KafkaFuture<Description>> answers = new TreeMap<>();
    names.forEach(topic -> answers.put(topic, describe(topic)));
    return answers;
  }

  private KafkaFuture<Description> describe(String topic) {
    TopicSpec spec = unheard.contains(topic) ? null : topics.get(topic);
    if (spec != null) {
      return KafkaFuture.completedFuture(
          new Description(id(topic), spec.partitions(), replicas.getOrDefault(topic, brokers)));
    }
    KafkaFutureImpl<Description> unknown = new KafkaFutureImpl<>();
    unknown.completeExceptionally(new UnknownTopicOrPartitionException(topic));
    return unknown;
  }

  /** Changes with each creation of a topic of the name but the first. */
  private String id(String topic) {
    int deletions = deleted.getOrDefault(topic, 0);
    return "id of " + topic + (deletions == 0 ? "" : " " + deletions);
  }

  @Override
  public synchronized boolean isGone(String topic) {
    return !topics.containsKey(topic);
  }

  @Override
  public Duration deleteRetention(String topic) {
    return Duration.ofDays(7);
  }

  @Override
  public Set<String> cleanupPolicies(String topic) {
    return Set.of(
        topics.get(topic).configs().getOrDefault(TopicConfig.CLEANUP_POLICY_CONFIG, "delete"));
  }

  @Override
  public Map<Integer, Long> beginnings(String topic) {
    return beginnings;
  }

  @Override
  public Optional<Map<String, Set<TopicPartition>>> assignment(String group) {
    if (assignmentRefusal != null) {
      throw assignmentRefusal;
    }
    return assignment;
  }

  @Override
  public synchronized void delete(String topic) {
    if (topics.remove(topic) != null) {
      deleted.merge(topic, 1, Integer::sum);
    }
  }

  @Override
  public synchronized void createMissing(List<TopicSpec> missing) {
    missing.forEach(spec -> topics.putIfAbsent(spec.name(), spec));
  }

  @Override
  public synchronized void restore(TopicSpec topic) {
    if (topic.name().equals(refused)) {
      throw new TopicAuthorizationException(Set.of(refused));
    }
    topics.put(topic.name(), topic);
  }

  public synchronized void add(String topic, int partitions) {
    topics.put(topic, new TopicSpec(topic, partitions, Map.of()));
  }
}
