package io.indexview.streams.work.jobs;

import io.indexview.schemas.control.ViewState;
import io.indexview.streams.generation.WishFreezer;
import io.indexview.streams.generation.WishFreezer.Outcome;
import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.streams.work.Job;
import io.indexview.streams.work.Look;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Does {@link Work.Freeze}. */
final class FreezeJob implements Job {
  private final Work.Freeze work;
  private final Supplier<Map<String, ViewState>> states;
  private final WishFreezer freezer;

  FreezeJob(Work.Freeze work, Supplier<Map<String, ViewState>> states, WishFreezer freezer) {
    this.work = work;
    this.states = states;
    this.freezer = freezer;
  }

  @Override
  public Look look(Consumer<WorkResult> told) {
    ViewState state = states.get().get(work.view());
    if (state == null || state.version() < work.stateVersion()) {
      return Look.waiting("the state of the view to be committed");
    }
    Outcome outcome = freezer.freeze(work.wish(), work.generation());
    if (outcome instanceof Outcome.Frozen frozen) {
      return Look.answered(
          new WorkResult.Frozen(
              work.id(), frozen.published(), frozen.description(), frozen.partitions()));
    }
    if (outcome instanceof Outcome.Refused refused) {
      return Look.answered(WorkResult.Refused.of(work, refused.reason()));
    }
    return Look.waiting(((Outcome.Waiting) outcome).what());
  }
}
