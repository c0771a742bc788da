package io.indexview.streams.task;

import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.time.Time;
import io.indexview.streams.derive.TaskLocation;
import io.indexview.streams.derive.TaskOutput;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the controller how far a task is: at once a change of the phase, or that the first record
 * cannot be derived; everything once after a start, other changes now and then. Not safe for use by
 * several threads.
 */
final class ProgressReports {
  private static final Logger LOGGER = LoggerFactory.getLogger(ProgressReports.class);
  private static final long INTERVAL_MS = 500;

  /** Counts of rows alone are for people, and every view of every busy task has them. */
  private static final long COUNTS_INTERVAL_MS = 2_000;

  private final TaskLocation location;
  private final TaskOutput out;
  private final RegistryRetry retry;
  private final Map<GenerationKey, TaskProgress> reported = new HashMap<>();

  ProgressReports(TaskLocation location, TaskOutput out, Time time) {
    this.location = location;
    this.out = out;
    this.retry = new RegistryRetry(location, "report", time);
  }

  /** Forgets what was reported, so that all is reported again: the listener has lost it. */
  void forget() {
    reported.clear();
  }

  /**
   * Reports what is to be reported now.
   *
   * @param builds those that somebody wants to know of
   * @param estimated records in the state, about
   * @return whether it is; else it waits for the registry
   */
  boolean report(Collection<GenerationBuild> builds, long estimated, long nowMs) {
    return retry.attempt(
        () -> {
          reported.keySet().retainAll(builds.stream().map(GenerationBuild::key).toList());
          builds.forEach(build -> report(build, estimated, nowMs));
        });
  }

  private void report(GenerationBuild build, long estimated, long nowMs) {
    TaskProgress progress =
        build.report(location.recordSet(), location.partition(), estimated, nowMs);
    build.show(progress.estimated());
    TaskProgress last = reported.get(build.key());
    if (isDue(last, progress)) {
      out.report(progress);
      reported.put(build.key(), progress);
      log(last, progress);
    }
  }

  private static boolean isDue(TaskProgress last, TaskProgress next) {
    if (last == null || last.phase() != next.phase() || failsNewly(last, next)) {
      return true;
    }
    long passed = next.reportedAtMs() - last.reportedAtMs();
    boolean matters =
        last.done() != next.done()
            || last.failedRecords() != next.failedRecords()
            || !last.reason().equals(next.reason());
    boolean counts = last.rows() != next.rows() || last.keyBytes() != next.keyBytes();
    // The clock may have been set back.
    return (matters && (passed < 0 || passed >= INTERVAL_MS))
        || (counts && (passed < 0 || passed >= COUNTS_INTERVAL_MS));
  }

  private static boolean failsNewly(TaskProgress last, TaskProgress next) {
    return (last == null || last.failedRecords() == 0) && next.failedRecords() > 0;
  }

  private void log(TaskProgress last, TaskProgress next) {
    if (last != null && last.phase() != next.phase()) {
      LOGGER.info(
          "{}: view {} generation {} is {}, {} records, {} rows",
          location,
          next.view(),
          next.generation(),
          next.phase(),
          next.done(),
          next.rows());
    }
    if (failsNewly(last, next)) {
      LOGGER.warn(
          "{}: view {} generation {} has records that no row can be derived from; correct them, or the view: {}",
          location,
          next.view(),
          next.generation(),
          next.reason());
    }
  }
}
