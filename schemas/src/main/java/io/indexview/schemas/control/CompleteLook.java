package io.indexview.schemas.control;

import io.indexview.schemas.control.SourceState.Look;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * That all sources of a topic looked at everything they have: the looks of all their slices
 * together.
 *
 * @param startedAtMs when the first of them began, ms since the epoch
 * @param begins where each partition ended before any of them began
 * @param ends where each partition ended after all of them were done
 * @param scopes the keys that they answer for, as far as they tell
 */
public record CompleteLook(
    long startedAtMs,
    Map<TopicPartition, Long> begins,
    Map<TopicPartition, Long> ends,
    List<KeyScope> scopes) {
  public CompleteLook {
    begins = Map.copyOf(begins);
    ends = Map.copyOf(ends);
    scopes = List.copyOf(scopes);
  }

  /**
   * @param looks not empty
   */
  static CompleteLook of(String topic, Collection<Look> looks) {
    Map<TopicPartition, Long> begins = new HashMap<>();
    Map<TopicPartition, Long> ends = new HashMap<>();
    for (Look look : looks) {
      look.ends()
          .forEach(
              (partition, end) -> ends.merge(new TopicPartition(topic, partition), end, Math::max));
    }
    for (TopicPartition partition : ends.keySet()) {
      // A partition that a look says nothing of may have begun before its first record.
      begins.put(
          partition,
          looks.stream()
              .mapToLong(look -> look.begins().getOrDefault(partition.partition(), 0L))
              .min()
              .orElse(0));
    }
    return new CompleteLook(
        looks.stream().mapToLong(Look::startedAtMs).min().orElseThrow(),
        begins,
        ends,
        looks.stream().flatMap(look -> look.scope().stream()).distinct().toList());
  }
}
