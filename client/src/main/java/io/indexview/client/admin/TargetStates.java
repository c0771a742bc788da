package io.indexview.client.admin;

import io.indexview.schemas.control.ViewState;

/** Looks at what targets tell the readers of their views. Thread-safe. */
@FunctionalInterface
public interface TargetStates {
  /** Looks at no target. */
  TargetStates NONE =
      state ->
          Visibility.unknown(
              "target %s is not configured here: whether its readers are told so yet was not looked at"
                  .formatted(state.target()));

  /** Whether readers are told what a state says. A target that does not answer is no exception. */
  Visibility visibility(ViewState state);
}
