package io.indexview.streams.work.watch;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.streams.config.TargetConfig;
import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.streams.work.Job;
import io.indexview.streams.work.Look;
import io.indexview.streams.work.Surroundings;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/** Does {@link Work.Watch}. */
public final class WatchJob implements Job {
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration RETENTION_PAUSE = Duration.ofSeconds(10);

  private final PublishedGeneration published;
  private final TargetConfig target;
  private final Surroundings around;
  private final Letters letters;
  private final SinkRetention retention;
  private Instant nextRetention = Instant.MIN;
  private boolean fellBehind;

  public WatchJob(Work.Watched watched, Surroundings around, Letters letters) {
    this.published = watched.published();
    this.target = around.config().target(watched.target());
    this.around = around;
    this.letters = letters;
    this.retention = new SinkRetention(around);
  }

  @Override
  public Look look(Consumer<WorkResult> told) {
    followLetters(told);
    checkRetention(told);
    return new Look.Again(PAUSE, "");
  }

  /** What the sink has taken is asked first: every dead letter of it is there to be read then. */
  private void followLetters(Consumer<WorkResult> told) {
    RejectedRows rejected = letters.rejected();
    Map<TopicPartition, Long> taken =
        rejected.isEmpty() ? Map.of() : around.positions().committed(target.sinkGroup());
    if (letters.readTo(around.ends(target.deadLetterTopic()), told)) {
      rejected.searchTo(taken, told);
    }
  }

  private void checkRetention(Consumer<WorkResult> told) {
    Instant now = around.clock().instant();
    if (fellBehind || now.isBefore(nextRetention)) {
      return;
    }
    nextRetention = now.plus(RETENTION_PAUSE);
    retention
        .missed(published.viewTopic(), target.sinkGroup())
        .ifPresent(
            reason -> {
              fellBehind = true;
              told.accept(
                  new WorkResult.SinkFellBehind(published.view(), published.generation(), reason));
            });
  }
}
