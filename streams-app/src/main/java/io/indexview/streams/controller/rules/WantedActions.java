package io.indexview.streams.controller.rules;

import io.indexview.schemas.control.ViewState.Role;
import io.indexview.streams.controller.rules.ControlledGeneration.Standing;
import io.indexview.streams.controller.rules.ControlledView.Checking;
import io.indexview.streams.controller.rules.ControlledView.Deletion;
import io.indexview.streams.controller.rules.ControlledView.Freezing;
import io.indexview.streams.controller.rules.ControlledView.Leftover;
import io.indexview.streams.controller.rules.ControlledView.Snapshot;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** What the state of a view wants done: a function of the committed state alone. */
final class WantedActions {
  private final ControlledView view;
  private final Map<String, Action> wanted = new LinkedHashMap<>();

  private WantedActions(ControlledView view) {
    this.view = view;
  }

  /** The actions that a view wants, by id. */
  static Map<String, Action> of(ControlledView view) {
    WantedActions actions = new WantedActions(view);
    actions.collect();
    return actions.wanted;
  }

  private void want(Action action) {
    wanted.put(action.id(), action);
  }

  private void collect() {
    Freezing freezing = view.freezing;
    if (freezing != null) {
      want(new Action.Freeze(freezing.spec(), view.uid, freezing.number()));
    }
    Snapshot snapshot = view.snapshot;
    if (snapshot != null && !snapshot.done()) {
      want(new Action.AdHocSnapshot(view.view, snapshot.recordSet(), snapshot.request()));
    }
    view.generations.forEach(this::collect);
    collectStateApplied();
    view.leftovers.stream()
        .filter(leftover -> leftover.version() <= view.applied || !isKnownToTarget())
        .map(
            topic ->
                new Action.DeleteTopic(
                    view.view, topic.generation(), topic.viewTopic(), topic.version()))
        .forEach(this::want);
  }

  private void collect(ControlledGeneration generation) {
    Action.Watched watched = new Action.Watched(generation.published(), view.placement.target());
    String viewTopic = generation.published().viewTopic();
    Action.Watch watch =
        new Action.Watch(
            watched,
            generation.faults().deadLetters(),
            List.copyOf(generation.faults().rejected().values()));
    switch (generation.stage()) {
      case BUILDING, SERVING, STANDBY -> want(watch);
      case DRAINING ->
          want(
              new Action.CheckTopicApplied(
                  view.view, generation.number(), watched.target(), viewTopic));
      case DRAINED -> {
        if (generation.standing().isOver(view.applied) && !isHeld(generation)) {
          want(
              new Action.RemoveRows(
                  view.view,
                  generation.number(),
                  watched.target(),
                  viewTopic,
                  generation.description()));
        }
      }
      default -> {}
    }
    Checking checking = view.checking;
    if (checking != null && checking.generation() == generation.number()) {
      want(new Action.CheckReady(watch, checking.number()));
    }
  }

  /** What another generation is built over stays until that one serves. */
  private boolean isHeld(ControlledGeneration generation) {
    return view.generations.stream()
        .filter(other -> other.stage().role() == Role.BUILDING)
        .anyMatch(other -> other.store().equals(generation.store()));
  }

  /** Whether a target may show the view; none does if all its definitions were refused. */
  private boolean isKnownToTarget() {
    return !view.placement.target().isEmpty();
  }

  private void collectStateApplied() {
    Deletion deletion = view.deletion;
    boolean buried = deletion != null && deletion.tombstone() > 0;
    if (buried) {
      if (!deletion.applied()) {
        wantApplied(deletion.tombstone(), Action.StateRecord.TOMBSTONE);
      }
      return;
    }
    long awaited = LongStream.concat(awaitedByGenerations(), awaitedByTopics()).max().orElse(0);
    if (awaited > view.applied && isKnownToTarget()) {
      wantApplied(awaited, Action.StateRecord.STATE);
    }
  }

  private LongStream awaitedByGenerations() {
    return view.generations.stream()
        .map(ControlledGeneration::standing)
        .filter(WantedActions::isAwaited)
        .mapToLong(Standing::since);
  }

  private static boolean isAwaited(Standing standing) {
    return Stream.of(Stage.STANDBY, Stage.LEAVING, Stage.DRAINED)
        .anyMatch(stage -> stage == standing.stage());
  }

  private LongStream awaitedByTopics() {
    return view.leftovers.stream().mapToLong(Leftover::version);
  }

  private void wantApplied(long version, Action.StateRecord expected) {
    want(new Action.CheckStateApplied(view.view, view.placement.target(), version, expected));
  }
}
