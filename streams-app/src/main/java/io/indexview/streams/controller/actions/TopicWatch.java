package io.indexview.streams.controller.actions;

import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.generation.AppTopics;
import io.indexview.streams.generation.Cluster.TopicSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the topics that tasks and sources write, and those that the controller publishes on. One
 * that is gone is created again at once, since all tasks of a thread wait for a topic that one of
 * them writes, and a source for ever; but for the changelogs, which Kafka Streams creates when it
 * has thrown away the state. A generation whose topic is another than was created for it has missed
 * rows, and the app has lost the state whose changelog is another. Asks for the names of all topics
 * every three seconds. Nobody asks for it.
 */
public final class TopicWatch implements Activity {
  private static final Logger LOGGER = LoggerFactory.getLogger(TopicWatch.class);
  private static final Duration PAUSE = Duration.ofSeconds(3);

  /** Stands for the id of a topic that is gone. */
  private static final String GONE = "";

  private final ActionContext context;
  private final AppTopics appTopics;

  /** Generations whose topic is another one. */
  private final Set<String> reported = new HashSet<>();

  /** Ids that topics had when they were last seen. */
  private final Map<String, String> known = new HashMap<>();

  public TopicWatch(ActionContext context, AppTopics appTopics) {
    this.context = context;
    this.appTopics = appTopics;
  }

  @Override
  public Progress advance(Consumer<Finding> found) {
    // Asked first: a topic is created before, and deleted after its generation is published.
    Map<String, String> ids = context.observed().ids();
    followPublications(ids, found);
    List<PublishedGeneration> written =
        context.tables().generations().get().values().stream()
            .filter(published -> !published.stopped())
            .toList();
    context.config().recordSets().forEach(recordSet -> followChangelogs(recordSet, ids, found));
    List<PublishedGeneration> lacking =
        written.stream().filter(published -> lacksItsTopic(published, ids)).toList();
    reported.retainAll(lacking.stream().map(PublishedGeneration::key).collect(Collectors.toSet()));
    // What may not be mended now is reported all the same.
    List<PublishedGeneration> news =
        lacking.stream().filter(published -> !reported.contains(published.key())).toList();
    news.forEach(published -> reportIfAnother(published, ids, found));
    List<TopicSpec> wrong = new ArrayList<>();
    List<TopicSpec> followed = new ArrayList<>(appTopics.written());
    followed.addAll(appTopics.exchanged());
    for (TopicSpec topic : followed) {
      boolean isAnother = isAnother(topic.name(), ids);
      if (isAnother) {
        reportLostDeadLetters(topic.name(), written, found);
      }
      if (isAnother || !ids.containsKey(topic.name())) {
        wrong.add(topic);
      }
    }
    news.forEach(published -> asItIsToBe(published).ifPresent(wrong::add));
    restore(wrong);
    return new Again(wrong.isEmpty() ? PAUSE : SOON, "");
  }

  /**
   * Reports published topics that were created anew, and restores those that are gone: nobody could
   * read them, this watch neither.
   */
  private void followPublications(Map<String, String> ids, Consumer<Finding> found) {
    List<TopicSpec> published = appTopics.published();
    List<TopicSpec> others =
        published.stream().filter(topic -> isAnother(topic.name(), ids)).toList();
    if (!others.isEmpty()) {
      found.accept(new Finding.PublicationsLost());
    }
    List<TopicSpec> gone =
        published.stream().filter(topic -> !ids.containsKey(topic.name())).toList();
    if (!gone.isEmpty()) {
      LOGGER.warn(
          "Topics are gone, and made anew: {}", gone.stream().map(TopicSpec::name).toList());
      context.cluster().createMissing(gone);
    }
    restore(others);
  }

  private void followChangelogs(
      RecordSetConfig recordSet, Map<String, String> ids, Consumer<Finding> found) {
    AppConfig config = context.config();
    for (String topic : List.of(config.changelogTopic(recordSet), config.memoryTopic(recordSet))) {
      if (isAnother(topic, ids)) {
        found.accept(
            new Finding.Lost(
                EventsLost.ofState(
                    recordSet.name(), context.time().millis(), topic, ids.get(topic))));
      }
    }
  }

  /**
   * Whether there is another one than was last seen. One that is not seen may be there: brokers do
   * not tell the app of topics that it has no right to describe.
   */
  private boolean isAnother(String topic, Map<String, String> ids) {
    String id = ids.get(topic);
    String before = id == null ? null : known.put(topic, id);
    return before != null && !before.equals(id);
  }

  /**
   * Whether a generation's topic is gone or another one. A generation whose publication has no
   * topic id gets the first id that is seen.
   */
  private boolean lacksItsTopic(PublishedGeneration published, Map<String, String> ids) {
    String id = ids.getOrDefault(published.viewTopic(), GONE);
    String its =
        published.viewTopicId().isEmpty()
            ? known.computeIfAbsent(published.viewTopic(), unused -> id)
            : published.viewTopicId();
    return id.equals(GONE) || !id.equals(its);
  }

  /** A broker may not have heard yet of a topic that is there: only another one is reported. */
  private void reportIfAnother(
      PublishedGeneration published, Map<String, String> ids, Consumer<Finding> found) {
    if (ids.containsKey(published.viewTopic())) {
      reported.add(published.key());
      LOGGER.warn(
          "Topic {} of view {} was deleted; there is another one now, without its rows: rebuild the view",
          published.viewTopic(),
          published.view());
      found.accept(
          new Finding.ChangesMissed(
              published.view(),
              published.generation(),
              "topic %s was deleted, with the rows that the sink had not read"
                  .formatted(published.viewTopic())));
    }
  }

  private void reportLostDeadLetters(
      String topic, List<PublishedGeneration> written, Consumer<Finding> found) {
    for (PublishedGeneration published : written) {
      boolean isOfItsTarget =
          context.config().targets().stream()
              .filter(target -> target.deadLetterTopic().equals(topic))
              .map(
                  target ->
                      context
                          .topics()
                          .view(target.name(), published.view(), published.generation()))
              .anyMatch(published.viewTopic()::equals);
      if (isOfItsTarget) {
        found.accept(Finding.ChangesMissed.ofDeadLetters(published, topic));
      }
    }
  }

  /** A view topic has the partitions of its source topic; empty: nobody knows how many. */
  private Optional<TopicSpec> asItIsToBe(PublishedGeneration published) {
    OptionalInt partitions = context.cluster().partitions(published.sourceTopic());
    return partitions.isPresent()
        ? Optional.of(appTopics.view(published.viewTopic(), partitions.getAsInt()))
        : Optional.empty();
  }

  /** Each as far as the app may. */
  private void restore(List<TopicSpec> topics) {
    KafkaException first = null;
    for (TopicSpec topic : topics) {
      try {
        LOGGER.warn(
            "Topic {} is gone or another one; it is made anew, or set as it has to be",
            topic.name());
        context.cluster().restore(topic);
      } catch (KafkaException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }
}
