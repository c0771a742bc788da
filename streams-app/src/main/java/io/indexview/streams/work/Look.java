package io.indexview.streams.work;

import io.indexview.streams.lifecycle.work.WorkResult;
import java.time.Duration;
import java.util.Objects;

/** What one look at a work came to. */
public sealed interface Look {
  /** Between two looks at something that is about to come true. */
  Duration SOON = Duration.ofMillis(150);

  /** The work is over. */
  record Answered(WorkResult.Answer answer) implements Look {
    public Answered {
      Objects.requireNonNull(answer, "answer");
    }
  }

  /**
   * It is to be looked at again.
   *
   * @param waitingFor for people; empty: nothing worth telling
   */
  record Again(Duration pause, String waitingFor) implements Look {
    public Again {
      Objects.requireNonNull(pause, "pause");
      Objects.requireNonNull(waitingFor, "waitingFor");
    }
  }

  static Look answered(WorkResult.Answer answer) {
    return new Answered(answer);
  }

  static Look waiting(String waitingFor) {
    return new Again(SOON, waitingFor);
  }
}
