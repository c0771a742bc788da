package io.indexview.streams.lifecycle.machine;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewState;

/** A record for a control topic. */
public sealed interface Publication {

  /** On {@code view-generations}. */
  record Generation(PublishedGeneration generation) implements Publication {}

  /** A tombstone on {@code view-generations}. */
  record GenerationGone(String view, int generation) implements Publication {}

  /** On {@code view-states}. */
  record State(ViewState state) implements Publication {}

  /** A tombstone on {@code view-states}. */
  record StateGone(String view) implements Publication {}
}
