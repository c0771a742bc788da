package io.indexview.streams.work.watch;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.streams.work.Job;
import io.indexview.streams.work.Look;
import io.indexview.streams.work.Surroundings;
import java.time.Duration;
import java.util.function.Consumer;

/** Does {@link Work.Watch}. */
public final class WatchJob implements Job {
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final PublishedGeneration published;
  private final SinkPulse pulse;
  private final Letters letters;
  private final SinkRetention retention;
  private boolean fellBehind;

  public WatchJob(Work.Watched watched, Surroundings around, SinkPulse pulse, Letters letters) {
    this.published = watched.published();
    this.pulse = pulse;
    this.letters = letters;
    this.retention =
        new SinkRetention(published.viewTopic(), around.sinkGroup(watched.target()), around);
  }

  @Override
  public Look look(Consumer<WorkResult> told) {
    followLetters(told);
    checkRetention(told);
    return new Look.Again(PAUSE, "");
  }

  private void followLetters(Consumer<WorkResult> told) {
    SinkPulse.Beat beat = pulse.beat();
    if (letters.readTo(beat.letters(), told)) {
      letters.rejected().searchTo(beat.taken(), told);
    }
  }

  private void checkRetention(Consumer<WorkResult> told) {
    if (fellBehind) {
      return;
    }
    retention
        .missed()
        .ifPresent(
            reason -> {
              fellBehind = true;
              told.accept(
                  new WorkResult.SinkFellBehind(published.view(), published.generation(), reason));
            });
  }
}
