package io.indexview.streams.controller.rules;

import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.streams.controller.rules.ControlledView.Deletion;
import io.indexview.streams.controller.rules.ControlledView.Freezing;
import io.indexview.streams.controller.rules.ControlledView.Placement;
import io.indexview.streams.controller.rules.ControlledView.Snapshot;
import io.indexview.views.definition.ViewDefinition;
import java.util.Optional;

/**
 * Finds or makes the generation that serves what is desired, or takes a dropped view away. Until
 * there is such a generation, and when the definition is refused, everything goes on as before.
 */
final class DesiredRules {
  private final Change change;
  private final ControlledView.Builder view;
  private final ControllerSettings settings;
  private final long nowMs;

  DesiredRules(Change change, ControllerSettings settings, long nowMs) {
    this.change = change;
    this.view = change.view;
    this.settings = settings;
    this.nowMs = nowMs;
  }

  void apply() {
    if (!isFreezingDesired()) {
      // It may wait for ever: nobody waits for it who wants something else.
      change.giveUpFreezing();
    }
    if (view.deletion != null) {
      delete();
    }
    if (view.spec != null && view.deletion == null && view.spec.version() != view.resolved) {
      resolve(view.spec);
    }
  }

  /** Whether what is being frozen, if anything is, would serve the spec. */
  private boolean isFreezingDesired() {
    return view.freezing == null
        || view.deletion == null
            && view.spec != null
            && view.spec.definition().equals(view.freezing.spec().definition())
            && view.spec.build().number() == view.freezing.spec().build().number();
  }

  /**
   * Deletes the generations of a view, then its topics, and its status last: the status tells what
   * is waited for.
   */
  private void delete() {
    if (view.deletion.tombstone() == 0) {
      view.at(Stage.SERVING, Stage.STANDBY)
          .forEach(generation -> view.move(generation, Stage.LEAVING));
      if (view.generations().isEmpty() && view.leftovers.isEmpty()) {
        view.version = view.nextVersion();
        boolean nobodyToTell = view.placement.target().isEmpty();
        view.deletion = new Deletion(view.version, nobodyToTell);
        change.records.add(new ControlRecord.StateGone(view.view, view.uid));
      }
    } else if (view.deletion.applied() && view.leftovers.isEmpty()) {
      // All is forgotten but the numbers; a view of this name may be desired again.
      view.deletion = null;
      view.resolved = 0;
      view.placement = Placement.NONE;
    }
  }

  private void resolve(ViewSpec spec) {
    Optional<ControlledGeneration> standing =
        view.at(Stage.PREPARED, Stage.BUILDING, Stage.SERVING, Stage.STANDBY)
            .filter(generation -> generation.serves(spec))
            .reduce((older, newer) -> newer);
    if (standing.isPresent()) {
      view.accept(standing.get().number());
    } else if (view.freezing == null) {
      definition(spec)
          .filter(definition -> ControlledView.hasRoom(view.generations()))
          .ifPresent(definition -> startFreezing(spec, definition));
    }
  }

  private Optional<ViewDefinition> definition(ViewSpec spec) {
    try {
      ViewDefinition definition = ViewDefinition.fromJson(spec.definition());
      String problem = problem(definition);
      if (problem.isEmpty()) {
        return Optional.of(definition);
      }
      view.refuse(problem);
    } catch (IllegalArgumentException e) {
      view.refuse(Reasons.bounded(e.getMessage()));
    }
    return Optional.empty();
  }

  private String problem(ViewDefinition definition) {
    if (!definition.name().equals(view.view)) {
      return "name: \"%s\" is not the name of the view, \"%s\""
          .formatted(definition.name(), view.view);
    }
    String target = definition.target().type();
    if (view.goal != 0 && !target.equals(view.placement.target())) {
      return "target: it cannot be changed from %s to %s; drop the view and define it again, or define another one"
          .formatted(view.placement.target(), target);
    }
    return "";
  }

  private void startFreezing(ViewSpec spec, ViewDefinition definition) {
    if (view.goal == 0) {
      view.placement = new Placement(definition.source(), definition.target().type(), "");
    }
    if (spec.build().mode() == BuildMode.SNAPSHOT && !hasSnapshot(definition.source())) {
      return;
    }
    view.snapshot = null;
    view.lastNumber++;
    String viewTopic =
        settings.topics().view(definition.target().type(), view.view, view.lastNumber);
    view.freezing = new Freezing(spec, view.lastNumber, viewTopic);
  }

  /** Whether the sources published everything again since this was desired; asks them to. */
  private boolean hasSnapshot(String recordSet) {
    if (view.snapshot == null) {
      view.snapshot = new Snapshot(recordSet, nowMs, false);
    }
    return view.snapshot.done();
  }
}
