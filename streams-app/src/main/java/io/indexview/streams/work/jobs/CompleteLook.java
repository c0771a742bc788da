package io.indexview.streams.work.jobs;

import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.SourceState.Look;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;

/**
 * That a source looked at everything it has: the last looks of all its slices together.
 *
 * @param startedAtMs when the first slice began, ms since the epoch
 * @param begins where each partition ended before any slice began
 * @param ends where each partition ended after every slice was done
 */
record CompleteLook(
    long startedAtMs, Map<TopicPartition, Long> begins, Map<TopicPartition, Long> ends) {

  /**
   * The newest one of any source of a topic.
   *
   * @param states what all sources last said
   * @param topicId Kafka's id of the topic: what was said of an earlier topic of the name does not
   *     count
   * @param look the look of a slice that counts, if it has one
   */
  static Optional<CompleteLook> of(
      Collection<SourceState> states,
      String topic,
      Optional<String> topicId,
      Function<SourceState, Optional<Look>> look) {
    Map<String, List<SourceState>> bySource =
        states.stream()
            .filter(state -> state.topic().equals(topic))
            .filter(state -> state.topicId().isEmpty() || state.topicId().equals(topicId))
            .collect(Collectors.groupingBy(SourceState::source));
    return bySource.values().stream()
        .flatMap(slices -> together(topic, slices, look).stream())
        .max(Comparator.comparingLong(CompleteLook::startedAtMs));
  }

  private static Optional<CompleteLook> together(
      String topic, List<SourceState> states, Function<SourceState, Optional<Look>> look) {
    // A source that was cut anew says so in the newest of its states; older slices are history.
    int slices =
        states.stream()
            .max(Comparator.comparingLong(SourceState::heartbeatAtMs))
            .orElseThrow()
            .slices();
    List<Look> looks =
        states.stream()
            .filter(state -> state.slices() == slices)
            .flatMap(state -> look.apply(state).stream())
            .toList();
    if (looks.isEmpty() || looks.size() < slices) {
      return Optional.empty();
    }
    return Optional.of(
        new CompleteLook(
            looks.stream().mapToLong(Look::startedAtMs).min().orElseThrow(),
            merged(topic, looks, Look::begins, Math::min),
            merged(topic, looks, Look::ends, Math::max)));
  }

  private static Map<TopicPartition, Long> merged(
      String topic,
      List<Look> looks,
      Function<Look, Map<Integer, Long>> offsets,
      BinaryOperator<Long> merge) {
    Map<TopicPartition, Long> merged = new HashMap<>();
    for (Look look : looks) {
      offsets
          .apply(look)
          .forEach(
              (partition, offset) ->
                  merged.merge(new TopicPartition(topic, partition), offset, merge));
    }
    return merged;
  }
}
