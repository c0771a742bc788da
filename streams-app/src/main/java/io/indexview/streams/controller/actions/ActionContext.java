package io.indexview.streams.controller.actions;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.PurgeProgress;
import io.indexview.schemas.control.SourceRequest;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.TopicSources;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.time.Time;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.config.TargetConfig;
import io.indexview.streams.generation.Cluster;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * All that actions look at and act on. For the one thread that does them.
 *
 * @param cluster tells what is true now
 * @param observed tells of topics and their sources what is true in the round
 */
public record ActionContext(
    AppConfig config,
    Cluster cluster,
    ObservedTopics observed,
    KafkaLog log,
    Tables tables,
    Time time) {

  /**
   * Control topics, each read to its end when it is asked.
   *
   * @param generations by {@link PublishedGeneration#key}
   * @param states by view
   * @param sources by source, topic and source partition
   * @param requests by primary-change topic
   * @param progress by key; only what tells of purges has a value
   * @param readAnew has generations and states read from the beginning when they are asked for next
   */
  public record Tables(
      Supplier<Map<String, PublishedGeneration>> generations,
      Supplier<Map<String, ViewState>> states,
      Supplier<Map<String, SourceState>> sources,
      Supplier<Map<String, SourceRequest>> requests,
      Supplier<Map<String, Optional<PurgeProgress>>> progress,
      Runnable readAnew) {}

  /** What activities look at together is asked anew from here on. */
  void beginRound() {
    observed.begin();
    log.beginRound();
  }

  public Topics topics() {
    return config.topics();
  }

  /** What all sources of a topic last said. */
  public TopicSources sources(String topic) {
    return TopicSources.of(tables.sources().get().values(), topic);
  }

  /** Consumer group of the sink of a target. */
  public String sinkGroup(String target) {
    return config.target(target).sinkGroup();
  }

  /** The target whose sink reads a topic of this name; empty: none does. */
  public Optional<TargetConfig> target(String view, int generation, String viewTopic) {
    return config.targets().stream()
        .filter(target -> topics().view(target.name(), view, generation).equals(viewTopic))
        .findFirst();
  }

  /** The ends of a topic; none if there is no such topic. */
  public Map<TopicPartition, Long> ends(String topic) {
    try {
      return log.ends(topic);
    } catch (UnknownTopicOrPartitionException e) {
      return Map.of();
    }
  }

  /**
   * Says that the sink of a target is waited for.
   *
   * @param work what it is to do, for people
   */
  Activity.Progress waitingForSink(String target, String work) {
    return Activity.waiting(
        "consumer group %s, the sink of target %s, to %s (see that its connector runs)"
            .formatted(sinkGroup(target), target, work));
  }

  /** Whether the sink of a target has applied all rows before the ends. */
  public boolean isApplied(String target, Map<TopicPartition, Long> ends) {
    return log.hasPassed(sinkGroup(target), ends);
  }
}
