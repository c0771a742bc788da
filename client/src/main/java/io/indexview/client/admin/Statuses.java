package io.indexview.client.admin;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewState;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What the control topics say of views, put together. Thread-safe. */
final class Statuses {
  private final ControlTopics control;
  private final Lags lags;
  private final TargetStates targets;

  Statuses(ControlTopics control, Lags lags, TargetStates targets) {
    this.control = control;
    this.lags = lags;
    this.targets = targets;
  }

  /** What was read, in the order in which it is written: specs lead to states. */
  private record Snapshot(
      Map<String, ViewSpec> specs,
      Map<String, ViewState> states,
      Map<String, PublishedGeneration> generations) {
    Set<String> views() {
      Set<String> views = new TreeSet<>(specs.keySet());
      views.addAll(states.keySet());
      return views;
    }

    ViewStatus status(String view, Map<String, Duration> lags) {
      return new ViewStatus(
          view,
          Optional.ofNullable(specs.get(view)),
          Optional.ofNullable(states.get(view)),
          isCurrent(view),
          Optional.ofNullable(lags.get(view)),
          Optional.empty());
    }

    private boolean isCurrent(String view) {
      ViewSpec spec = specs.get(view);
      return spec != null
          && Optional.ofNullable(states.get(view))
              .flatMap(ViewState::serving)
              .map(serving -> generations.get(PublishedGeneration.key(view, serving.number())))
              .filter(serving -> Changes.serves(serving, spec))
              .isPresent();
    }
  }

  private Snapshot read() {
    return new Snapshot(control.specs(), control.states(), control.generations());
  }

  private Map<String, Duration> lags(Snapshot snapshot, Collection<String> views) {
    List<ViewState> states =
        views.stream().map(snapshot.states()::get).filter(Objects::nonNull).toList();
    return lags.of(states, snapshot.generations());
  }

  /** All, by name; no target is asked. */
  List<ViewStatus> list() {
    Snapshot snapshot = read();
    Map<String, Duration> lags = lags(snapshot, snapshot.views());
    return snapshot.views().stream().map(view -> snapshot.status(view, lags)).toList();
  }

  /**
   * One.
   *
   * @throws ViewNotFoundException if there is none, nor the rest of one
   */
  ViewStatus get(String view) {
    Snapshot snapshot = known(view);
    return seen(snapshot.status(view, lags(snapshot, List.of(view))));
  }

  /** As {@link #get}, without the lag, which takes longer than the rest. */
  ViewStatus glance(String view) {
    return seen(known(view).status(view, Map.of()));
  }

  /** Only of one that is ready the target is asked: what it shows of others promises nothing. */
  private ViewStatus seen(ViewStatus status) {
    return status.ready()
        ? status.state().map(targets::visibility).map(status::with).orElse(status)
        : status;
  }

  private Snapshot known(String view) {
    Snapshot snapshot = read();
    if (!snapshot.views().contains(view)) {
      throw new ViewNotFoundException(view, snapshot.views());
    }
    return snapshot;
  }
}
