package io.indexview.streams.lifecycle.machine;

import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.ViewWish;
import io.indexview.streams.lifecycle.work.WorkResult;
import java.util.Map;

/** Something that happened to a view. */
public sealed interface ViewEvent {

  record Wished(ViewWish wish) implements ViewEvent {}

  record Dropped() implements ViewEvent {}

  /** There is a newer wish, and nobody can read it. */
  record Unreadable(String reason) implements ViewEvent {}

  record Reported(TaskProgress progress) implements ViewEvent {}

  record Worked(WorkResult result) implements ViewEvent {}

  /**
   * @param reasons why, by record set, events are missing; all that are broken now
   */
  record SetsBroken(Map<String, String> reasons) implements ViewEvent {
    public SetsBroken {
      reasons = Map.copyOf(reasons);
    }
  }

  /** Time went on. */
  record Ticked() implements ViewEvent {}
}
