package io.indexview.streams.controller;

import io.indexview.schemas.Topics;
import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.streams.controller.rules.ControlledView;
import io.indexview.streams.generation.Cluster;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Refuses to go on from what another application published, an earlier build among them, and from
 * what this one forgot: nobody knows how far those generations are, and which rows they left where.
 * What is published, and what is remembered of it, are one transaction.
 *
 * @param memory topic of what the application remembers of its views
 */
public record ForeignPublications(String memory, Topics topics, Cluster cluster) {
  private static final String REMEDY =
      ". If another application.id published them, use that one alone. If they are of an earlier build, or topic %s lost what it held, remove the rows and metadata in the targets, and start anew with another application.id, state.dir and topic.prefix; then delete the old topics";

  /**
   * @param generations by {@link PublishedGeneration#key}
   * @throws InvalidConfigException if there are generations, and no topic that remembers them
   */
  public void refuseWithoutMemory(Map<String, PublishedGeneration> generations) {
    if (!generations.isEmpty() && cluster.partitions(memory).isEmpty()) {
      throw refused(
          List.of(
              "topic %s holds generations that this application does not remember, since there is no topic %s: %s"
                  .formatted(
                      topics.viewGenerations(), memory, new TreeSet<>(generations.keySet()))));
    }
  }

  /**
   * Compares what is published with what is remembered. Somebody else may publish, or have
   * published, between the two reads: a generation that only one of them holds is ignored.
   *
   * @param before read before what is remembered
   * @param now read after it
   * @return generations that both hold, and that are remembered as gone: the brokers lost that
   * @throws InvalidConfigException if both hold a generation, or a view, that is remembered as
   *     another one, or not at all
   */
  List<PublishedGeneration> compare(
      Publications before, Publications now, Collection<ControlledView> remembered) {
    List<String> problems = new ArrayList<>();
    Map<String, PublishedGeneration> known = new HashMap<>();
    remembered.forEach(
        view -> view.publishedGenerations().forEach(one -> known.put(one.key(), one)));
    Set<String> generations = before.generationsIn(now);
    generations.removeIf(key -> Publications.isSame(now.generations().get(key), known.get(key)));
    List<PublishedGeneration> gone =
        generations.stream()
            .map(now.generations()::get)
            .filter(generation -> isGone(generation, remembered))
            .toList();
    gone.forEach(generation -> generations.remove(generation.key()));
    if (!generations.isEmpty()) {
      problems.add(
          "topic %s holds generations that topic %s does not hold, or holds differently: %s"
              .formatted(topics.viewGenerations(), memory, generations));
    }
    Set<String> views = before.viewsIn(now);
    remembered.forEach(view -> views.remove(view.view()));
    if (!views.isEmpty()) {
      problems.add(
          "topic %s holds views that topic %s does not hold: %s"
              .formatted(topics.viewStates(), memory, views));
    }
    if (!problems.isEmpty()) {
      throw refused(problems);
    }
    return gone;
  }

  /**
   * Where its topic stands that is long deleted, it is of another application, which made the view
   * anew when this one had dropped it.
   */
  private boolean isGone(PublishedGeneration generation, Collection<ControlledView> remembered) {
    int number = generation.generation();
    return remembered.stream()
        .filter(view -> view.view().equals(generation.view()) && view.isGone(number))
        .anyMatch(view -> view.isLeftover(number) || !hasTopic(generation));
  }

  private boolean hasTopic(PublishedGeneration generation) {
    return cluster.topicId(generation.viewTopic()).equals(Optional.of(generation.viewTopicId()));
  }

  private InvalidConfigException refused(List<String> problems) {
    String remedy = REMEDY.formatted(memory);
    return new InvalidConfigException(
        "The views cannot be taken over",
        problems.stream().map(problem -> problem + remedy).toList());
  }
}
