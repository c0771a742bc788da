package io.indexview.client.admin;

import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.SourceState.Look;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * What a source says of one primary-change topic.
 *
 * @param slices in which it is cut
 * @param looked how many of them it has looked at, of this topic or an earlier one of the name
 * @param heardAt when its quietest slice last said that it is alive
 * @param lookedAt when the oldest of the last looks at its slices ended; empty until all have one
 * @param publishedAgainAt the same of resnapshots
 * @param problem what keeps looks at its slices from being complete; empty: nothing
 */
public record SourceStatus(
    String source,
    String topic,
    int slices,
    int looked,
    Instant heardAt,
    Optional<Instant> lookedAt,
    Optional<Instant> publishedAgainAt,
    Optional<String> problem) {
  public SourceStatus {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(heardAt, "heardAt");
    Objects.requireNonNull(problem, "problem");
  }

  /**
   * @param present of one source and topic, not empty
   */
  static SourceStatus of(List<SourceState> present) {
    SourceState one = present.get(0);
    return new SourceStatus(
        one.source(),
        one.topic(),
        one.slices(),
        (int) present.stream().filter(slice -> slice.lastLook().isPresent()).count(),
        Instant.ofEpochMilli(
            present.stream().mapToLong(SourceState::heartbeatAtMs).min().orElseThrow()),
        oldest(present, SourceState::lastLook),
        oldest(present, SourceState::lastForced),
        present.stream()
            .flatMap(slice -> slice.problem().stream())
            .distinct()
            .sorted()
            .reduce("%s; %s"::formatted));
  }

  private static Optional<Instant> oldest(
      List<SourceState> present, Function<SourceState, Optional<Look>> which) {
    List<Long> ends =
        present.stream()
            .flatMap(slice -> which.apply(slice).stream())
            .map(Look::endedAtMs)
            .toList();
    return ends.size() < present.get(0).slices()
        ? Optional.empty()
        : ends.stream().min(Comparator.naturalOrder()).map(Instant::ofEpochMilli);
  }
}
