package io.indexview.streams.topology;

import io.indexview.streams.task.SetAsideTask;
import java.time.Duration;
import java.util.function.Function;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** The shell of what stands in the place of a task while its record set is set aside. */
final class SetAsideProcessor implements Processor<byte[], byte[], Object, byte[]> {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(500);

  private final Function<ProcessorContext<Object, byte[]>, SetAsideTask> tasks;
  private SetAsideTask task;

  /**
   * @param tasks called when its store is restored
   */
  SetAsideProcessor(Function<ProcessorContext<Object, byte[]>, SetAsideTask> tasks) {
    this.tasks = tasks;
  }

  @Override
  public void init(ProcessorContext<Object, byte[]> context) {
    context.schedule(
        POLL_INTERVAL,
        PunctuationType.WALL_CLOCK_TIME,
        now -> {
          if (task == null) {
            task = tasks.apply(context);
          }
          task.poll(now);
        });
  }

  @Override
  public void process(Record<byte[], byte[]> message) {
    // No event: what stands in the place of the change topic.
  }

  @Override
  public void close() {
    task = null;
  }
}
