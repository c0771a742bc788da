package io.indexview.client.admin;

import io.indexview.schemas.control.ViewState;
import java.util.Objects;

/** Looks at what targets tell the readers of their views. Thread-safe. */
@FunctionalInterface
public interface TargetStates {
  /** Looks at no target. */
  TargetStates NONE =
      state ->
          Visibility.unknown(
              "target %s is not configured here: whether its readers see it yet was not checked"
                  .formatted(state.target()));

  /** Whether readers see what a state says. A target that does not answer is no exception. */
  Visibility visibility(ViewState state);

  /**
   * Whether readers see what the state of a view says. They look at the target itself, where the
   * sink writes a state a moment after it stands on {@code view-states}.
   *
   * @param reason why they are not, or why that is not known; empty: they are
   */
  record Visibility(Answer answer, String reason) {
    public static final Visibility SHOWN = new Visibility(Answer.SHOWN, "");

    public Visibility {
      Objects.requireNonNull(answer, "answer");
      Objects.requireNonNull(reason, "reason");
    }

    /** What a read of the target gave. */
    public enum Answer {
      SHOWN,
      /** The target does not show the state yet, or does not answer. */
      PENDING,
      /** There is nothing to read, or nobody here may. */
      UNKNOWN
    }

    public static Visibility pending(String reason) {
      return new Visibility(Answer.PENDING, reason);
    }

    public static Visibility unknown(String reason) {
      return new Visibility(Answer.UNKNOWN, reason);
    }
  }
}
