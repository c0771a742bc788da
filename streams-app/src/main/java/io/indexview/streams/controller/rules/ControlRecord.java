package io.indexview.streams.controller.rules;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewState;

/** A record for a control topic. */
public sealed interface ControlRecord {

  /** A generation on {@code view-generations}. */
  record Generation(PublishedGeneration generation) implements ControlRecord {}

  /** A tombstone on {@code view-generations}. */
  record GenerationGone(String view, int generation) implements ControlRecord {}

  /** A state on {@code view-states}. */
  record State(ViewState state) implements ControlRecord {}

  /**
   * A tombstone on {@code view-states}.
   *
   * @param uid as {@link ViewState#uid}
   */
  record StateGone(String view, String uid) implements ControlRecord {}
}
