package io.indexview.server;

import io.indexview.client.admin.TargetStates.Visibility;
import io.indexview.client.admin.ViewAdmin.NoStandbyException;
import io.indexview.client.admin.ViewCatalog;
import io.indexview.client.admin.ViewChange;
import io.indexview.client.admin.ViewNotFoundException;
import io.indexview.client.admin.ViewStatus;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.schemas.control.SpecLog;
import io.indexview.schemas.control.SpecLog.UnreadableSpec;
import io.indexview.schemas.control.SpecLog.VersionConflict;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.schemas.control.ViewState;
import io.indexview.views.definition.KnownTargets;
import io.indexview.views.definition.ViewDefinition;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Views in memory, in the state that a test gives them. */
public final class FakeViews implements ViewCatalog {
  private final Map<String, ViewSpec> specs = new TreeMap<>();
  private final Set<String> unreadable = new TreeSet<>();
  private final Map<String, ViewState> states = new TreeMap<>();
  private long version = 1_000;
  private Throwable failure;
  private final Deque<Runnable> polls = new ArrayDeque<>();
  private Visibility visibility = Visibility.SHOWN;

  void clear() {
    visibility = Visibility.SHOWN;
    specs.clear();
    unreadable.clear();
    states.clear();
    failure = null;
    polls.clear();
  }

  /** Somebody else changes the view before it is looked at. */
  public void changeBeforeNextScan(String view) {
    atNextScans(() -> rebuild(view, BuildMode.STATE, OptionalLong.empty()));
  }

  /** What happens when single views are looked at next, one after the other. */
  public void atNextScans(Runnable... each) {
    polls.addAll(List.of(each));
  }

  /** What targets tell the readers of views that are ready. */
  public void show(Visibility seen) {
    visibility = seen;
  }

  /** A server of a newer release changes the definition of a view. */
  public void unreadable(String view) {
    specs.remove(view);
    unreadable.add(view);
  }

  private static String record(String view) {
    return "record indexview.view-definitions-0@7: its value is none of " + view;
  }

  /** Lets every call fail; null: no more. */
  public void fail(Throwable with) {
    failure = with;
  }

  /**
   * Gives a view a state: one that is READY has generation 1, one that is BUILDING is half done.
   */
  public void state(String view, ViewState.State state, String reason) {
    ViewSpec spec = specs.get(view);
    boolean ready = state == ViewState.State.READY;
    ViewGeneration generation =
        ViewGeneration.freeze(
            ViewDefinition.fromJson(spec.definition()),
            1,
            People.recordSet(),
            new Topics("indexview"));
    states.put(
        view,
        new ViewState(
            view,
            "uid-1",
            7,
            1_511_273_698_000L,
            state,
            spec.version(),
            reason,
            People.NAME,
            "kv",
            "connect-kv",
            List.of(
                new ViewState.Generation(
                    1,
                    ready ? ViewState.Role.SERVING : ViewState.Role.BUILDING,
                    spec.build().number(),
                    generation.toJson(),
                    ready ? OptionalLong.of(42) : OptionalLong.empty(),
                    ready ? OptionalLong.of(4_200) : OptionalLong.empty(),
                    OptionalLong.empty())),
            ready
                ? List.of()
                : List.of(
                    new ViewState.Progress(0, 50, 100, false),
                    new ViewState.Progress(1, 100, 100, true)),
            ViewState.Freshness.UNKNOWN));
  }

  /** Gives a view the READY generation 1, and one that stands by until then. */
  public void standby(String view, OptionalLong untilMs) {
    state(view, ViewState.State.READY, "");
    ViewState ready = states.get(view);
    ViewState.Generation serving = ready.generations().get(0);
    states.put(
        view,
        new ViewState(
            view,
            "uid-1",
            ready.version(),
            ready.changedAtMs(),
            ready.state(),
            ready.definitionVersion(),
            ready.reason(),
            ready.recordSet(),
            ready.target(),
            ready.sinkGroup(),
            List.of(
                serving,
                new ViewState.Generation(
                    2,
                    ViewState.Role.STANDBY,
                    serving.buildNumber(),
                    serving.description(),
                    serving.rows(),
                    serving.keyBytes(),
                    untilMs)),
            List.of(),
            ready.freshness()));
  }

  @Override
  public List<ViewStatus> list() {
    answer();
    return Stream.concat(specs.keySet().stream(), unreadable.stream()).map(this::status).toList();
  }

  private void answer() {
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure != null) {
      throw (RuntimeException) failure;
    }
  }

  private ViewStatus status(String view) {
    return status(view, Optional.empty());
  }

  private ViewStatus status(String view, Optional<Visibility> seen) {
    Optional<ViewState> state = Optional.ofNullable(states.get(view));
    return new ViewStatus(
        view,
        Optional.ofNullable(specs.get(view)),
        unreadable.contains(view) ? record(view) : "",
        state,
        state.flatMap(ViewState::serving).isPresent(),
        state.flatMap(ViewState::serving).map(serving -> Duration.ofMillis(250)),
        seen,
        "the app has yet to take it in");
  }

  @Override
  public ViewStatus get(String view) {
    answer();
    Optional.ofNullable(polls.poll()).ifPresent(Runnable::run);
    if (!unreadable.contains(view)) {
      present(view);
    }
    ViewStatus status = status(view);
    return status.ready() ? status(view, Optional.of(visibility)) : status;
  }

  private ViewSpec present(String view) {
    ViewSpec spec = specs.get(view);
    if (unreadable.contains(view)) {
      throw new UnreadableSpec(view, record(view));
    }
    if (spec == null) {
      throw new ViewNotFoundException(view, specs.keySet());
    }
    return spec;
  }

  @Override
  public List<RecordSetInfo> recordSets() {
    answer();
    return List.of(People.info());
  }

  @Override
  public ViewChange diff(String origin, String text) {
    answer();
    ViewDefinition definition =
        new ViewDefinitionParser(new KnownTargets(Set.of(), Set.of("warehouse")))
            .parseAll(Map.of(origin, text), Map.of(People.NAME, People.recordSet()))
            .get(0);
    ViewSpec before = specs.get(definition.name());
    Optional<Duration> interval = Optional.ofNullable(definition.verificationInterval());
    boolean same =
        before != null
            && before.definition().equals(definition.toJson())
            && before.verificationInterval().equals(interval);
    return new ViewChange(
        definition.name(),
        Optional.ofNullable(before),
        Optional.of(definition.name()).filter(unreadable::contains).map(FakeViews::record),
        definition.toJson(),
        BuildRequest.FIRST,
        interval,
        same ? ViewChange.Effect.NONE : ViewChange.Effect.BUILD,
        same ? "nothing" : "a new generation is built",
        same ? List.of() : List.of(new ViewChange.Field("key", "", "[\"org\"]")),
        Optional.empty());
  }

  @Override
  public ViewChange apply(String origin, String text, OptionalLong expected) {
    ViewChange planned = diff(origin, text);
    check(planned.view(), expected);
    ViewSpec spec =
        spec(planned.view(), planned.definition(), planned.build(), planned.verificationInterval());
    return new ViewChange(
        planned.view(),
        planned.before(),
        planned.unreadable(),
        planned.definition(),
        planned.build(),
        planned.verificationInterval(),
        planned.effect(),
        planned.cost(),
        planned.fields(),
        Optional.of(spec));
  }

  private void check(String view, OptionalLong expected) {
    if (expected.isPresent() && unreadable.contains(view)) {
      throw new UnreadableSpec(view, record(view));
    }
    long actual =
        Optional.ofNullable(specs.get(view)).map(ViewSpec::version).orElse(SpecLog.ABSENT);
    if (expected.isPresent() && expected.getAsLong() != actual) {
      throw new VersionConflict(view, expected.getAsLong(), actual);
    }
  }

  private ViewSpec spec(
      String view, String definition, BuildRequest build, Optional<Duration> verificationInterval) {
    ViewSpec spec =
        new ViewSpec(view, definition, ++version, build, 1_511_273_698_000L, verificationInterval);
    specs.put(view, spec);
    unreadable.remove(view);
    return spec;
  }

  @Override
  public void drop(String view, OptionalLong expected) {
    check(view, expected);
    if (!unreadable.remove(view)) {
      present(view);
    }
    specs.remove(view);
    states.remove(view);
  }

  @Override
  public ViewSpec rebuild(String view, BuildMode mode, OptionalLong expected) {
    ViewSpec present = present(view);
    check(view, expected);
    return spec(
        view,
        present.definition(),
        new BuildRequest(present.build().number() + 1, mode),
        present.verificationInterval());
  }

  @Override
  public ViewSpec rollback(String view, OptionalLong expected) {
    ViewSpec present = present(view);
    if (present.build().number() == 0) {
      throw new NoStandbyException(view);
    }
    return spec(view, present.definition(), BuildRequest.FIRST, present.verificationInterval());
  }
}
