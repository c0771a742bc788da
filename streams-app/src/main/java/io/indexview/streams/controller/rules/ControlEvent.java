package io.indexview.streams.controller.rules;

import io.indexview.schemas.control.RepairProgress;
import io.indexview.schemas.control.RowsVerified;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.ViewSpec;

/**
 * What happens to the views: read from the control topics, found by an action or a watch, or seen
 * by a controller that takes over. A {@link Finding} that an action or a watch made waits until the
 * topics are read; the same kinds count at once where they are read or seen, as {@link
 * Finding.Lost} and {@link Finding.PublicationsLost} may be. What merely is, is {@link Observed}.
 */
public sealed interface ControlEvent
    permits ControlEvent.Reported,
        ControlEvent.Repaired,
        ControlEvent.ReportOver,
        ControlEvent.ViewEvent,
        Finding {

  /** An event of one view, on which its rules decide. */
  sealed interface ViewEvent extends ControlEvent
      permits Definition,
          Verified,
          Continued,
          RemovalLost,
          ViewPublicationsLost,
          Ticked,
          Finding.OfView {
    String view();
  }

  /** What is desired, as it was read. */
  sealed interface Definition extends ViewEvent {}

  record Desired(ViewSpec spec) implements Definition {
    @Override
    public String view() {
      return spec.view();
    }
  }

  record Dropped(String view) implements Definition {}

  /**
   * A record that nobody can read.
   *
   * @param view that it defines, which may be no name of a view; empty: it is no definition, or has
   *     no key
   */
  record Unreadable(String view, String reason) implements Definition {}

  record Reported(TaskProgress report) implements ControlEvent {}

  record Repaired(RepairProgress report) implements ControlEvent {}

  /** A report is of nothing that there is any more. */
  record ReportOver(String key) implements ControlEvent {}

  record Verified(RowsVerified report) implements ViewEvent {
    @Override
    public String view() {
      return report.view();
    }
  }

  /**
   * A status of this version stands, whoever published it: later ones alone follow it, also if it
   * is none of this application's, or if the end of its memory is lost.
   *
   * @param uid of the view that it is of
   */
  record Continued(String view, long version, String uid) implements ViewEvent {}

  /** A generation that is gone stands as published. */
  record RemovalLost(String view, int generation) implements ViewEvent {}

  /** Some of what was published of the view is lost. */
  record ViewPublicationsLost(String view) implements ViewEvent {}

  /** Time went on, or what is observed changed. */
  record Ticked(String view) implements ViewEvent {}
}
