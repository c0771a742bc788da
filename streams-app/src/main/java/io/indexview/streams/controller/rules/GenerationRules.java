package io.indexview.streams.controller.rules;

import io.indexview.schemas.control.TaskProgress.Phase;
import io.indexview.streams.controller.rules.ControlledGeneration.Standing;
import io.indexview.streams.controller.rules.ControlledView.Checking;
import io.indexview.streams.controller.rules.ControlledView.Placement;
import io.indexview.views.layout.ViewMetadata;
import java.time.Duration;
import java.util.Optional;

/** Brings each generation as far on its way as what is known allows. */
final class GenerationRules {
  private final Change change;
  private final ControlledView.Builder view;
  private final Observed observed;
  private final ControllerSettings settings;
  private final long nowMs;

  GenerationRules(Change change, Observed observed, ControllerSettings settings, long nowMs) {
    this.change = change;
    this.view = change.view;
    this.observed = observed;
    this.settings = settings;
    this.nowMs = nowMs;
  }

  void apply() {
    if (view.build().isHeldUp()) {
      giveWayToSpec();
    }
    stopUnwanted();
    publish();
    serve();
    view.at(Stage.STANDBY, Stage.LEAVING).forEach(this::stopAfterGrace);
    view.at(Stage.STOPPING)
        .filter(generation -> observed.all(generation, Phase.STOPPED))
        .forEach(generation -> view.move(generation, Stage.DRAINING));
    updatePlacement();
  }

  /** The group may have another name since the last start. */
  private void updatePlacement() {
    Placement placement = view.placement;
    String recordSet =
        view.serving()
            .or(() -> view.generation(view.goal))
            .map(generation -> generation.published().recordSet())
            .orElse(placement.recordSet());
    view.placement =
        new Placement(recordSet, placement.target(), settings.sinkGroup(placement.target()));
  }

  /** What is to serve by an earlier spec may never do so, and would hold this one up for ever. */
  private void giveWayToSpec() {
    boolean givesWay =
        view.generation(view.goal)
            .filter(goal -> goal.stage() != Stage.STANDBY || !mayServe(goal))
            .isPresent();
    if (givesWay) {
      view.serving().ifPresent(serving -> view.goal = serving.number());
    }
  }

  /**
   * Gives up what is prepared or built and no longer the goal. Nobody has read what never served,
   * so nobody has to be given time.
   */
  private void stopUnwanted() {
    view.at(Stage.PREPARED)
        .filter(generation -> generation.number() != view.goal)
        .forEach(change::remove);
    view.at(Stage.BUILDING)
        .filter(generation -> generation.number() != view.goal)
        .forEach(change::stop);
  }

  /**
   * Two generations that share a place must not be written at the same time, nor one while readers
   * take its rows for those of the other.
   */
  private void publish() {
    for (ControlledGeneration prepared : view.at(Stage.PREPARED).toList()) {
      view.sharing(prepared).forEach(this::freePlace);
      if (view.sharing(prepared).allMatch(other -> other.standing().isOver(view.applied))) {
        change.records.add(new ControlRecord.Generation(prepared.published()));
        view.move(prepared, Stage.BUILDING);
      }
    }
  }

  private void freePlace(ControlledGeneration other) {
    if (other.stage() == Stage.BUILDING) {
      change.stop(other);
    } else if (other.stage() == Stage.SERVING || other.stage() == Stage.STANDBY) {
      view.move(other, Stage.LEAVING);
    }
  }

  private void serve() {
    Optional<ControlledGeneration> candidate =
        view.generation(view.goal)
            .filter(goal -> goal.stage() == Stage.BUILDING || goal.stage() == Stage.STANDBY)
            .filter(this::mayServe);
    if (candidate.isEmpty()) {
      view.checking = null;
    } else if (change.passed && view.checking.generation() == view.goal) {
      view.checking = null;
      view.serving().ifPresent(serving -> view.move(serving, Stage.STANDBY));
      view.move(candidate.get(), Stage.SERVING);
    } else if (view.checking == null || view.checking.generation() != view.goal) {
      view.checks++;
      view.checking = new Checking(view.goal, view.checks);
    }
  }

  /**
   * Whether a generation may come to serve:
   *
   * <ol>
   *   <li>every task has built it;
   *   <li>if another one serves: the app has not forgotten records of its record set, as it would
   *       lack them;
   *   <li>if another one serves: it has no faults, or that one has some, too. What is wrong with a
   *       record set that both read counts for neither ({@link Reasons#faultsBeside}).
   * </ol>
   *
   * <p>The first one that serves may have faults; its view is DEGRADED then.
   */
  private boolean mayServe(ControlledGeneration candidate) {
    boolean lacksRecords = observed.forgotten().contains(candidate.published().recordSet());
    return observed.all(candidate, Phase.BUILT)
        && view.serving().stream()
            .filter(serving -> serving.number() != candidate.number())
            .allMatch(
                serving ->
                    !lacksRecords
                        && (Reasons.faultsBeside(serving, candidate, observed).isEmpty()
                            || !Reasons.faultsBeside(candidate, serving, observed).isEmpty()));
  }

  /** Stops a generation when its readers had time to see that it no longer serves. */
  private void stopAfterGrace(ControlledGeneration generation) {
    long graceUntilMs = generation.standing().graceUntilMs();
    long fromNowMs = nowMs + grace(generation).toMillis();
    if (graceUntilMs == Standing.NO_GRACE) {
      if (generation.standing().since() <= view.applied) {
        view.startGrace(generation, fromNowMs);
      }
      return;
    }
    if (graceUntilMs > fromNowMs) {
      // Somebody began to wait for its place, or the clock was set back.
      view.startGrace(generation, fromNowMs);
      return;
    }
    if (nowMs >= graceUntilMs && generation.number() != view.goal) {
      change.stop(generation);
    }
  }

  /** What waits for its place is not read meanwhile, so it waits no longer than it must. */
  private Duration grace(ControlledGeneration generation) {
    boolean isWaitedFor =
        view.sharing(generation).anyMatch(other -> other.stage() == Stage.PREPARED);
    return isWaitedFor ? ViewMetadata.MIN_GRACE : settings.grace();
  }
}
