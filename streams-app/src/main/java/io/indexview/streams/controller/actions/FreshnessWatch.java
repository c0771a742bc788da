package io.indexview.streams.controller.actions;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.TopicSources;
import io.indexview.schemas.control.ViewState;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.streams.config.RecordSetConfig.Completeness;
import io.indexview.streams.controller.rules.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Proves again and again how fresh the rows are that serve, in three steps, each of which looks at
 * ends that are taken when the step before is over:
 *
 * <ol>
 *   <li>the sources have looked at every record since some time (where no source answers for a
 *       topic: what is on it), and the app has taken what the topic held then;
 *   <li>the sink has applied what the view topic held after that;
 *   <li>the dead letters that the sink wrote until then are read, which {@link SinkWatch} does.
 * </ol>
 *
 * <p>A round takes some requests for all record sets together, and some for all views of a sink.
 * For one thread.
 */
public final class FreshnessWatch implements Activity {
  private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);

  /** Sources that say nothing for so long are named. */
  private static final Duration SILENT = Duration.ofMinutes(1);

  private final ActionContext context;
  private final Duration interval;
  private final Duration pause;
  private final Map<String, SourceTopic> sourceTopics = new HashMap<>();
  private final Map<String, Proof> proofs = new HashMap<>();

  /**
   * @param visibleBeforeMs changes that were made before lie before the ends
   * @param beganAtMs ms since the epoch
   */
  private record Taken(long visibleBeforeMs, long beganAtMs, Map<TopicPartition, Long> ends) {}

  /** What is known of a change topic. */
  private static final class SourceTopic {
    /** What the app is to take; null: nothing is known that is newer than what it took. */
    private Taken open;

    private Taken taken;
    private String missing = "";
  }

  /** How far the proof of a generation is. */
  private static final class Proof {
    private final PublishedGeneration published;
    private final String sinkGroup;
    private Taken of;
    private Map<TopicPartition, Long> rows;
    private boolean applied;
    private long appliedAtMs;
    private OptionalLong told = OptionalLong.empty();
    private long toldAtMs;
    private long advancedAtMs;
    private String toldHeldBackBy = "";

    Proof(PublishedGeneration published, String sinkGroup, long nowMs) {
      this.published = published;
      this.sinkGroup = sinkGroup;
      this.advancedAtMs = nowMs;
    }

    private void restart() {
      of = null;
      rows = null;
      applied = false;
    }
  }

  public FreshnessWatch(ActionContext context) {
    this.context = context;
    this.interval = context.config().freshnessInterval();
    Duration fraction = interval.dividedBy(5);
    this.pause = fraction.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : fraction;
  }

  @Override
  public Progress advance(Consumer<Finding> found) {
    followServing();
    try {
      followApp();
      followSinks();
    } catch (UnknownTopicOrPartitionException e) {
      // Ends of a topic that is gone would fail for ever, and for all.
      sourceTopics.values().forEach(topic -> topic.open = null);
      proofs.values().forEach(Proof::restart);
      throw e;
    }
    tellWhatHoldsBack(found);
    return new Again(pause, "");
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
      proof.told = OptionalLong.of(proof.of.visibleBeforeMs());
      proof.toldAtMs = context.clock().millis();
      proof.advancedAtMs = proof.toldAtMs;
      tell(proof, proof.of.beganAtMs(), proof.told, "", found);
      proof.restart();
    }
  }

  private void tell(
      Proof proof,
      long beganAtMs,
      OptionalLong visibleBeforeMs,
      String heldBackBy,
      Consumer<Finding> found) {
    proof.toldHeldBackBy = heldBackBy;
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
            published.key(),
            key -> new Proof(published, state.sinkGroup(), context.clock().millis()));
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

  private void followApp() {
    Collection<SourceState> sources = context.tables().sources().get().values();
    List<String> unanswered = new ArrayList<>();
    for (RecordSetConfig recordSet : context.config().recordSets()) {
      SourceTopic topic = sourceTopics.get(recordSet.topic());
      if (topic != null && topic.open == null) {
        if (recordSet.completeness() == Completeness.SOURCE_STATES) {
          followScans(recordSet.topic(), topic, TopicSources.of(sources, recordSet.topic()));
        } else {
          unanswered.add(recordSet.topic());
        }
      }
    }
    followTopics(unanswered);
    Set<TopicPartition> behind =
        behind(
            context.config().applicationId(),
            sourceTopics.values().stream()
                .filter(topic -> topic.open != null)
                .map(topic -> topic.open.ends())
                .toList());
    for (SourceTopic topic : sourceTopics.values()) {
      if (topic.open != null && topic.open.ends().keySet().stream().noneMatch(behind::contains)) {
        topic.taken = topic.open;
        topic.open = null;
      }
    }
  }

  private void followScans(String name, SourceTopic topic, TopicSources sources) {
    long nowMs = context.clock().millis();
    TopicSources.Answer answer = sources.scanned(context.cluster().topicId(name));
    answer
        .complete()
        .filter(scan -> topic.taken == null || scan.startedAtMs() > topic.taken.visibleBeforeMs())
        .ifPresent(scan -> topic.open = new Taken(scan.startedAtMs(), nowMs, scan.ends()));
    List<String> silent = sources.silentSince(nowMs - SILENT.toMillis());
    topic.missing =
        answer.missing().isEmpty()
            ? "the next scan of the sources of topic " + name
            : answer.missing();
    if (!silent.isEmpty()) {
      topic.missing =
          "source %s of topic %s, which says nothing for more than %d s"
              .formatted(String.join(", ", silent), name, SILENT.toSeconds());
    }
  }

  /** What is on a topic was made before. */
  private void followTopics(List<String> names) {
    long nowMs = context.clock().millis();
    Map<TopicPartition, Long> ends = ends(names);
    for (String name : names) {
      Map<TopicPartition, Long> own = of(name, ends);
      SourceTopic topic = sourceTopics.get(name);
      topic.open = own.isEmpty() ? null : new Taken(nowMs, nowMs, own);
      topic.missing = own.isEmpty() ? "topic %s, which is gone".formatted(name) : "";
    }
  }

  private void followSinks() {
    long nowMs = context.clock().millis();
    List<Proof> begun =
        proofs.values().stream()
            .filter(proof -> proof.rows == null && isDue(proof, nowMs))
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
    Map<String, List<Proof>> waiting =
        proofs.values().stream()
            .filter(proof -> proof.rows != null && !proof.applied)
            .collect(Collectors.groupingBy(proof -> proof.sinkGroup));
    waiting.forEach(this::followSink);
  }

  private boolean isDue(Proof proof, long nowMs) {
    Taken taken = sourceTopics.get(proof.published.sourceTopic()).taken;
    boolean isNews =
        taken != null && (proof.told.isEmpty() || taken.visibleBeforeMs() > proof.told.getAsLong());
    boolean isTime = proof.told.isEmpty() || nowMs - proof.toldAtMs >= interval.toMillis();
    return isNews && isTime;
  }

  private void followSink(String group, List<Proof> waiting) {
    Set<TopicPartition> behind = behind(group, waiting.stream().map(proof -> proof.rows).toList());
    for (Proof proof : waiting) {
      if (proof.rows.keySet().stream().noneMatch(behind::contains)) {
        proof.applied = true;
        proof.appliedAtMs = context.clock().millis();
        proof.advancedAtMs = proof.appliedAtMs;
      }
    }
  }

  private void tellWhatHoldsBack(Consumer<Finding> found) {
    long nowMs = context.clock().millis();
    long tooLong = Math.max(2 * interval.toMillis(), ActionRunner.LONG_WAIT.toMillis());
    for (Proof proof : proofs.values()) {
      String reason = heldBackBy(proof);
      if (nowMs - proof.advancedAtMs >= tooLong && !reason.equals(proof.toldHeldBackBy)) {
        tell(proof, nowMs, OptionalLong.empty(), reason, found);
      }
    }
  }

  private String heldBackBy(Proof proof) {
    SourceTopic topic = sourceTopics.get(proof.published.sourceTopic());
    if (proof.applied) {
      return "the dead letters of consumer group %s to be read".formatted(proof.sinkGroup);
    }
    if (proof.rows != null) {
      return "consumer group %s, the sink of the view, to apply topic %s"
          .formatted(proof.sinkGroup, proof.published.viewTopic());
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

  /** Of those topics that there are. */
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
