package io.indexview.streams.work.jobs;

import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.streams.work.Job;
import io.indexview.streams.work.Look;
import io.indexview.streams.work.Surroundings;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/** Does {@link Work.RemoveRows} through a sink that removes them by itself. */
final class NativeRemovalJob implements Job {
  private final Work.RemoveRows work;
  private final Surroundings around;
  private final ControlRecord control;
  private Map<TopicPartition, Long> ends;

  NativeRemovalJob(Work.RemoveRows work, Surroundings around, ControlRecord control) {
    this.work = work;
    this.around = around;
    this.control = control;
  }

  @Override
  public Look look(Consumer<WorkResult> told) {
    if (ends == null) {
      Map<TopicPartition, Long> present = around.ends(work.viewTopic());
      if (!present.isEmpty() && !isTold(present)) {
        around.writer().write(List.of(control.removeRows(work, around.clock().millis())));
        present = around.positions().ends(work.viewTopic());
      }
      ends = present;
    }
    return around.isApplied(work.target(), ends)
        ? Look.answered(WorkResult.Done.of(work))
        : Look.waiting(
            "consumer group %s, the sink of target %s, to remove the rows of generation %d"
                .formatted(around.sinkGroup(work.target()), work.target(), work.generation()));
  }

  /** Nobody writes the topic after it, so if it is there it is the last record. */
  private boolean isTold(Map<TopicPartition, Long> present) {
    TopicPartition partition = new TopicPartition(work.viewTopic(), ControlRecord.PARTITION);
    long end = present.get(partition);
    AtomicBoolean found = new AtomicBoolean();
    around
        .reader()
        .read(
            partition,
            Math.max(0, end - 1),
            end,
            last -> {
              found.set(control.isOne(last.key()));
              return true;
            });
    return found.get();
  }
}
