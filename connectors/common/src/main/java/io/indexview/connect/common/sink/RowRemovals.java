package io.indexview.connect.common.sink;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.errors.RecordErrors;
import io.indexview.connect.common.source.StopLatch;
import io.indexview.schemas.control.UnexpectedRow;
import io.indexview.schemas.logging.OutageLog;
import io.indexview.views.layout.UnexpectedRemoval;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removals of whole generations, one after the other on a thread of their own, as they may take
 * long. Each begins when everything before its record is applied. What is given up comes again with
 * its record. For one thread.
 */
public final class RowRemovals implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(RowRemovals.class);
  private static final long CLOSE_SECONDS = 30;

  private final CommittableOffsets offsets;
  private final Supplier<Backoff> backoffs;
  private final ExecutorService executor;
  private final List<Job> jobs = new ArrayList<>();

  /**
   * @param name for the thread
   * @param offsets that the removals' records are counted in
   * @param backoffs waits of one removal while the store is not available
   */
  public RowRemovals(String name, CommittableOffsets offsets, Supplier<Backoff> backoffs) {
    this.offsets = offsets;
    this.backoffs = backoffs;
    this.executor =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread thread = new Thread(task, name + "-removals");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** Removes all rows of one generation, or what lies among them. */
  @FunctionalInterface
  public interface Removal {
    /**
     * Returns when it is done (of a whole generation, when a read has found no row), or soon after
     * the stop.
     *
     * @param removed told now and then that something is removed: an outage that was before is over
     * @throws RetriableException if the store is not available; called again then
     */
    void run(StopLatch stop, Runnable removed);
  }

  /**
   * Removes what lies among the rows of a generation, key by key, until the stop.
   *
   * @param removed as of {@link Removal#run}
   * @param remove whether it removed what is at the key
   */
  public static void removeUnexpected(
      UnexpectedRemoval unexpected,
      StopLatch stop,
      Runnable removed,
      Predicate<UnexpectedRow> remove) {
    int count = 0;
    for (UnexpectedRow row : unexpected.rows()) {
      if (stop.stopped()) {
        return;
      }
      if (remove.test(row)) {
        count++;
        removed.run();
      }
    }
    LOGGER.info(
        "Removed {} of {} keys that are no rows of view {} generation {}",
        count,
        unexpected.rows().size(),
        unexpected.generation().view(),
        unexpected.generation().number());
  }

  /** Takes a removal over. The record must be in flight in the offsets. */
  public void add(SinkRecord record, Removal removal) {
    jobs.add(new Job(record, removal));
  }

  /**
   * Begins what may begin.
   *
   * @return the records of the removals that are complete since the last call
   * @throws RuntimeException that a removal failed with; thrown by every later call again
   */
  public List<SinkRecord> settle() {
    List<SinkRecord> complete = new ArrayList<>();
    for (Iterator<Job> each = jobs.iterator(); each.hasNext(); ) {
      Job job = each.next();
      if (job.isComplete()) {
        each.remove();
        complete.add(job.record);
      } else {
        job.beginIfNext();
      }
    }
    return complete;
  }

  /** Removals that wait or run. */
  public int pending() {
    return jobs.size();
  }

  /** Stops removals for partitions that were revoked: other tasks have them now. */
  public void giveUp(Collection<TopicPartition> partitions) {
    jobs.removeIf(
        job -> {
          boolean revoked = partitions.contains(CommittableOffsets.partition(job.record));
          if (revoked) {
            job.stop.stop();
          }
          return revoked;
        });
  }

  /** Gives all up, and waits until none uses the store any more. */
  @Override
  public void close() {
    jobs.forEach(job -> job.stop.stop());
    jobs.clear();
    executor.shutdown();
    try {
      if (!executor.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOGGER.warn(
            "A removal of rows waits for the store {} s after its task was stopped; it ends with the request, and the next task removes the rest",
            CLOSE_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private final class Job {
    private final SinkRecord record;
    private final Removal removal;
    private final StopLatch stop = new StopLatch();
    private Future<?> run;

    private Job(SinkRecord record, Removal removal) {
      this.record = record;
      this.removal = removal;
    }

    private void beginIfNext() {
      if (run == null && offsets.isNext(record)) {
        run = executor.submit(this::runUntilDone);
      }
    }

    private void runUntilDone() {
      Backoff backoff = backoffs.get();
      String coordinates = RecordErrors.coordinates(record);
      OutageLog outages = new OutageLog(LOGGER, coordinates + ": rows can be removed again");
      while (!stop.stopped()) {
        try {
          removal.run(stop, outages::succeeded);
          if (!stop.stopped()) {
            outages.succeeded();
          }
          return;
        } catch (RetriableException e) {
          outages.failed(
              "%s: rows cannot be removed now, which is tried again until it works: %s"
                  .formatted(coordinates, e.getMessage()),
              e);
          await(backoff);
        }
      }
    }

    private void await(Backoff backoff) {
      try {
        stop.await(backoff.next());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new ConnectException("interrupted while removing rows", e);
      }
    }

    private boolean isComplete() {
      if (run == null || !run.isDone()) {
        return false;
      }
      try {
        run.get();
        return true;
      } catch (ExecutionException e) {
        throw e.getCause() instanceof RuntimeException failure
            ? failure
            : new ConnectException("removing rows failed", e.getCause());
      } catch (InterruptedException e) {
        throw new IllegalStateException("a finished removal cannot be waited for", e);
      }
    }
  }
}
