package io.indexview.schemas.control;

import io.indexview.schemas.control.SourceState.Scan;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;

/**
 * A scan of everything that all sources of a topic have: the scans of all their source partitions
 * together.
 *
 * @param topicId Kafka's id of the topic that they looked at
 * @param startedAtMs when the first of them began, ms since the epoch, by the clocks of their hosts
 * @param lastStartedAtMs when the last of them began, ms since the epoch
 * @param begins where each partition ended before any of them began
 * @param ends where each partition ended after all of them were done
 * @param parts the scans one by one, by id
 */
public record CompleteScan(
    String topicId,
    long startedAtMs,
    long lastStartedAtMs,
    Map<TopicPartition, Long> begins,
    Map<TopicPartition, Long> ends,
    List<Part> parts) {
  public CompleteScan {
    Objects.requireNonNull(topicId, "topicId");
    begins = Map.copyOf(begins);
    ends = Map.copyOf(ends);
    parts = List.copyOf(parts);
  }

  /**
   * The scan of one source partition.
   *
   * @param scope the keys that it answers for; empty: it does not tell
   * @param begins where each partition ended before it
   */
  public record Part(
      String source, String sourcePartition, Optional<KeyScope> scope, Map<Integer, Long> begins) {
    public Part {
      Objects.requireNonNull(scope, "scope");
      begins = Map.copyOf(begins);
    }

    /**
     * An id that all scans of the source partition over the same keys share; their begins never
     * decrease.
     */
    public String id() {
      return scope
          .map(
              keys ->
                  "%s|%s|%s|%s"
                      .formatted(
                          source,
                          sourcePartition,
                          keys.prefix(),
                          Objects.requireNonNullElse(keys.exceptEnding(), "")))
          .orElse("%s|%s".formatted(source, sourcePartition));
    }

    /** Where a partition ended before it; 0 if it says nothing of it. */
    public long begin(int partition) {
      return begins.getOrDefault(partition, 0L);
    }
  }

  /**
   * @param scans not empty
   */
  static CompleteScan of(String topic, String topicId, Map<SourceState, Scan> scans) {
    List<Part> parts =
        scans.entrySet().stream()
            .map(scan -> part(scan.getKey(), scan.getValue()))
            .sorted(Comparator.comparing(Part::id))
            .toList();
    Map<TopicPartition, Long> begins = new HashMap<>();
    Map<TopicPartition, Long> ends = new HashMap<>();
    for (Scan scan : scans.values()) {
      scan.ends()
          .forEach(
              (partition, end) -> ends.merge(new TopicPartition(topic, partition), end, Math::max));
    }
    for (TopicPartition partition : ends.keySet()) {
      begins.put(
          partition,
          parts.stream().mapToLong(part -> part.begin(partition.partition())).min().orElse(0));
    }
    return new CompleteScan(
        topicId,
        scans.values().stream().mapToLong(Scan::startedAtMs).min().orElseThrow(),
        scans.values().stream().mapToLong(Scan::startedAtMs).max().orElseThrow(),
        begins,
        ends,
        parts);
  }

  private static Part part(SourceState state, Scan scan) {
    return new Part(state.source(), state.sourcePartition(), scan.scope(), scan.begins());
  }
}
