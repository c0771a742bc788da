package io.indexview.streams.work.jobs;

import io.indexview.streams.generation.Cluster;
import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.streams.work.Job;
import io.indexview.streams.work.Look;
import java.util.function.Consumer;

/** Does {@link Work.DeleteTopic}. */
record DeleteTopicJob(Work.DeleteTopic work, Cluster cluster) implements Job {
  @Override
  public Look look(Consumer<WorkResult> told) {
    cluster.delete(work.viewTopic());
    return Look.answered(WorkResult.Done.of(work));
  }
}
