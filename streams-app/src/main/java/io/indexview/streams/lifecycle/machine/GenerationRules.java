package io.indexview.streams.lifecycle.machine;

import io.indexview.schemas.control.TaskProgress.Phase;
import io.indexview.streams.lifecycle.view.GenerationLife;
import io.indexview.streams.lifecycle.view.GenerationLife.Standing;
import io.indexview.streams.lifecycle.view.Stage;
import io.indexview.streams.lifecycle.view.ViewLife;
import java.util.Optional;
import java.util.Set;

/** Brings each generation as far on its way as what is known allows. */
final class GenerationRules {
  private static final Set<Stage> WRITTEN =
      Set.of(Stage.BUILDING, Stage.SERVING, Stage.STANDBY, Stage.LEAVING);

  private final Draft draft;
  private final LifeSettings settings;
  private final long nowMs;

  GenerationRules(Draft draft, LifeSettings settings, long nowMs) {
    this.draft = draft;
    this.settings = settings;
    this.nowMs = nowMs;
  }

  void apply() {
    abandon();
    announce();
    serve();
    draft.at(Stage.STANDBY, Stage.LEAVING).forEach(this::leave);
    draft
        .at(Stage.STOPPING)
        .filter(generation -> generation.all(Phase.STOPPED))
        .forEach(generation -> draft.move(generation, Stage.DRAINING));
    locate();
  }

  /** The group may have another name since the last start. */
  private void locate() {
    ViewLife.Place place = draft.place;
    String recordSet =
        draft
            .serving()
            .or(() -> draft.generation(draft.goal))
            .map(generation -> generation.published().recordSet())
            .orElse(place.recordSet());
    draft.place = new ViewLife.Place(recordSet, place.target(), settings.sinkGroup(place.target()));
  }

  /** Nobody ever read what did not serve, so nobody has to be given time. */
  private void abandon() {
    draft
        .at(Stage.PREPARED)
        .filter(generation -> generation.number() != draft.goal)
        .forEach(draft::remove);
    draft
        .at(Stage.BUILDING)
        .filter(generation -> generation.number() != draft.goal)
        .forEach(draft::stop);
  }

  /**
   * Two generations that share a place must not be written at the same time, nor one while readers
   * take its rows for those of the other.
   */
  private void announce() {
    for (GenerationLife prepared : draft.at(Stage.PREPARED).toList()) {
      draft.sharing(prepared).filter(other -> WRITTEN.contains(other.stage())).forEach(draft::stop);
      if (draft.sharing(prepared).allMatch(other -> other.standing().isOver(draft.applied))) {
        draft.publications.add(new Publication.Generation(prepared.published()));
        draft.move(prepared, Stage.BUILDING);
      }
    }
  }

  private void serve() {
    Optional<GenerationLife> candidate =
        draft
            .generation(draft.goal)
            .filter(goal -> goal.stage() == Stage.BUILDING || goal.stage() == Stage.STANDBY)
            .filter(goal -> goal.all(Phase.BUILT))
            .filter(this::mayServe);
    if (candidate.isEmpty()) {
      draft.checking = null;
    } else if (draft.passed && draft.checking.generation() == draft.goal) {
      draft.checking = null;
      draft.serving().ifPresent(serving -> draft.move(serving, Stage.STANDBY));
      draft.move(candidate.get(), Stage.SERVING);
    } else if (draft.checking == null || draft.checking.generation() != draft.goal) {
      draft.checks++;
      draft.checking = new ViewLife.Checking(draft.goal, draft.checks);
    }
  }

  /** What is right is not replaced by what is wrong. */
  private boolean mayServe(GenerationLife candidate) {
    return Reasons.faults(candidate, draft.broken).isEmpty()
        || draft.serving().stream()
            .allMatch(serving -> !Reasons.faults(serving, draft.broken).isEmpty());
  }

  /** Stops a generation when its readers had time to see that it serves no more. */
  private void leave(GenerationLife generation) {
    Standing standing = generation.standing();
    if (standing.graceFromMs() == Standing.NO_GRACE) {
      if (standing.since() > draft.applied) {
        return;
      }
      standing = standing.withGraceFrom(nowMs);
      draft.put(generation.with(standing));
    }
    boolean over = nowMs - standing.graceFromMs() >= settings.grace().toMillis();
    if (over && generation.number() != draft.goal) {
      draft.stop(generation.with(standing));
    }
  }
}
