package io.indexview.streams.build;

import io.indexview.schemas.control.TaskProgress;

/** What a task does with a generation. The order is part of the stored format: only append. */
enum Phase {
  /** Also as long as it waits for something. */
  BUILDING(TaskProgress.Phase.BUILDING),
  BUILT(TaskProgress.Phase.BUILT),
  /** Never writes it again. */
  STOPPED(TaskProgress.Phase.STOPPED),
  /** Cannot write it. */
  FAILED(TaskProgress.Phase.FAILED);

  private final TaskProgress.Phase reported;

  Phase(TaskProgress.Phase reported) {
    this.reported = reported;
  }

  TaskProgress.Phase reported() {
    return reported;
  }
}
