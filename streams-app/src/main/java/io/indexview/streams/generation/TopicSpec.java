package io.indexview.streams.generation;

import java.util.Map;

/** A topic as it is to be created; the replication factor is the same for all. */
public record TopicSpec(String name, int partitions, Map<String, String> configs) {
  public TopicSpec {
    configs = Map.copyOf(configs);
  }
}
