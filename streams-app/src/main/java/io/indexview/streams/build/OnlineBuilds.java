package io.indexview.streams.build;

import io.indexview.schemas.control.BuildMode;
import io.indexview.streams.derive.DeriverServices;
import io.indexview.streams.derive.Entries;
import io.indexview.streams.derive.StateDeriver;
import io.indexview.streams.derive.TaskOutput;
import io.indexview.streams.derive.ViewPlans;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * The generations of one task, from the moment it learns of them: built in slices, reported,
 * stopped. Not safe for use by several threads.
 */
public final class OnlineBuilds implements AutoCloseable {
  private final Entries entries;
  private final ControlRecords generations;
  private final TaskBuilds builds;
  private final BuildWalk walk;
  private final ProgressReports reports;

  /**
   * What it works with.
   *
   * @param plans are made to derive what is to be derived
   * @param generations {@code view-generations}
   * @param gates of all modes
   */
  public record Parts(
      DeriverServices services,
      ViewPlans plans,
      StateDeriver deriver,
      Entries entries,
      TaskMemory memory,
      ControlRecords generations,
      Map<BuildMode, BuildGate> gates,
      TaskOutput out) {}

  /** Goes on where the task was. Waits for the registry if it has to. */
  public OnlineBuilds(TaskPlace place, Parts parts) {
    this.entries = parts.entries();
    this.generations = parts.generations();
    this.builds =
        new TaskBuilds(
            place,
            parts.services(),
            new BuildMemory(parts.memory()),
            parts.plans(),
            Map.copyOf(parts.gates()));
    this.walk = new BuildWalk(parts.deriver(), parts.entries(), parts.out());
    this.reports = new ProgressReports(place, parts.out());
    builds.load();
  }

  /** Takes what changed on the control topic, and reports. */
  public void poll(long nowMs) {
    builds.poll(generations, nowMs);
    report(nowMs);
  }

  /** Whether there is something to build now. */
  public boolean hasToBuild() {
    return !builds.front().isEmpty();
  }

  /**
   * Builds one slice, of one record at least if there is one.
   *
   * @param expired whether the time of the slice is over; asked after each record
   */
  public void build(BooleanSupplier expired, long nowMs) {
    List<TaskBuild> front = builds.front();
    if (front.isEmpty()) {
      return;
    }
    walk.run(front, expired);
    if (front.get(0).phase() == Phase.BUILT) {
      report(nowMs);
    }
  }

  private void report(long nowMs) {
    reports.report(builds.published(), entries.estimatedSize(), nowMs);
  }

  /** Takes its share off the metrics. */
  @Override
  public void close() {
    builds.close();
  }
}
