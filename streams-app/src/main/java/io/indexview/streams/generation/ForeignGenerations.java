package io.indexview.streams.generation;

import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.schemas.control.PublishedGeneration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Refuses to go on from generations that another application published, an earlier build among
 * them: nobody knows how far they are, and which rows they left where. What this application
 * remembers is there before it publishes anything.
 */
public final class ForeignGenerations {
  private ForeignGenerations() {}

  /**
   * @param memory topic of what the application remembers of its generations
   * @param topic {@code view-generations}
   * @param published what that topic holds
   * @throws InvalidConfigException if there are generations, and no memory of them
   */
  public static void refuse(
      String memory,
      String topic,
      Supplier<Map<String, PublishedGeneration>> published,
      Cluster cluster) {
    Map<String, PublishedGeneration> all = published.get();
    if (all.isEmpty() || cluster.partitions(memory).isPresent()) {
      return;
    }
    throw new InvalidConfigException(
        "The views cannot be taken over",
        List.of(
            "topic %s holds generations that this application does not remember, since there is no topic %s: %s. If another application.id published them, use that one. If they are of an earlier build, or that topic was deleted, start anew with another application.id, state.dir and topic.prefix, then delete the old topics and rows"
                .formatted(topic, memory, new TreeSet<>(all.keySet()))));
  }
}
