package io.indexview.client.admin;

import java.util.Objects;

/**
 * Whether readers are told what the state of a view says. They look at the target itself, where the
 * sink writes a state a moment after it stands on {@code view-states}.
 *
 * @param reason why they are not, or why that cannot be told; empty: they are
 */
public record Visibility(Answer answer, String reason) {
  public static final Visibility SHOWN = new Visibility(Answer.SHOWN, "");

  public Visibility {
    Objects.requireNonNull(answer, "answer");
    Objects.requireNonNull(reason, "reason");
  }

  /** What a look at the target gave. */
  public enum Answer {
    SHOWN,
    /** Not yet, or the target does not answer. */
    PENDING,
    /** There is nothing to look at, or nobody here may. */
    UNKNOWN
  }

  public static Visibility pending(String reason) {
    return new Visibility(Answer.PENDING, reason);
  }

  public static Visibility unknown(String reason) {
    return new Visibility(Answer.UNKNOWN, reason);
  }
}
