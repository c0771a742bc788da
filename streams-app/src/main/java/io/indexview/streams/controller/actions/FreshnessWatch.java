package io.indexview.streams.controller.actions;

import io.indexview.schemas.control.CompleteScan;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.TopicSources;
import io.indexview.schemas.control.ViewState;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.streams.controller.rules.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Proves again and again how fresh the rows are that serve, in three steps, each of which looks at
 * ends that are taken when the step before is over:
 *
 * <ol>
 *   <li>the sources have looked at every record since some time, or at every one that changed
 *       (where no source answers for a topic: what is on it), the app has taken what the topic held
 *       then, and deleted what an ad-hoc snapshot did not name;
 *   <li>the sink has applied what the view topic held after that;
 *   <li>the dead letters that the sink wrote until then are read, which {@link SinkWatch} does.
 * </ol>
 *
 * <p>A proof that the controller does not accept, since the view was not READY all the while, is
 * begun anew. A round takes some requests for all record sets together, and some for all views of a
 * sink. For one thread.
 */
public final class FreshnessWatch implements Activity {
  private static final Duration MIN_PAUSE = Duration.ofSeconds(1);
  private static final Duration MAX_PAUSE = Duration.ofSeconds(2);

  /** Sources that say nothing for so long are named. */
  private static final Duration SILENT = Duration.ofMinutes(1);

  private final ActionContext context;
  private final Duration interval;
  private final Duration pause;
  private final Map<String, SourceTopic> sourceTopics = new HashMap<>();
  private final Map<String, Proof> proofs = new HashMap<>();
  private long advancedAtMs = Long.MIN_VALUE;

  /**
   * @param visibleBeforeMs changes that were made before lie before the ends
   * @param beganAtMs ms since the epoch
   * @param topicId of the topic whose ends they are
   */
  private record Scanned(
      long visibleBeforeMs, long beganAtMs, String topicId, Map<TopicPartition, Long> ends) {}

  /** What is known of a change topic. */
  private static final class SourceTopic {
    /** What the app is to take; null: nothing. */
    private Scanned open;

    /** What it took in the round before; null: nothing. */
    private Scanned taken;

    private String missing = "";
  }

  /** How far the proof of a generation is. */
  private static final class Proof {
    private final PublishedGeneration published;

    /** The state as it was last published. */
    private ViewState state;

    private Scanned of;
    private Map<TopicPartition, Long> rows;
    private boolean applied;
    private long appliedAtMs;
    private long reportedAtMs = Long.MIN_VALUE;
    private long advancedAtMs;
    private String reportedHeldBackBy = "";
    private String failure = "";

    Proof(PublishedGeneration published, long nowMs) {
      this.published = published;
      this.advancedAtMs = nowMs;
    }

    private void restart() {
      of = null;
      rows = null;
      applied = false;
    }

    private boolean isIdle() {
      return state.state() == ViewState.State.READY && rows == null;
    }

    /** A time that is to come, as of before a clock was set back, is untrue: any other is news. */
    private boolean isNews(long visibleBeforeMs, long nowMs) {
      OptionalLong known = state.freshness().visibleBeforeMs();
      return known.isEmpty()
          || visibleBeforeMs > known.getAsLong()
          || known.getAsLong() > nowMs && visibleBeforeMs != known.getAsLong();
    }

    private boolean isItsTopic(Map<String, String> topicIds) {
      String id = topicIds.get(published.viewTopic());
      return id != null
          && (published.viewTopicId().isEmpty() || published.viewTopicId().equals(id));
    }
  }

  public FreshnessWatch(ActionContext context) {
    this.context = context;
    this.interval = context.config().freshnessInterval();
    Duration fraction = interval.dividedBy(5);
    this.pause =
        fraction.compareTo(MIN_PAUSE) < 0
            ? MIN_PAUSE
            : fraction.compareTo(MAX_PAUSE) > 0 ? MAX_PAUSE : fraction;
  }

  @Override
  public Progress advance(Consumer<Finding> found) {
    Map<String, String> topicIds = context.observed().ids();
    beginAnewIfClockIsSetBack();
    followServing();
    KafkaException failure = followSinks(topicIds);
    // What the app takes in this round is gone on with in the next one: until then its tasks have
    // reported which records cannot be derived.
    try {
      followApp(topicIds);
    } catch (KafkaException e) {
      sourceTopics.values().forEach(topic -> topic.missing = "the brokers: " + e.getMessage());
      sourceTopics.values().forEach(topic -> topic.open = null);
      failure = e;
    }
    tellWhatHoldsBack(topicIds, found);
    if (failure != null) {
      throw failure;
    }
    return new Again(pause, "");
  }

  /** Times of before would lie in the future, and every proof would wait for them. */
  private void beginAnewIfClockIsSetBack() {
    long nowMs = context.time().millis();
    if (nowMs < advancedAtMs) {
      proofs.clear();
      sourceTopics.clear();
    }
    advancedAtMs = nowMs;
  }

  /**
   * Tells the proof of a generation of which the sink has applied the rows.
   *
   * @param key of the generation
   * @param deadLettersReadMs the dead letters are read that the sink had written then, ms since the
   *     epoch
   */
  void deadLettersRead(String key, long deadLettersReadMs, Consumer<Finding> found) {
    Proof proof = proofs.get(key);
    if (proof != null && proof.applied && proof.appliedAtMs <= deadLettersReadMs) {
      proof.reportedAtMs = context.time().millis();
      proof.advancedAtMs = proof.reportedAtMs;
      tell(proof, proof.of.beganAtMs(), OptionalLong.of(proof.of.visibleBeforeMs()), "", found);
      proof.restart();
    }
  }

  private static void tell(
      Proof proof,
      long beganAtMs,
      OptionalLong visibleBeforeMs,
      String heldBackBy,
      Consumer<Finding> found) {
    proof.reportedHeldBackBy = heldBackBy;
    PublishedGeneration of = proof.published;
    found.accept(
        new Finding.FreshnessProven(
            of.view(), of.generation(), beganAtMs, visibleBeforeMs, heldBackBy));
  }

  private void followServing() {
    Map<String, PublishedGeneration> generations = context.tables().generations().get();
    Set<String> serving = new HashSet<>();
    for (ViewState state : context.tables().states().get().values()) {
      PublishedGeneration published =
          state
              .serving()
              .map(found -> generations.get(PublishedGeneration.key(state.view(), found.number())))
              .orElse(null);
      if (published != null && !state.sinkGroup().isEmpty()) {
        serving.add(published.key());
        proofs.computeIfAbsent(
                    published.key(), key -> new Proof(published, context.time().millis()))
                .state =
            state;
      }
    }
    proofs.keySet().retainAll(serving);
    Set<String> topics =
        proofs.values().stream()
            .map(proof -> proof.published.sourceTopic())
            .collect(Collectors.toSet());
    topics.forEach(topic -> sourceTopics.computeIfAbsent(topic, name -> new SourceTopic()));
    sourceTopics.keySet().retainAll(topics);
  }

  private void followApp(Map<String, String> topicIds) {
    long nowMs = context.time().millis();
    Collection<SourceState> sources = context.tables().sources().get().values();
    List<String> unanswered = new ArrayList<>();
    for (RecordSetConfig recordSet : context.config().recordSets()) {
      String name = recordSet.topic();
      SourceTopic topic = sourceTopics.get(name);
      if (topic == null) {
        continue;
      }
      if (topic.open != null && !topic.open.topicId().equals(topicIds.get(name))) {
        topic.open = null;
      }
      if (topic.open != null || !isDue(name, nowMs)) {
        continue;
      }
      if (!topicIds.containsKey(name)) {
        topic.missing = "topic %s, which is gone".formatted(name);
      } else if (recordSet.completeness().hasSource()) {
        topic.missing = "";
        followScans(recordSet, topic, topicIds.get(name), TopicSources.of(sources, name));
      } else {
        unanswered.add(name);
      }
    }
    followTopics(unanswered, topicIds);
    take();
  }

  private boolean isDue(String sourceTopic, long nowMs) {
    return proofs.values().stream()
        .anyMatch(
            proof ->
                proof.published.sourceTopic().equals(sourceTopic)
                    && proof.isIdle()
                    && (proof.reportedAtMs == Long.MIN_VALUE
                        || nowMs - proof.reportedAtMs >= interval.toMillis()));
  }

  private void followScans(
      RecordSetConfig recordSet, SourceTopic topic, String topicId, TopicSources sources) {
    long nowMs = context.time().millis();
    String name = recordSet.topic();
    List<String> silent = sources.silentSince(nowMs - SILENT.toMillis());
    TopicSources.Answer answer = sources.upToDate(Optional.of(topicId));
    if (!silent.isEmpty() && !sources.isEmpty()) {
      topic.missing =
          "source %s of topic %s, which says nothing for more than %d s"
              .formatted(String.join(", ", silent), name, SILENT.toSeconds());
    } else if (answer.complete().isEmpty()) {
      topic.missing = "the sources of topic %s: %s".formatted(name, answer.missing());
    } else {
      topic.missing = "the next scan of the sources of topic " + name + feedProblems(sources);
    }
    CompleteScan scan = answer.scan();
    if (scan == null || !isNews(name, scan.startedAtMs(), nowMs) || !provesAll(sources)) {
      return;
    }
    // What an ad-hoc snapshot did not name is deleted after its events.
    String cleanup =
        sources
            .publishedAgain(Optional.of(topicId), 0)
            .complete()
            .map(adHoc -> SnapshotRequester.waitsFor(adHoc, recordSet, context))
            .orElse("");
    if (cleanup.isEmpty()) {
      topic.open = new Scanned(scan.startedAtMs(), nowMs, topicId, scan.ends());
    } else {
      topic.missing = cleanup;
    }
  }

  private static String feedProblems(TopicSources sources) {
    return sources.feedProblems().entrySet().stream()
        .map(
            source ->
                "; source %s does not follow changes: %s"
                    .formatted(source.getKey(), source.getValue()))
        .collect(Collectors.joining());
  }

  private boolean isNews(String sourceTopic, long visibleBeforeMs, long nowMs) {
    return proofs.values().stream()
        .filter(proof -> proof.published.sourceTopic().equals(sourceTopic))
        .anyMatch(proof -> proof.isNews(visibleBeforeMs, nowMs));
  }

  /**
   * Whether the sources compared all they have with what they know. A first listing of S3 knows
   * nothing, and a source without a bucket to list looks at nothing. A source that has proven more
   * since by the changes that it follows compared what these name.
   */
  private static boolean provesAll(TopicSources sources) {
    return sources.bySource().values().stream()
        .flatMap(List::stream)
        .allMatch(
            state ->
                state
                    .lastScan()
                    .filter(scan -> scan.scope().isPresent())
                    .filter(scan -> scan.adHoc() || scan.number() > 1 || isFollowed(state))
                    .isPresent());
  }

  private static boolean isFollowed(SourceState state) {
    return state.changeFeed().filter(feed -> feed.provenUntilMs().isPresent()).isPresent();
  }

  /** What is on a topic was made before. */
  private void followTopics(List<String> names, Map<String, String> topicIds) {
    long nowMs = context.time().millis();
    Map<TopicPartition, Long> ends = ends(names);
    for (String name : names) {
      SourceTopic topic = sourceTopics.get(name);
      topic.missing = "";
      topic.open = new Scanned(nowMs, nowMs, topicIds.get(name), of(name, ends));
    }
  }

  private void take() {
    Map<String, SourceTopic> open = new HashMap<>(sourceTopics);
    open.values().removeIf(topic -> topic.open == null);
    if (open.isEmpty()) {
      return;
    }
    String application = context.config().applicationId();
    Map<TopicPartition, Long> now = ends(List.copyOf(open.keySet()));
    Map<TopicPartition, Long> committed = context.log().committed(application);
    Set<TopicPartition> behind =
        behind(application, open.values().stream().map(topic -> topic.open.ends()).toList());
    for (SourceTopic topic : open.values()) {
      // Beyond the end: what the app took of an earlier topic of the name.
      boolean isTaken =
          topic.open.ends().keySet().stream()
              .noneMatch(
                  partition ->
                      behind.contains(partition)
                          || committed.getOrDefault(partition, 0L)
                              > now.getOrDefault(partition, 0L));
      if (isTaken) {
        topic.taken = topic.open;
        topic.open = null;
      }
    }
  }

  /** The first failure; null: there is none. One target that is away holds up no other. */
  private KafkaException followSinks(Map<String, String> topicIds) {
    KafkaException first = null;
    proofs.values().forEach(proof -> proof.failure = "");
    Map<String, List<Proof>> waiting =
        proofs.values().stream()
            .filter(proof -> proof.rows != null && !proof.applied)
            .collect(Collectors.groupingBy(proof -> proof.state.sinkGroup()));
    for (Map.Entry<String, List<Proof>> ofGroup : waiting.entrySet()) {
      try {
        followSink(ofGroup.getKey(), ofGroup.getValue(), topicIds);
      } catch (KafkaException e) {
        ofGroup.getValue().forEach(proof -> proof.failure = e.getMessage());
        first = first == null ? e : first;
      }
    }
    begin(topicIds);
    sourceTopics.values().forEach(topic -> topic.taken = null);
    return first;
  }

  private void followSink(String group, List<Proof> waiting, Map<String, String> topicIds) {
    List<Proof> standing = new ArrayList<>();
    for (Proof proof : waiting) {
      if (proof.isItsTopic(topicIds)) {
        standing.add(proof);
      } else {
        proof.restart();
      }
    }
    Set<TopicPartition> behind = behind(group, standing.stream().map(proof -> proof.rows).toList());
    for (Proof proof : standing) {
      if (proof.rows.keySet().stream().noneMatch(behind::contains)) {
        proof.applied = true;
        proof.appliedAtMs = context.time().millis();
        proof.advancedAtMs = proof.appliedAtMs;
      }
    }
  }

  private void begin(Map<String, String> topicIds) {
    long nowMs = context.time().millis();
    List<Proof> begun =
        proofs.values().stream()
            .filter(proof -> proof.isIdle() && proof.isItsTopic(topicIds))
            .filter(
                proof -> {
                  Scanned taken = sourceTopics.get(proof.published.sourceTopic()).taken;
                  return taken != null && proof.isNews(taken.visibleBeforeMs(), nowMs);
                })
            .toList();
    Map<TopicPartition, Long> ends =
        ends(begun.stream().map(proof -> proof.published.viewTopic()).toList());
    for (Proof proof : begun) {
      Map<TopicPartition, Long> rows = of(proof.published.viewTopic(), ends);
      if (!rows.isEmpty()) {
        proof.of = sourceTopics.get(proof.published.sourceTopic()).taken;
        proof.rows = rows;
        proof.advancedAtMs = nowMs;
      }
    }
  }

  private void tellWhatHoldsBack(Map<String, String> topicIds, Consumer<Finding> found) {
    long nowMs = context.time().millis();
    long tooLong = Math.max(2 * interval.toMillis(), ActionRunner.LONG_WAIT.toMillis());
    for (Proof proof : proofs.values()) {
      String reason = heldBackBy(proof, topicIds);
      boolean isReported =
          reason.equals(proof.reportedHeldBackBy)
              && !proof.state.freshness().heldBackBy().isEmpty();
      if (nowMs - proof.advancedAtMs >= tooLong && !reason.isEmpty() && !isReported) {
        tell(proof, nowMs, OptionalLong.empty(), reason, found);
      }
    }
  }

  private String heldBackBy(Proof proof, Map<String, String> topicIds) {
    SourceTopic topic = sourceTopics.get(proof.published.sourceTopic());
    String sink = "consumer group %s, the sink of the view".formatted(proof.state.sinkGroup());
    if (proof.applied) {
      return sink + ": its dead letters are not read yet";
    }
    if (!proof.failure.isEmpty()) {
      return "%s: %s".formatted(sink, proof.failure);
    }
    if (!proof.isItsTopic(topicIds)) {
      return "topic %s, which is gone".formatted(proof.published.viewTopic());
    }
    if (proof.rows != null) {
      return "%s, to apply topic %s".formatted(sink, proof.published.viewTopic());
    }
    if (topic.taken != null) {
      return "";
    }
    return topic.open == null
        ? topic.missing
        : "the application to take in topic " + proof.published.sourceTopic();
  }

  private Set<TopicPartition> behind(String group, List<Map<TopicPartition, Long>> ends) {
    Map<TopicPartition, Long> all = new HashMap<>();
    ends.forEach(all::putAll);
    return all.isEmpty() ? Set.of() : context.log().behind(group, all);
  }

  /** Ends of the partitions of those topics that exist. */
  private Map<TopicPartition, Long> ends(List<String> topics) {
    if (topics.isEmpty()) {
      return Map.of();
    }
    try {
      return context.log().ends(topics);
    } catch (UnknownTopicOrPartitionException e) {
      Map<TopicPartition, Long> ends = new HashMap<>();
      topics.forEach(topic -> ends.putAll(context.ends(topic)));
      return ends;
    }
  }

  private static Map<TopicPartition, Long> of(String topic, Map<TopicPartition, Long> ends) {
    return ends.entrySet().stream()
        .filter(end -> end.getKey().topic().equals(topic))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }
}
