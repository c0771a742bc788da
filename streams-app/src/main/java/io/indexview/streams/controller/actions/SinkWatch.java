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
  private final DeadLetterReader letters;
  private final SinkRetention retention;
  private boolean fellBehind;

  public SinkWatch(
      Action.Watched watched,
      ActionContext context,
      SinkPositions pulse,
      DeadLetterReader letters) {
    this.published = watched.published();
    this.pulse = pulse;
    this.letters = letters;
    this.retention =
        new SinkRetention(published.viewTopic(), context.sinkGroup(watched.target()), context);
  }

  @Override
  public Progress advance(Consumer<Finding> found) {
    followLetters(found);
    checkRetention(found);
    return new Again(PAUSE, "");
  }

  private void followLetters(Consumer<Finding> found) {
    SinkPositions.Beat beat = pulse.beat();
    if (letters.readTo(beat.letters(), found)) {
      letters.rejected().searchTo(beat.taken(), found);
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
