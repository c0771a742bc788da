package io.indexview.streams.controller.rules;

import io.indexview.schemas.control.ViewSpec;

/** Something that happened to a view. What merely is, is {@link Observed}. */
public sealed interface ViewEvent {

  record Desired(ViewSpec spec) implements ViewEvent {}

  record Dropped() implements ViewEvent {}

  /** There is a newer definition, and nobody can read it. */
  record Unreadable(String reason) implements ViewEvent {}

  record Found(Finding finding) implements ViewEvent {}

  /** What was published of it is lost. */
  record PublicationsLost() implements ViewEvent {}

  /** Time went on, or what is observed changed. */
  record Ticked() implements ViewEvent {}
}
