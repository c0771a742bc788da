package io.indexview.streams.controller;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewState;
import java.util.Map;

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
}
