package io.indexview.streams.build;

import io.indexview.streams.derive.ChangeRecord;
import io.indexview.streams.derive.DeriverServices;
import io.indexview.streams.derive.RecordSetDeriver;
import io.indexview.streams.derive.StateDeriver;
import io.indexview.streams.derive.TaskOutput;
import io.indexview.streams.derive.ViewPlans;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * One task of a record set: derives the rows of live events, takes generations as they come and go,
 * and builds new ones from the state in between. Whatever a call changes and puts out belongs in
 * one transaction. Not safe for use by several threads.
 */
public final class RecordSetTask implements AutoCloseable {
  private final TaskStores stores;
  private final TaskOutput out;
  private final TaskBuilds builds;
  private final RecordSetDeriver deriver;
  private final BuildWalk walk;
  private final ProgressReports reports;

  /**
   * Goes on where the task was, as its stores say. Waits for the registry if it has to.
   *
   * @param maxEntryBytes how large a key and its encoded entry may be together
   */
  public RecordSetTask(
      TaskPlace place,
      DeriverServices services,
      TaskStores stores,
      TaskOutput out,
      int maxEntryBytes) {
    this.stores = stores;
    this.out = out;
    ViewPlans plans = new ViewPlans(place.format(), services);
    this.builds =
        new TaskBuilds(
            place,
            services,
            new GenerationReader(services.registry()),
            new BuildMemory(stores.memory()),
            plans);
    this.deriver =
        new RecordSetDeriver(place.recordSet(), place.format(), services, plans, maxEntryBytes);
    StateDeriver stateDeriver = new StateDeriver(place.topic(), place.partition(), services, plans);
    this.walk = new BuildWalk(stateDeriver, stores.entries(), out);
    this.reports = new ProgressReports(place, out);
    builds.load();
  }

  /**
   * Processes one event.
   *
   * @param nowMs wall clock, ms since the epoch
   */
  public void process(ChangeRecord change, long nowMs) {
    deriver.process(change, stores.entries(), out, nowMs);
  }

  /** Takes what changed on the control topics, and reports. To be called a few times a second. */
  public void poll(long nowMs) {
    builds.poll(stores.generations(), nowMs);
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
    reports.report(builds.published(), stores.entries().estimatedSize(), nowMs);
  }

  /** Takes its share off the metrics. */
  @Override
  public void close() {
    builds.close();
  }
}
