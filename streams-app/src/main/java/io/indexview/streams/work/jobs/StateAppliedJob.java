package io.indexview.streams.work.jobs;

import io.indexview.schemas.control.ViewState;
import io.indexview.streams.config.TargetConfig.Removal;
import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.streams.work.Job;
import io.indexview.streams.work.Look;
import io.indexview.streams.work.Surroundings;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/** Does {@link Work.CheckStateApplied}. */
final class StateAppliedJob implements Job {
  private final Work.CheckStateApplied work;
  private final Surroundings around;
  private Map<TopicPartition, Long> ends;

  StateAppliedJob(Work.CheckStateApplied work, Surroundings around) {
    this.work = work;
    this.around = around;
  }

  @Override
  public Look look(Consumer<WorkResult> told) {
    if (ends == null) {
      if (!isThere()) {
        return Look.waiting("the state of the view to be committed");
      }
      ends = around.positions().ends(around.topics().viewStates());
    }
    // A stock sink has no state to show.
    boolean shown = around.config().target(work.target()).removal() == Removal.NATIVE;
    if (shown && !around.isApplied(work.target(), ends)) {
      return Look.waiting(
          "consumer group %s, the sink of target %s, to apply topic %s"
              .formatted(
                  around.sinkGroup(work.target()), work.target(), around.topics().viewStates()));
    }
    return Look.answered(WorkResult.Done.of(work));
  }

  private boolean isThere() {
    ViewState state = around.tables().states().get().get(work.view());
    return work.expected() == Work.StateRecord.TOMBSTONE
        ? state == null
        : state != null && state.version() >= work.version();
  }
}
