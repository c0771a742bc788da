package io.indexview.streams.generation;

import io.indexview.schemas.control.PublishedGeneration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Control topics in memory; remembers the topics that existed when a generation was published. */
final class FakeControlLog implements ControlLog {
  final List<PublishedGeneration> published = new ArrayList<>();
  final Map<String, Integer> building = new LinkedHashMap<>();
  final List<Set<String>> topicsAtPublishing = new ArrayList<>();
  private final FakeCluster cluster;

  FakeControlLog(FakeCluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public List<PublishedGeneration> generations() {
    return List.copyOf(published);
  }

  @Override
  public Set<String> viewsWithState() {
    return building.keySet();
  }

  @Override
  public void publish(PublishedGeneration generation) {
    published.add(generation);
    topicsAtPublishing.add(Set.copyOf(cluster.topics.keySet()));
  }

  @Override
  public void publishBuilding(String view, int generation, long nowMs) {
    building.put(view, generation);
  }

  @Override
  public void close() {}
}
