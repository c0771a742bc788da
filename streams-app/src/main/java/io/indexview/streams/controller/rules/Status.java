package io.indexview.streams.controller.rules;

import io.indexview.schemas.control.ReasonText;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.streams.controller.rules.ControlledGeneration.Standing;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A view as others see it.
 *
 * @param state without version and time
 */
record Status(ViewState state, Set<Reasons.Kind> reasons) {
  private static final int MAX_REASON = 2_000;

  static Status of(ControlledView view, Observed observed) {
    List<Reasons.Reason> reasons = Reasons.of(view, observed);
    String text = reasons.stream().map(Reasons.Reason::text).collect(Collectors.joining("; "));
    ViewState state =
        new ViewState(
            view.view,
            view.uid,
            0,
            0,
            stateOf(view, observed),
            view.spec == null ? view.resolved : view.spec.version(),
            ReasonText.bounded(text, MAX_REASON),
            view.placement.recordSet(),
            view.placement.target(),
            view.placement.sinkGroup(),
            view.generations.stream().map(found -> generation(found, observed)).toList(),
            building(view).map(found -> progress(found, observed)).orElse(List.of()),
            freshness(view, observed));
    return new Status(
        state, reasons.stream().map(Reasons.Reason::kind).collect(Collectors.toSet()));
  }

  /** What was proven while rows are wrong, or of other rows, proves nothing. */
  private static ViewState.Freshness freshness(ControlledView view, Observed observed) {
    boolean isOfItsRows =
        view.serving()
            .filter(serving -> serving.number() == observed.freshness().generation())
            .isPresent();
    if (!isOfItsRows) {
      return ViewState.Freshness.UNKNOWN;
    }
    ViewState.State state = stateOf(view, observed);
    return state == ViewState.State.READY
        ? observed.freshness().proven()
        : new ViewState.Freshness(
            observed.freshness().proven().visibleBeforeMs(), "the view, which is " + state);
  }

  private static ViewState.State stateOf(ControlledView view, Observed observed) {
    if (view.deletion != null) {
      return ViewState.State.DELETING;
    }
    Optional<ControlledGeneration> serving = view.serving();
    if (serving.isPresent()) {
      return Reasons.faults(serving.get(), observed).isEmpty()
          ? ViewState.State.READY
          : ViewState.State.DEGRADED;
    }
    boolean stuck = !view.refusal.isEmpty() && building(view).isEmpty();
    return stuck ? ViewState.State.DEGRADED : ViewState.State.BUILDING;
  }

  private static Optional<ControlledGeneration> building(ControlledView view) {
    return view.generations.stream()
        .filter(generation -> generation.stage().role() == Role.BUILDING)
        .findFirst();
  }

  private static ViewState.Generation generation(
      ControlledGeneration generation, Observed observed) {
    return new ViewState.Generation(
        generation.number(),
        generation.stage().role(),
        generation.published().build().number(),
        generation.description(),
        total(generation, observed, TaskProgress::rows),
        total(generation, observed, TaskProgress::keyBytes),
        standbyUntil(generation));
  }

  private static OptionalLong standbyUntil(ControlledGeneration generation) {
    long until = generation.standing().graceUntilMs();
    return generation.stage().role() == Role.STANDBY && until != Standing.NO_GRACE
        ? OptionalLong.of(until)
        : OptionalLong.empty();
  }

  private static OptionalLong total(
      ControlledGeneration generation, Observed observed, ToLongFunction<TaskProgress> amount) {
    Collection<TaskProgress> reports = observed.tasks(generation).values();
    return reports.size() < generation.partitions()
        ? OptionalLong.empty()
        : OptionalLong.of(reports.stream().mapToLong(amount).sum());
  }

  private static List<ViewState.Progress> progress(
      ControlledGeneration generation, Observed observed) {
    return IntStream.range(0, generation.partitions())
        .mapToObj(partition -> progress(partition, observed.tasks(generation).get(partition)))
        .toList();
  }

  private static ViewState.Progress progress(int partition, TaskProgress task) {
    return task == null
        ? new ViewState.Progress(partition, 0, 0, false)
        : new ViewState.Progress(
            partition, task.done(), task.estimated(), task.phase() == TaskProgress.Phase.BUILT);
  }

  /** What others act upon, as a text; all else is progress. */
  String substance() {
    return "%s, definition %d, %s to %s, %s, %s"
        .formatted(
            state.state(),
            state.definitionVersion(),
            state.recordSet(),
            state.target(),
            state.generations().stream()
                .map(generation -> generation.number() + " " + generation.role())
                .toList(),
            new TreeSet<>(reasons));
  }

  /** A digest that is equal for equal statuses, in every process. */
  String digest() {
    return Integer.toHexString(state.toString().hashCode());
  }

  ViewState published(long version, long nowMs) {
    return new ViewState(
        state.view(),
        state.uid(),
        version,
        nowMs,
        state.state(),
        state.definitionVersion(),
        state.reason(),
        state.recordSet(),
        state.target(),
        state.sinkGroup(),
        state.generations(),
        state.progress(),
        state.freshness());
  }
}
