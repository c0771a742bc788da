package io.indexview.streams.lifecycle.machine;

import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.streams.lifecycle.view.GenerationLife;
import io.indexview.streams.lifecycle.view.Stage;
import io.indexview.streams.lifecycle.view.ViewLife;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A view as others see it.
 *
 * @param state without version and time
 */
record Portrait(ViewState state, Set<Reasons.Kind> reasons) {
  private static final int MAX_REASON = 2_000;

  /** What others act upon; all else is progress. */
  record Substance(
      ViewState.State state,
      long definitionVersion,
      String recordSet,
      String target,
      List<Standing> generations,
      Set<Reasons.Kind> reasons) {
    record Standing(int number, Role role) {}
  }

  static Portrait of(ViewLife life) {
    List<Reasons.Reason> reasons = Reasons.of(life);
    String text = reasons.stream().map(Reasons.Reason::text).collect(Collectors.joining("; "));
    ViewState state =
        new ViewState(
            life.view(),
            0,
            0,
            stateOf(life),
            life.wish() == null ? life.resolved() : life.wish().version(),
            text.length() <= MAX_REASON ? text : text.substring(0, MAX_REASON) + "…",
            life.place().recordSet(),
            life.place().target(),
            life.place().sinkGroup(),
            life.generations().stream().map(Portrait::generation).toList(),
            building(life).map(Portrait::progress).orElse(List.of()));
    return new Portrait(
        state, reasons.stream().map(Reasons.Reason::kind).collect(Collectors.toSet()));
  }

  private static ViewState.State stateOf(ViewLife life) {
    if (life.deletion() != null) {
      return ViewState.State.DELETING;
    }
    Optional<GenerationLife> serving =
        life.generations().stream()
            .filter(generation -> generation.stage() == Stage.SERVING)
            .findFirst();
    if (serving.isPresent()) {
      return Reasons.faults(serving.get(), life.broken()).isEmpty()
          ? ViewState.State.READY
          : ViewState.State.DEGRADED;
    }
    boolean stuck = !life.refusal().isEmpty() && building(life).isEmpty();
    return stuck ? ViewState.State.DEGRADED : ViewState.State.BUILDING;
  }

  private static Optional<GenerationLife> building(ViewLife life) {
    return life.generations().stream()
        .filter(generation -> generation.stage().role() == Role.BUILDING)
        .findFirst();
  }

  private static ViewState.Generation generation(GenerationLife generation) {
    return new ViewState.Generation(
        generation.number(),
        generation.stage().role(),
        generation.published().build().number(),
        generation.frozen().description(),
        total(generation, TaskProgress::rows),
        total(generation, TaskProgress::keyBytes));
  }

  private static OptionalLong total(
      GenerationLife generation, ToLongFunction<TaskProgress> amount) {
    return generation.tasks().size() < generation.frozen().partitions()
        ? OptionalLong.empty()
        : OptionalLong.of(generation.tasks().values().stream().mapToLong(amount).sum());
  }

  private static List<ViewState.Progress> progress(GenerationLife generation) {
    return IntStream.range(0, generation.frozen().partitions())
        .mapToObj(partition -> progress(partition, generation.tasks().get(partition)))
        .toList();
  }

  private static ViewState.Progress progress(int partition, TaskProgress task) {
    return task == null
        ? new ViewState.Progress(partition, 0, 0, false)
        : new ViewState.Progress(
            partition, task.done(), task.estimated(), task.phase() == TaskProgress.Phase.BUILT);
  }

  Substance substance() {
    return new Substance(
        state.state(),
        state.definitionVersion(),
        state.recordSet(),
        state.target(),
        state.generations().stream()
            .map(generation -> new Substance.Standing(generation.number(), generation.role()))
            .toList(),
        reasons);
  }

  ViewState published(long version, long nowMs) {
    return new ViewState(
        state.view(),
        version,
        nowMs,
        state.state(),
        state.definitionVersion(),
        state.reason(),
        state.recordSet(),
        state.target(),
        state.sinkGroup(),
        state.generations(),
        state.progress());
  }
}
