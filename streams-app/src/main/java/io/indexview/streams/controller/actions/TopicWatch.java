package io.indexview.streams.controller.actions;

import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.generation.AppTopics;
import io.indexview.streams.generation.Cluster.TopicSpec;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the topics that tasks write. One that is gone is created again at once, since all tasks
 * of a thread wait for a topic that one of them writes; but for the changelogs, which Kafka Streams
 * creates when it has thrown away the state. A generation whose topic is another than was created
 * for it has missed rows, and the app has lost the state whose changelog is another. One request
 * for the names of all topics every three seconds. Nobody asks for it.
 */
public final class TopicWatch implements Activity {
  private static final Logger LOGGER = LoggerFactory.getLogger(TopicWatch.class);
  private static final Duration PAUSE = Duration.ofSeconds(3);

  private final ActionContext context;
  private final AppTopics appTopics;
  private final Set<String> lost = new HashSet<>();
  private final Map<String, String> changelogs = new HashMap<>();

  public TopicWatch(ActionContext context, AppTopics appTopics) {
    this.context = context;
    this.appTopics = appTopics;
  }

  @Override
  public Progress advance(Consumer<Finding> found) {
    // Asked first: a topic is created before, and deleted after its generation is published.
    Map<String, String> ids = context.cluster().topics();
    boolean isCreated = createShared(ids.keySet());
    context.config().recordSets().forEach(recordSet -> followChangelogs(recordSet, ids, found));
    List<PublishedGeneration> lacking =
        context.tables().generations().get().values().stream()
            .filter(published -> !published.stopped() && !published.viewTopicId().isEmpty())
            .filter(published -> !published.viewTopicId().equals(ids.get(published.viewTopic())))
            .toList();
    lost.retainAll(lacking.stream().map(PublishedGeneration::key).collect(Collectors.toSet()));
    for (PublishedGeneration published : lacking) {
      if (!lost.contains(published.key()) && restored(published)) {
        isCreated |= tell(published, ids, found);
      }
    }
    return new Again(isCreated ? SOON : PAUSE, "");
  }

  private boolean createShared(Set<String> existing) {
    List<TopicSpec> missing =
        appTopics.written().stream().filter(topic -> !existing.contains(topic.name())).toList();
    missing.forEach(topic -> LOGGER.warn("Topic {} is gone, and is created again", topic.name()));
    context.cluster().createMissing(missing);
    return !missing.isEmpty();
  }

  private void followChangelogs(
      RecordSetConfig recordSet, Map<String, String> ids, Consumer<Finding> found) {
    AppConfig config = context.config();
    for (String topic : List.of(config.changelogTopic(recordSet), config.memoryTopic(recordSet))) {
      String id = ids.get(topic);
      String before = id == null ? null : changelogs.put(topic, id);
      if (before != null && !before.equals(id)) {
        found.accept(
            new Finding.StateLost(
                EventsLost.ofState(recordSet.name(), context.clock().millis(), topic, id)));
      }
    }
  }

  /** A view topic has the partitions of its source topic. */
  private boolean restored(PublishedGeneration published) {
    OptionalInt partitions = context.cluster().partitions(published.sourceTopic());
    partitions.ifPresent(
        number -> context.cluster().restore(appTopics.view(published.viewTopic(), number)));
    return partitions.isPresent();
  }

  /**
   * Tells only of another topic: a broker may not have heard yet of one that is there.
   *
   * @return whether it is to be asked for again
   */
  private boolean tell(
      PublishedGeneration published, Map<String, String> ids, Consumer<Finding> found) {
    if (!ids.containsKey(published.viewTopic())) {
      return true;
    }
    lost.add(published.key());
    LOGGER.warn(
        "Topic {} of view {} was deleted, and is created again without its rows",
        published.viewTopic(),
        published.view());
    found.accept(
        new Finding.DeletionsMissed(
            published.view(),
            published.generation(),
            "topic %s was deleted; it is created again, without the rows that the sink had not read"
                .formatted(published.viewTopic())));
    return false;
  }
}
