package io.indexview.streams.topology;

import io.indexview.schemas.time.Time;
import io.indexview.streams.derive.ChangeRecord;
import io.indexview.streams.error.FailedEvents;
import io.indexview.streams.error.RegistryWait;
import io.indexview.streams.task.RecordSetTask;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;

/** The shell of one task of a record set. */
final class RecordSetProcessor implements Processor<byte[], byte[], Object, byte[]> {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(100);

  /**
   * When nothing is under way. Kafka Streams commits after each poll, if an event ever came: a
   * transaction of each thread.
   */
  private static final Duration REST_INTERVAL = Duration.ofSeconds(1);

  private static final Duration WORK_INTERVAL = Duration.ofMillis(1);

  /** Changelogs of each task: that of its entries and that of its memory. */
  private static final int CHANGELOGS = 2;

  private final Supplier<ScanLimiter> limiters;
  private final Supplier<EarlyCommits> earlyCommits;
  private final IntConsumer beginning;
  private final Map<Integer, Set<Long>> steppedOver;
  private final FailedEvents failedEvents;
  private final RegistryWait registryWait;
  private final long maxNanos;
  private final Time time;
  private final Function<ProcessorContext<Object, byte[]>, RecordSetTask> tasks;
  private ProcessorContext<Object, byte[]> context;
  private ScanLimiter limiter;
  private EarlyCommits commits;
  private RecordSetTask task;
  private Cancellable polling;
  private Duration pollInterval;
  private Cancellable working;
  private Cancellable committing;

  /**
   * @param beginning gets the partition of a task that begins, before an event of it is asked for
   * @param steppedOver offsets that an operator has it step over, by partition
   * @param failedEvents those of the process
   * @param registryWait likewise
   * @param maxTime that a transaction may take
   * @param limiters the one of the calling stream thread
   * @param earlyCommits likewise
   * @param tasks called when there is something to do for the first time; its stores are restored
   *     then
   */
  RecordSetProcessor(
      IntConsumer beginning,
      Map<Integer, Set<Long>> steppedOver,
      FailedEvents failedEvents,
      RegistryWait registryWait,
      Duration maxTime,
      Time time,
      Supplier<ScanLimiter> limiters,
      Supplier<EarlyCommits> earlyCommits,
      Function<ProcessorContext<Object, byte[]>, RecordSetTask> tasks) {
    this.beginning = beginning;
    this.steppedOver = steppedOver;
    this.failedEvents = failedEvents;
    this.registryWait = registryWait;
    this.maxNanos = maxTime.toNanos();
    this.time = time;
    this.limiters = limiters;
    this.earlyCommits = earlyCommits;
    this.tasks = tasks;
  }

  @Override
  public void init(ProcessorContext<Object, byte[]> processorContext) {
    context = processorContext;
    limiter = limiters.get();
    commits = earlyCommits.get();
    beginning.accept(context.taskId().partition());
    pollEvery(POLL_INTERVAL);
  }

  private void pollEvery(Duration interval) {
    pollInterval = interval;
    polling = context.schedule(interval, PunctuationType.WALL_CLOCK_TIME, this::poll);
  }

  private RecordSetTask task() {
    if (task == null) {
      task = tasks.apply(context);
    }
    return task;
  }

  @Override
  public void process(Record<byte[], byte[]> message) {
    RecordMetadata metadata =
        context
            .recordMetadata()
            .orElseThrow(() -> new IllegalStateException("a source record has no coordinates"));
    ChangeRecord change =
        new ChangeRecord(
            metadata.topic(),
            metadata.partition(),
            metadata.offset(),
            message.timestamp(),
            message.key(),
            message.value());
    RecordSetTask derivation = task();
    // The clock is read once before and once after: that takes as long as some of the work.
    long began = time.nanoTime();
    limiter.eventCame(began);
    int waits = registryWait.waits();
    boolean isDerived = process(derivation, change, context.currentSystemTimeMs());
    long ended = time.nanoTime();
    // The registry is no matter of the event.
    if (isDerived && ended - began > maxNanos && registryWait.waits() == waits) {
      failedEvents.tookTooLong(
          change.topic(),
          change.partition(),
          derivation.position(change.offset()),
          Duration.ofNanos(ended - began));
    }
    commitEarly(began, ended);
  }

  private void commitEarly(long began, long ended) {
    boolean isFirst = commits.eventTook(this, partitions(), began, ended);
    if (commits.isDue(ended)) {
      context.commit();
      endWaitForCommit();
    } else if (!commits.isLittle()) {
      endWaitForCommit();
    } else if (isFirst) {
      endWaitForCommit();
      committing =
          context.schedule(
              commits.minInterval(),
              PunctuationType.WALL_CLOCK_TIME,
              unused -> commitWithoutEvent());
    }
  }

  /** About how many partitions the task writes; its memory has a record of each view, too. */
  private int partitions() {
    return CHANGELOGS + 2 * task.views();
  }

  /** Commits when it is due, because no event may come for long. */
  private void commitWithoutEvent() {
    if (commits.isDue(time.nanoTime())) {
      context.commit();
    }
    if (!commits.isOpen() || !commits.isLittle()) {
      endWaitForCommit();
    }
  }

  private void endWaitForCommit() {
    if (committing != null) {
      committing.cancel();
      committing = null;
    }
  }

  /**
   * What an event has changed when it fails is rolled back with its transaction.
   *
   * @return whether it was derived from
   */
  private boolean process(RecordSetTask derivation, ChangeRecord change, long now) {
    if (isSteppedOver(change)) {
      derivation.stepOver(change, now);
      return false;
    }
    long position = derivation.position(change.offset());
    Optional<String> reason =
        failedEvents.reasonToPassOver(change.topic(), change.partition(), position);
    if (reason.isPresent()) {
      derivation.passOver(change, reason.get(), now);
      return false;
    }
    try {
      derivation.process(change, now);
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      throw failedEvents.of(change.topic(), change.partition(), position, e);
    }
    return true;
  }

  private boolean isSteppedOver(ChangeRecord change) {
    return !steppedOver.isEmpty()
        && steppedOver.getOrDefault(change.partition(), Set.of()).contains(change.offset());
  }

  private void poll(long now) {
    task().poll(now);
    if (working == null && task.hasWork()) {
      working = context.schedule(WORK_INTERVAL, PunctuationType.WALL_CLOCK_TIME, this::work);
    }
    Duration interval = task.isUnderWay() ? POLL_INTERVAL : REST_INTERVAL;
    if (!interval.equals(pollInterval)) {
      polling.cancel();
      pollEvery(interval);
    }
  }

  private void work(long now) {
    long began = time.nanoTime();
    limiter.run(expired -> task.work(expired, now));
    commits.workTook(time.nanoTime() - began);
    if (!task.hasWork()) {
      working.cancel();
      working = null;
    }
  }

  /**
   * A task that is revived is initialized once more, with its stores as they were committed and
   * what it scheduled still there: nothing of before may go on.
   */
  @Override
  public void close() {
    polling.cancel();
    if (working != null) {
      working.cancel();
      working = null;
    }
    endWaitForCommit();
    commits.forget(this);
    if (task != null) {
      // Kafka Streams may go on with this processor after a failure.
      RecordSetTask closing = task;
      task = null;
      closing.close();
    }
  }
}
