package io.indexview.streams.controller;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewState;
import io.indexview.streams.controller.rules.ControlledView;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What is published of all views.
 *
 * @param generations on {@code view-generations}, by {@link PublishedGeneration#key}
 * @param states on {@code view-states}, by view
 */
record Publications(Map<String, PublishedGeneration> generations, Map<String, ViewState> states) {
  /** Whether nothing is left, on one topic at least. */
  boolean areLost() {
    return generations.isEmpty() || states.isEmpty();
  }

  /** Whether the newest is missing of what was published of a view. */
  boolean lack(ControlledView view) {
    return view.isAfter(states.get(view.view()))
        || view.publishedGenerations().stream()
            .anyMatch(generation -> !generation.equals(generations.get(generation.key())));
  }

  /** Keys of generations that the other has as well; another topic is another generation. */
  Set<String> generationsIn(Publications other) {
    return generations.values().stream()
        .filter(generation -> isSame(generation, other.generations.get(generation.key())))
        .map(PublishedGeneration::key)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Views whose status the other has as well. */
  Set<String> viewsIn(Publications other) {
    Set<String> views = new TreeSet<>(states.keySet());
    views.retainAll(other.states.keySet());
    return views;
  }

  static boolean isSame(PublishedGeneration one, PublishedGeneration other) {
    return other != null
        && one.createdAtMs() == other.createdAtMs()
        && one.viewTopicId().equals(other.viewTopicId());
  }
}
