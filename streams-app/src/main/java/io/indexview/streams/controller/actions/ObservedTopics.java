package io.indexview.streams.controller.actions;

import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.TopicSources;
import io.indexview.schemas.progress.RoundAnswers;
import io.indexview.streams.generation.Cluster;
import io.indexview.streams.generation.TopicDescriptions;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaFuture;

/**
 * Topics, and for the watches of record sets what their sources say, as the activities of one round
 * see them: asked for once in it, in one request for all of them. A topic that is deleted or
 * created meanwhile is seen in the next round. Whoever has just created one, or goes on from what
 * it finds in the same attempt, asks {@link Cluster} itself. For one thread.
 */
public final class ObservedTopics implements TopicDescriptions {
  private final Cluster cluster;
  private final Supplier<Map<String, SourceState>> sourceStates;
  private final RoundAnswers<String, KafkaFuture<Description>> described;
  private Optional<Map<String, String>> ids = Optional.empty();
  private Optional<Collection<SourceState>> sources = Optional.empty();

  /**
   * @param sourceStates the control topic, read to its end when it is asked
   */
  public ObservedTopics(Cluster cluster, Supplier<Map<String, SourceState>> sourceStates) {
    this.cluster = cluster;
    this.sourceStates = sourceStates;
    this.described = new RoundAnswers<>(cluster::describe);
  }

  void begin() {
    described.begin();
    ids = Optional.empty();
    sources = Optional.empty();
  }

  /** Adds topics to those that the next request asks for. */
  void expect(Collection<String> topics) {
    described.expect(topics);
  }

  @Override
  public Map<String, KafkaFuture<Description>> describe(Collection<String> topics) {
    return described.of(topics);
  }

  /** Returns the same as {@link Cluster#topics}, asked for once. */
  Map<String, String> ids() {
    if (ids.isEmpty()) {
      ids = Optional.of(cluster.topics());
    }
    return ids.get();
  }

  /** Returns the same as {@link ActionContext#sources}, from states that are read once. */
  TopicSources sources(String topic) {
    if (sources.isEmpty()) {
      sources = Optional.of(sourceStates.get().values());
    }
    return TopicSources.of(sources.get(), topic);
  }
}
