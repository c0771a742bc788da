package io.indexview.schemas.control;

import io.indexview.schemas.control.SourceState.Look;
import java.util.ArrayList;
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
  private final String topic;

  /** The slices that each source has now. */
  private final Map<String, List<SourceState>> slices;

  private TopicSources(String topic, Map<String, List<SourceState>> slices) {
    this.topic = topic;
    this.slices = slices;
  }

  /**
   * @param states of all topics
   */
  public static TopicSources of(Collection<SourceState> states, String topic) {
    Map<String, List<SourceState>> bySource =
        states.stream()
            .filter(state -> state.topic().equals(topic))
            .collect(Collectors.groupingBy(SourceState::source, TreeMap::new, Collectors.toList()));
    bySource.replaceAll((source, all) -> present(all));
    return new TopicSources(topic, bySource);
  }

  /**
   * A source that was cut anew says so in the newest of its states; older slices are history, which
   * stays on the topic.
   */
  private static List<SourceState> present(List<SourceState> states) {
    List<SourceState> newestFirst = new ArrayList<>(states);
    newestFirst.sort(Comparator.comparingLong(SourceState::heartbeatAtMs).reversed());
    int count = newestFirst.get(0).slices();
    return newestFirst.stream().filter(state -> state.slices() == count).limit(count).toList();
  }

  /**
   * What sources have looked at, or why that is not everything.
   *
   * @param look null: not everything
   * @param missing for people, a sentence without its end; empty if nothing is
   */
  public record Answer(CompleteLook look, String missing) {
    public Answer {
      Objects.requireNonNull(missing, "missing");
    }

    public Optional<CompleteLook> complete() {
      return Optional.ofNullable(look);
    }
  }

  /**
   * Their last looks. Of a source that has looked since, and not at everything, there are none.
   *
   * @param topicId Kafka's id of the topic that there is now; empty: it is not known. Offsets of an
   *     earlier topic of the name are none of this one
   */
  public Answer looked(Optional<String> topicId) {
    return together(
        topicId,
        state ->
            state
                .lastLook()
                .filter(look -> state.problem().isEmpty() && state.snapshotNeeded().isEmpty()),
        "looked at everything");
  }

  /**
   * Their last resnapshots.
   *
   * @param topicId see {@link #looked}
   * @param request that they answer, at least; 0: any, or none
   */
  public Answer publishedAgain(Optional<String> topicId, long request) {
    Answer answer =
        together(
            topicId,
            state -> state.lastForced().filter(look -> look.request() >= request),
            "published every record again");
    return answer.complete().isEmpty() ? answer : unlessUntold(answer);
  }

  /** Of the sources that need an ad-hoc snapshot, why the last one does that came to need it. */
  public Optional<SourceState.SnapshotNeeded> snapshotNeeded() {
    return slices.values().stream()
        .flatMap(List::stream)
        .flatMap(state -> state.snapshotNeeded().stream())
        .max(Comparator.comparingLong(SourceState.SnapshotNeeded::sinceMs));
  }

  private Answer unlessUntold(Answer answer) {
    return slices.entrySet().stream()
        .filter(
            source ->
                source.getValue().stream()
                    .anyMatch(state -> state.lastForced().flatMap(Look::scope).isEmpty()))
        .findFirst()
        .map(
            source ->
                none(
                    "source %s does not tell which keys it answers for, so that nobody can say what is gone; let it run in this release, or retire it"
                        .formatted(source.getKey())))
        .orElse(answer);
  }

  private Answer together(
      Optional<String> topicId, Function<SourceState, Optional<Look>> which, String did) {
    if (slices.isEmpty()) {
      return none(
          "no source of topic %s has said on source-states that it %s".formatted(topic, did));
    }
    if (topicId.isEmpty()) {
      return none("Kafka does not tell the id of topic %s".formatted(topic));
    }
    Map<SourceState, Look> looks = new HashMap<>();
    for (Map.Entry<String, List<SourceState>> source : slices.entrySet()) {
      String problem = problem(source.getKey(), source.getValue(), topicId.get(), which, did);
      if (!problem.isEmpty()) {
        return none(problem);
      }
      source.getValue().forEach(state -> looks.put(state, which.apply(state).orElseThrow()));
    }
    return new Answer(CompleteLook.of(topic, topicId.get(), looks), "");
  }

  private String problem(
      String source,
      List<SourceState> present,
      String topicId,
      Function<SourceState, Optional<Look>> which,
      String did) {
    long looked = present.stream().filter(state -> which.apply(state).isPresent()).count();
    int all = present.get(0).slices();
    if (looked < all) {
      return (all == 1
              ? "source %s of topic %s has not %s yet".formatted(source, topic, did)
              : "source %s of topic %s has %s in %d of %d slices"
                  .formatted(source, topic, did, looked, all))
          + hindrance(present, which);
    }
    if (present.stream().anyMatch(state -> state.topicId().isEmpty())) {
      return "source %s does not tell the id of the topic %s that it looked at, which may be an earlier one of the name; let it run in this release, or retire it"
          .formatted(source, topic);
    }
    return present.stream().allMatch(state -> state.topicId().get().equals(topicId))
        ? ""
        : "source %s looked at an earlier topic of the name %s; it has to look again, or to be retired"
            .formatted(source, topic);
  }

  private static String hindrance(
      List<SourceState> present, Function<SourceState, Optional<Look>> which) {
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

  /** Sources of which a slice was not heard of since some time, ms since the epoch; by name. */
  public List<String> silentSince(long timeMs) {
    return slices.entrySet().stream()
        .filter(
            source ->
                !isWhole(source.getValue())
                    || source.getValue().stream().anyMatch(state -> state.heartbeatAtMs() < timeMs))
        .map(Map.Entry::getKey)
        .toList();
  }

  /**
   * When the quietest slice last said that it is alive, ms since the epoch; empty if there is no
   * source, or a slice has not spoken yet.
   */
  public OptionalLong heardOf() {
    if (!slices.values().stream().allMatch(TopicSources::isWhole)) {
      return OptionalLong.empty();
    }
    return slices.values().stream()
        .flatMap(List::stream)
        .mapToLong(SourceState::heartbeatAtMs)
        .min();
  }

  /** What the slices that each source has now last said, by source. */
  public Map<String, List<SourceState>> bySource() {
    return Collections.unmodifiableMap(slices);
  }

  /** Whether no source says anything of the topic. */
  public boolean isEmpty() {
    return slices.isEmpty();
  }

  private static boolean isWhole(List<SourceState> present) {
    return present.size() >= present.get(0).slices();
  }
}
