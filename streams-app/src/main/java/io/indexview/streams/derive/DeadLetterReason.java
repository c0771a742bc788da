package io.indexview.streams.derive;

import java.util.Objects;

/**
 * Why a record, or what it means for one view, goes to the dead-letter topic.
 *
 * @param reason what is wrong and what helps; never content of the record
 * @param view null: not of one view alone
 * @param cause null if there is none
 */
public record DeadLetterReason(Stage stage, String reason, String view, Throwable cause) {

  /** The step that could not be done. */
  public enum Stage {
    DECODE("decode"),
    DERIVE("derive");

    private final String label;

    Stage(String label) {
      this.label = label;
    }

    public String label() {
      return label;
    }
  }

  public DeadLetterReason {
    Objects.requireNonNull(stage, "stage");
    Objects.requireNonNull(reason, "reason");
  }
}
