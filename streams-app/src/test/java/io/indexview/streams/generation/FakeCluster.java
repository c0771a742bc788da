package io.indexview.streams.generation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

/** A cluster in memory. */
final class FakeCluster implements Cluster {
  final Map<String, TopicSpec> topics = new LinkedHashMap<>();
  final Set<String> progress = new HashSet<>();
  final Map<String, Set<Integer>> skipped = new HashMap<>();

  @Override
  public synchronized OptionalInt partitions(String topic) {
    TopicSpec spec = topics.get(topic);
    return spec == null ? OptionalInt.empty() : OptionalInt.of(spec.partitions());
  }

  @Override
  public synchronized void createMissing(List<TopicSpec> missing) {
    missing.forEach(spec -> topics.putIfAbsent(spec.name(), spec));
  }

  @Override
  public synchronized boolean hasProgress(String topic) {
    return progress.contains(topic);
  }

  @Override
  public synchronized Set<Integer> skipped(String topic) {
    return skipped.getOrDefault(topic, Set.of());
  }

  synchronized void add(String topic, int partitions) {
    topics.put(topic, new TopicSpec(topic, partitions, Map.of()));
  }
}
