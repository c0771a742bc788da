package io.indexview.streams.work.jobs;

import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.streams.work.Job;
import io.indexview.streams.work.Look;
import io.indexview.streams.work.Surroundings;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/** Does {@link Work.CheckTopicApplied}. */
final class TopicAppliedJob implements Job {
  private final Work.CheckTopicApplied work;
  private final Surroundings around;
  private Map<TopicPartition, Long> ends;

  TopicAppliedJob(Work.CheckTopicApplied work, Surroundings around) {
    this.work = work;
    this.around = around;
  }

  @Override
  public Look look(Consumer<WorkResult> told) {
    if (ends == null) {
      ends = around.ends(work.viewTopic());
    }
    return around.isApplied(work.target(), ends)
        ? Look.answered(WorkResult.Done.of(work))
        : Look.waiting(
            "consumer group %s, the sink of target %s, to apply topic %s"
                .formatted(around.sinkGroup(work.target()), work.target(), work.viewTopic()));
  }
}
