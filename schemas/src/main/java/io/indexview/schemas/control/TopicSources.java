package io.indexview.schemas.control;

import io.indexview.schemas.control.SourceState.ChangeFeed;
import io.indexview.schemas.control.SourceState.Scan;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * All sources of one primary-change topic, by what they last said on {@code source-states}. What
 * they look at together is complete only if every one of them looked at all it has: nobody can know
 * that one of them is gone for ever, until its records there are deleted.
 */
public final class TopicSources {
  /** Longest time between the heartbeats of source partitions that are at work at the same time. */
  private static final Duration AT_ONCE = Duration.ofSeconds(30);

  private final String topic;

  /** The source partitions that each source has now. */
  private final Map<String, List<SourceState>> sourcePartitions;

  /** What an operator tells, see {@link PublishedAgain}; it counts where there is no source. */
  private final Optional<SourceState> byOperator;

  /**
   * How many source partitions are at work, of each source that has fewer by its own word: two
   * connectors have its name, or it was cut anew a moment ago.
   */
  private final Map<String, Long> shared;

  private TopicSources(
      String topic,
      Map<String, List<SourceState>> sourcePartitions,
      Map<String, Long> shared,
      Optional<SourceState> byOperator) {
    this.topic = topic;
    this.shared = shared;
    this.byOperator = byOperator;
    this.sourcePartitions = sourcePartitions;
  }

  /**
   * @param states of all topics
   */
  public static TopicSources of(Collection<SourceState> states, String topic) {
    Map<String, List<SourceState>> bySource =
        states.stream()
            .filter(state -> state.topic().equals(topic) && !state.isOfOperator())
            .collect(Collectors.groupingBy(SourceState::source, TreeMap::new, Collectors.toList()));
    Map<String, Long> shared = new TreeMap<>();
    bySource.forEach(
        (source, all) -> {
          long working = working(all);
          if (working > newest(all).sourcePartitions()) {
            shared.put(source, working);
          }
        });
    bySource.replaceAll((source, all) -> present(all));
    return new TopicSources(
        topic,
        bySource,
        shared,
        states.stream()
            .filter(state -> state.topic().equals(topic) && state.isOfOperator())
            .findFirst());
  }

  /**
   * A source that was cut anew says so in the newest of its states; older source partitions are
   * history, which stays on the topic.
   */
  private static List<SourceState> present(List<SourceState> states) {
    int count = newest(states).sourcePartitions();
    return states.stream()
        .filter(state -> state.sourcePartitions() == count)
        .sorted(Comparator.comparingLong(SourceState::heartbeatAtMs).reversed())
        .limit(count)
        .toList();
  }

  private static SourceState newest(List<SourceState> states) {
    return Collections.max(states, Comparator.comparingLong(SourceState::heartbeatAtMs));
  }

  /** How many of the states of a source are no history. */
  private static long working(List<SourceState> states) {
    SourceState newest = newest(states);
    return states.stream()
        .filter(state -> newest.heartbeatAtMs() - state.heartbeatAtMs() < AT_ONCE.toMillis())
        .count();
  }

  /**
   * What sources have looked at, or why that is not everything.
   *
   * @param scan null: not everything
   * @param missing for people, a sentence without its end; empty if nothing is
   */
  public record Answer(CompleteScan scan, String missing) {
    public Answer {
      Objects.requireNonNull(missing, "missing");
    }

    public Optional<CompleteScan> complete() {
      return Optional.ofNullable(scan);
    }
  }

  /**
   * Returns the last scans of all source partitions. A source whose newest scan was not of
   * everything counts as not scanned.
   *
   * @param topicId Kafka's id of the topic that there is now; empty: it is not known. Offsets of an
   *     earlier topic of the name are none of this one
   */
  public Answer scanned(Optional<String> topicId) {
    return unlessShared(
        together(
            topicId,
            state -> state.lastScan().filter(scan -> isUnhindered(state)),
            "scanned everything"));
  }

  /**
   * Returns the last scans as {@link #scanned} does, each dated by the changes that its source
   * follows since: every change that was made before {@code startedAtMs} is before the ends.
   *
   * @param topicId see {@link #scanned}
   */
  public Answer upToDate(Optional<String> topicId) {
    return unlessShared(
        together(
            topicId,
            state -> state.upToDate().filter(scan -> isUnhindered(state)),
            "scanned everything"));
  }

  private static boolean isUnhindered(SourceState state) {
    return state.problem().isEmpty() && state.snapshotNeeded().isEmpty();
  }

  /** Why changes are not followed where they should be, so that scans find them; by source. */
  public Map<String, String> feedProblems() {
    Map<String, String> problems = new TreeMap<>();
    sourcePartitions.forEach(
        (source, states) ->
            states.stream()
                .flatMap(state -> state.changeFeed().flatMap(ChangeFeed::problem).stream())
                .findFirst()
                .ifPresent(problem -> problems.put(source, problem)));
    return problems;
  }

  /**
   * Returns the last ad-hoc snapshots of all source partitions.
   *
   * @param topicId see {@link #scanned}
   * @param request that they answer, at least; 0: any, or none
   */
  public Answer publishedAgain(Optional<String> topicId, long request) {
    return unlessShared(lastPublishedAgain(topicId, request));
  }

  /**
   * Returns the same as {@link #publishedAgain}, but where two connectors have one name, the one
   * with the newest heartbeat speaks for both. Meant for facts that stay true once one connector
   * alone has the name again.
   */
  public Optional<CompleteScan> lastPublishedAgain(Optional<String> topicId) {
    return lastPublishedAgain(topicId, 0).complete();
  }

  private Answer lastPublishedAgain(Optional<String> topicId, long request) {
    if (sourcePartitions.isEmpty() && byOperator.isPresent()) {
      return ofOperator(byOperator.get(), topicId);
    }
    Answer answer =
        together(
            topicId,
            state -> state.lastAdHocSnapshot().filter(scan -> scan.request() >= request),
            "published every record again");
    return answer.complete().isEmpty() ? answer : unlessUntold(answer);
  }

  private Answer ofOperator(SourceState operator, Optional<String> topicId) {
    return topicId.isPresent() && operator.topicId().equals(topicId)
        ? new Answer(
            CompleteScan.of(
                topic, topicId.get(), Map.of(operator, operator.lastAdHocSnapshot().orElseThrow())),
            "")
        : none("topic %s was published again when it was another one".formatted(topic));
  }

  /** Why the last source that came to need an ad-hoc snapshot did, also when it has made it. */
  public Optional<SourceState.SnapshotNeeded> lastSnapshotNeeded() {
    return sourcePartitions.values().stream()
        .flatMap(List::stream)
        .flatMap(state -> state.snapshotNeeded().or(state::lastSnapshotNeeded).stream())
        .max(Comparator.comparingLong(SourceState.SnapshotNeeded::sinceMs));
  }

  private Answer unlessShared(Answer answer) {
    return shared.entrySet().stream()
        .findFirst()
        .map(
            source ->
                none(
                    "%d source partitions of source %s of topic %s are at work, but it says that it has %d: two connectors have this source.name (give each its own, then retire the source), or its buckets were changed less than %d s before its last heartbeat"
                        .formatted(
                            source.getValue(),
                            source.getKey(),
                            topic,
                            sourcePartitions.get(source.getKey()).get(0).sourcePartitions(),
                            AT_ONCE.toSeconds())))
        .orElse(answer);
  }

  private Answer unlessUntold(Answer answer) {
    return sourcePartitions.entrySet().stream()
        .filter(
            source ->
                source.getValue().stream()
                    .anyMatch(state -> state.lastAdHocSnapshot().flatMap(Scan::scope).isEmpty()))
        .findFirst()
        .map(
            source ->
                none(
                    "source %s does not tell which keys it answers for, so that nobody can say what is gone; let it run in this release, or retire it"
                        .formatted(source.getKey())))
        .orElse(answer);
  }

  private Answer together(
      Optional<String> topicId, Function<SourceState, Optional<Scan>> which, String did) {
    if (sourcePartitions.isEmpty()) {
      return none(
          "no source of topic %s has said on source-states that it %s".formatted(topic, did));
    }
    if (topicId.isEmpty()) {
      return none("Kafka does not tell the id of topic %s".formatted(topic));
    }
    Map<SourceState, Scan> scans = new HashMap<>();
    for (Map.Entry<String, List<SourceState>> source : sourcePartitions.entrySet()) {
      String problem = problem(source.getKey(), source.getValue(), topicId.get(), which, did);
      if (!problem.isEmpty()) {
        return none(problem);
      }
      source.getValue().forEach(state -> scans.put(state, which.apply(state).orElseThrow()));
    }
    return new Answer(CompleteScan.of(topic, topicId.get(), scans), "");
  }

  private String problem(
      String source,
      List<SourceState> present,
      String topicId,
      Function<SourceState, Optional<Scan>> which,
      String did) {
    long scanned = present.stream().filter(state -> which.apply(state).isPresent()).count();
    int all = present.get(0).sourcePartitions();
    if (scanned < all) {
      return (all == 1
              ? "source %s of topic %s has not %s yet".formatted(source, topic, did)
              : "source %s of topic %s has %s in %d of %d source partitions"
                  .formatted(source, topic, did, scanned, all))
          + hindrance(present, which);
    }
    if (present.stream().anyMatch(state -> state.topicId().isEmpty())) {
      return "source %s does not tell the id of the topic %s that it scanned for, which may be an earlier one of the name; let it run in this release, or retire it"
          .formatted(source, topic);
    }
    return present.stream().allMatch(state -> state.topicId().get().equals(topicId))
        ? ""
        : "source %s scanned for an earlier topic of the name %s; it has to scan again, or to be retired"
            .formatted(source, topic);
  }

  private static String hindrance(
      List<SourceState> present, Function<SourceState, Optional<Scan>> which) {
    return present.stream()
        .filter(state -> which.apply(state).isEmpty())
        .flatMap(
            state ->
                state
                    .problem()
                    .or(() -> state.snapshotNeeded().map(SourceState.SnapshotNeeded::reason))
                    .stream())
        .findFirst()
        .map(problem -> ": " + problem)
        .orElse("");
  }

  private static Answer none(String missing) {
    return new Answer(null, missing);
  }

  /**
   * Sources of which a source partition was not heard of since some time, ms since the epoch; by
   * name.
   */
  public List<String> silentSince(long timeMs) {
    return sourcePartitions.entrySet().stream()
        .filter(
            source ->
                !isWhole(source.getValue())
                    || source.getValue().stream().anyMatch(state -> state.heartbeatAtMs() < timeMs))
        .map(Map.Entry::getKey)
        .toList();
  }

  /**
   * Time up to which the topic has everything, as far as the sources can tell, ms since the epoch.
   * For a source partition that does not tell, its last heartbeat counts. Empty if there is no
   * source, or a source partition has not spoken yet, or does not know yet.
   */
  public OptionalLong publishedUntil() {
    if (!sourcePartitions.values().stream().allMatch(TopicSources::isWhole)) {
      return OptionalLong.empty();
    }
    OptionalLong earliest =
        sourcePartitions.values().stream()
            .flatMap(List::stream)
            .mapToLong(state -> state.publishedUntilMs().orElse(state.heartbeatAtMs()))
            .min();
    return earliest.orElse(0) > 0 ? earliest : OptionalLong.empty();
  }

  /** What the source partitions that each source has now last said, by source. */
  public Map<String, List<SourceState>> bySource() {
    return Collections.unmodifiableMap(sourcePartitions);
  }

  /** Whether no source says anything of the topic. */
  public boolean isEmpty() {
    return sourcePartitions.isEmpty();
  }

  private static boolean isWhole(List<SourceState> present) {
    return present.size() >= present.get(0).sourcePartitions();
  }
}
