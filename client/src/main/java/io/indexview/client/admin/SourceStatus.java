package io.indexview.client.admin;

import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.SourceState.Scan;
import io.indexview.schemas.control.StoredValues;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * What a source says of one primary-change topic.
 *
 * @param sourcePartitions how many the source has
 * @param scanned how many of them have a complete scan, of this topic or an earlier one of the name
 * @param heardAt when its quietest source partition last said that it is alive
 * @param publishedUntil all that was sent to its queue before is on the topic, as far as it can
 *     tell; empty: it does not know yet, or has no queue
 * @param scannedAt when the oldest of the last scans of its source partitions ended; empty until
 *     all have one
 * @param publishedAgainAt the same of ad-hoc snapshots
 * @param problem what keeps scans of its source partitions from being complete; empty: nothing
 * @param values how the records are written in the KV store; empty: not in one, or it does not tell
 * @param changeFeedProblem why it does not follow the changes of its store now, so that only scans
 *     find them; empty: it does, or is not to
 */
public record SourceStatus(
    String source,
    String topic,
    int sourcePartitions,
    int scanned,
    Instant heardAt,
    Optional<Instant> publishedUntil,
    Optional<Instant> scannedAt,
    Optional<Instant> publishedAgainAt,
    Optional<String> problem,
    Optional<StoredValues> values,
    Optional<String> changeFeedProblem) {
  public SourceStatus {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(heardAt, "heardAt");
    Objects.requireNonNull(publishedUntil, "publishedUntil");
    Objects.requireNonNull(problem, "problem");
    Objects.requireNonNull(values, "values");
    Objects.requireNonNull(changeFeedProblem, "changeFeedProblem");
  }

  /**
   * @param present of one source and topic, not empty
   */
  static SourceStatus of(List<SourceState> present) {
    SourceState one = present.get(0);
    return new SourceStatus(
        one.source(),
        one.topic(),
        one.sourcePartitions(),
        (int)
            present.stream()
                .filter(sourcePartition -> sourcePartition.lastScan().isPresent())
                .count(),
        Instant.ofEpochMilli(
            present.stream().mapToLong(SourceState::heartbeatAtMs).min().orElseThrow()),
        publishedUntil(present),
        oldest(present, SourceState::lastScan),
        oldest(present, SourceState::lastAdHocSnapshot),
        present.stream()
            .flatMap(sourcePartition -> sourcePartition.problem().stream())
            .distinct()
            .sorted()
            .reduce("%s; %s"::formatted),
        one.values(),
        present.stream()
            .flatMap(sourcePartition -> sourcePartition.changeFeed().stream())
            .flatMap(feed -> feed.problem().stream())
            .distinct()
            .sorted()
            .reduce("%s; %s"::formatted));
  }

  private static Optional<Instant> publishedUntil(List<SourceState> present) {
    return present.stream()
        .flatMap(sourcePartition -> sourcePartition.publishedUntilMs().stream().boxed())
        .min(Comparator.naturalOrder())
        .filter(time -> time > 0)
        .map(Instant::ofEpochMilli);
  }

  private static Optional<Instant> oldest(
      List<SourceState> present, Function<SourceState, Optional<Scan>> which) {
    List<Long> ends =
        present.stream()
            .flatMap(sourcePartition -> which.apply(sourcePartition).stream())
            .map(Scan::endedAtMs)
            .toList();
    return ends.size() < present.get(0).sourcePartitions()
        ? Optional.empty()
        : ends.stream().min(Comparator.naturalOrder()).map(Instant::ofEpochMilli);
  }
}
