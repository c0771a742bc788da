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
record DeleteTopicJob(Work.DeleteTopic work, Surroundings around) implements Job {
  private static final Logger LOGGER = LoggerFactory.getLogger(DeleteTopicJob.class);

  @Override
  public Look look(Consumer<WorkResult> told) {
    if (isPublished()) {
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
