package io.indexview.streams.controller.rules;

import io.indexview.streams.controller.rules.ControlledView.Leftover;
import java.util.ArrayList;
import java.util.List;

/** A step of a view: what it becomes, and what the step publishes. */
final class Change {
  final ControlledView.Builder view;
  final List<ControlRecord> records = new ArrayList<>();

  /** Whether the READY check of the goal was passed in this step. */
  boolean passed;

  /** Whether a status is to be published although it says nothing new. */
  boolean statusOwed;

  Change(ControlledView before) {
    view = before.toBuilder();
  }

  /** Makes the tasks stop writing a generation. */
  void stop(ControlledGeneration generation) {
    ControlledGeneration stopped = generation.with(generation.published().toStopped());
    records.add(new ControlRecord.Generation(stopped.published()));
    view.move(stopped, Stage.STOPPING);
  }

  /** Publishes everything that stands, in the order in which others learn of it. */
  void publishAgain() {
    view.generations().stream()
        .filter(generation -> generation.stage() != Stage.PREPARED)
        .map(ControlledGeneration::published)
        .forEach(published -> records.add(new ControlRecord.Generation(published)));
    if (view.deletion != null && view.deletion.tombstone() != 0) {
      records.add(new ControlRecord.StateGone(view.view, view.uid));
    }
    statusOwed = true;
  }

  /** Removes a generation whose rows are gone, or that never had any. */
  void remove(ControlledGeneration generation) {
    view.remove(generation);
    leaveTopic(generation.number(), generation.published().viewTopic());
  }

  /** Nothing comes of what is being frozen; a topic may have been made for it, or still be. */
  void giveUpFreezing() {
    leaveTopic(view.freezing.number(), view.freezing.viewTopic());
    view.freezing = null;
  }

  /**
   * The topic is to be deleted, when a status says that the generation is gone: before the target
   * shows that, somebody may still read it.
   */
  void leaveTopic(int generation, String viewTopic) {
    statusOwed = true;
    long until = view.build().isShown() ? view.nextVersion() : view.version;
    view.addLeftover(new Leftover(generation, viewTopic, until));
  }
}
