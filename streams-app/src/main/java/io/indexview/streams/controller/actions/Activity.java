package io.indexview.streams.controller.actions;

import io.indexview.streams.controller.rules.Finding;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * One action in progress, or a watch that goes on for ever. For one thread, which it does not hold
 * up: it does what can be done now and is asked again for the rest.
 */
@FunctionalInterface
public interface Activity {
  /** Pause between two attempts at something that will hold in a moment. */
  Duration SOON = Duration.ofMillis(150);

  /**
   * Goes on. What it throws is an outage or a bug; it is asked again all the same.
   *
   * @param found gets what is found beside the answer, in its order
   */
  Progress advance(Consumer<Finding> found);

  /** What one attempt came to. */
  sealed interface Progress {}

  /** The action is over. */
  record Answered(Finding.Answer answer) implements Progress {}

  /**
   * The activity is to be advanced again after a pause.
   *
   * @param waitingFor for people; empty: nothing worth telling
   */
  record Again(Duration pause, String waitingFor) implements Progress {}

  static Progress answered(Finding.Answer answer) {
    return new Answered(answer);
  }

  static Progress waiting(String waitingFor) {
    return new Again(SOON, waitingFor);
  }
}
