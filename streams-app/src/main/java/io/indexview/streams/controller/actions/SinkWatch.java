package io.indexview.streams.controller.actions;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.Finding;
import java.time.Duration;
import java.util.function.Consumer;

/** Does {@link Action.Watch}. */
public final class SinkWatch implements Activity {
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final PublishedGeneration published;
  private final SinkPositions pulse;
  private final DeadLetterReader deadLetters;
  private final SinkRetention retention;
  private boolean fellBehind;

  public SinkWatch(
      Action.Watched watched,
      ActionContext context,
      SinkPositions pulse,
      DeadLetterReader deadLetters) {
    this.published = watched.published();
    this.pulse = pulse;
    this.deadLetters = deadLetters;
    this.retention =
        new SinkRetention(published.viewTopic(), context.sinkGroup(watched.target()), context);
  }

  @Override
  public Progress advance(Consumer<Finding> found) {
    followDeadLetters(found);
    checkRetention(found);
    return new Again(PAUSE, "");
  }

  private void followDeadLetters(Consumer<Finding> found) {
    SinkPositions.Beat beat = pulse.beat();
    if (deadLetters.readTo(beat.deadLetters(), found)) {
      deadLetters.rejected().searchTo(beat.taken(), found);
    }
  }

  private void checkRetention(Consumer<Finding> found) {
    if (fellBehind) {
      return;
    }
    retention
        .missed()
        .ifPresent(
            reason -> {
              fellBehind = true;
              found.accept(
                  new Finding.SinkFellBehind(published.view(), published.generation(), reason));
            });
  }
}
