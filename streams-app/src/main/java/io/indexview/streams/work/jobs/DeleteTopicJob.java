package io.indexview.streams.work.jobs;

import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.streams.work.Job;
import io.indexview.streams.work.Look;
import io.indexview.streams.work.Surroundings;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does {@link Work.DeleteTopic}. */
final class DeleteTopicJob implements Job {
  /** The partitions of a transaction show that it is over one after the other. */
  static final int LOOKS = 100;

  private static final Logger LOGGER = LoggerFactory.getLogger(DeleteTopicJob.class);

  private final Work.DeleteTopic work;
  private final Surroundings around;
  private int looks;

  DeleteTopicJob(Work.DeleteTopic work, Surroundings around) {
    this.work = work;
    this.around = around;
  }

  @Override
  public Look look(Consumer<WorkResult> told) {
    if (isPublished()) {
      if (++looks < LOOKS) {
        return Look.waiting(
            "the end of generation %d to be published".formatted(work.generation()));
      }
      LOGGER.warn("Topic {} is not deleted: its generation is published", work.viewTopic());
    } else {
      around.cluster().delete(work.viewTopic());
    }
    return Look.answered(WorkResult.Done.of(work));
  }

  /** Tasks would wait for the topic, and end. */
  private boolean isPublished() {
    return around.tables().generations().get().values().stream()
        .anyMatch(generation -> generation.viewTopic().equals(work.viewTopic()));
  }
}
