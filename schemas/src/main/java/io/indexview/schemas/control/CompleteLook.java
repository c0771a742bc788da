package io.indexview.schemas.control;

import io.indexview.schemas.control.SourceState.Look;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;

/**
 * That all sources of a topic looked at everything they have: the looks of all their slices
 * together.
 *
 * @param topicId Kafka's id of the topic that they looked at
 * @param startedAtMs when the first of them began, ms since the epoch, by the clocks of their hosts
 * @param begins where each partition ended before any of them began
 * @param ends where each partition ended after all of them were done
 * @param parts the looks one by one, by id
 */
public record CompleteLook(
    String topicId,
    long startedAtMs,
    Map<TopicPartition, Long> begins,
    Map<TopicPartition, Long> ends,
    List<Part> parts) {
  public CompleteLook {
    Objects.requireNonNull(topicId, "topicId");
    begins = Map.copyOf(begins);
    ends = Map.copyOf(ends);
    parts = List.copyOf(parts);
  }

  /**
   * The look of one slice.
   *
   * @param scope the keys that it answers for; empty: it does not tell
   * @param begins where each partition ended before it
   */
  public record Part(
      String source, String slice, Optional<KeyScope> scope, Map<Integer, Long> begins) {
    public Part {
      Objects.requireNonNull(scope, "scope");
      begins = Map.copyOf(begins);
    }

    /** The same for all looks of the slice at the same keys; their begins never decrease. */
    public String id() {
      return scope
          .map(
              keys ->
                  "%s|%s|%s|%s"
                      .formatted(
                          source,
                          slice,
                          keys.prefix(),
                          Objects.requireNonNullElse(keys.exceptEnding(), "")))
          .orElse("%s|%s".formatted(source, slice));
    }

    /** Where a partition ended before it; 0 if it says nothing of it. */
    public long begin(int partition) {
      return begins.getOrDefault(partition, 0L);
    }
  }

  /**
   * @param looks not empty
   */
  static CompleteLook of(String topic, String topicId, Map<SourceState, Look> looks) {
    List<Part> parts =
        looks.entrySet().stream()
            .map(look -> part(look.getKey(), look.getValue()))
            .sorted(Comparator.comparing(Part::id))
            .toList();
    Map<TopicPartition, Long> begins = new HashMap<>();
    Map<TopicPartition, Long> ends = new HashMap<>();
    for (Look look : looks.values()) {
      look.ends()
          .forEach(
              (partition, end) -> ends.merge(new TopicPartition(topic, partition), end, Math::max));
    }
    for (TopicPartition partition : ends.keySet()) {
      begins.put(
          partition,
          parts.stream().mapToLong(part -> part.begin(partition.partition())).min().orElse(0));
    }
    return new CompleteLook(
        topicId,
        looks.values().stream().mapToLong(Look::startedAtMs).min().orElseThrow(),
        begins,
        ends,
        parts);
  }

  private static Part part(SourceState state, Look look) {
    return new Part(state.source(), state.slice(), look.scope(), look.begins());
  }
}
