package io.indexview.client.admin;

import io.indexview.schemas.control.ControlTable.Contents;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewState;
import io.indexview.views.definition.ViewDefinition;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the control topics say of views, put together. Thread-safe. */
final class Statuses {
  private static final Logger LOGGER = LoggerFactory.getLogger(Statuses.class);
  private static final String NOT_TAKEN_IN =
      "waiting for the streams app to take in the definition";

  private final ControlTopicTables control;
  private final Lags lags;
  private final Predicate<String> hasMembers;
  private final TargetStates targets;

  /**
   * @param hasMembers whether a process is in a consumer group; throws {@link KafkaException} if
   *     nobody knows
   */
  Statuses(
      ControlTopicTables control, Lags lags, Predicate<String> hasMembers, TargetStates targets) {
    this.control = control;
    this.lags = lags;
    this.hasMembers = hasMembers;
    this.targets = targets;
  }

  /**
   * What was read, in the order in which it is written: specs lead to states.
   *
   * @param unreadable records of specs that cannot be read here, by view
   */
  private record Snapshot(
      Map<String, ViewSpec> specs,
      Map<String, String> unreadable,
      Map<String, ViewState> states,
      Map<String, PublishedGeneration> generations) {
    Set<String> views() {
      Set<String> views = new TreeSet<>(specs.keySet());
      views.addAll(unreadable.keySet());
      views.addAll(states.keySet());
      return views;
    }

    ViewStatus status(String view, Map<String, Duration> lags) {
      return new ViewStatus(
          view,
          Optional.ofNullable(specs.get(view)),
          unreadable.getOrDefault(view, ""),
          Optional.ofNullable(states.get(view)),
          isCurrent(view),
          Optional.ofNullable(lags.get(view)),
          Optional.empty(),
          "");
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
    Contents<ViewSpec> specs = control.specs();
    return new Snapshot(
        specs.newest(),
        ControlTopicTables.unreadable(specs),
        control.states().newest(),
        control.generations().newest());
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
    List<ViewStatus> all =
        snapshot.views().stream().map(view -> snapshot.status(view, lags)).toList();
    if (all.stream().noneMatch(ViewStatus::isWaiting)) {
      return all;
    }
    Map<String, RecordSetInfo> recordSets = control.recordSets();
    Map<Set<String>, String> why = new HashMap<>();
    return all.stream()
        .map(
            status ->
                status.isWaiting()
                    ? status.with(
                        why.computeIfAbsent(applications(status, recordSets), this::whyNotTakenIn))
                    : status)
        .toList();
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

  /** Returns the same as {@link #get}, without the lag, which takes longer than the rest. */
  ViewStatus glance(String view) {
    return seen(known(view).status(view, Map.of()));
  }

  /** The application of the view's record set; all applications, if nobody has published that. */
  private static Set<String> applications(
      ViewStatus status, Map<String, RecordSetInfo> recordSets) {
    return status
        .spec()
        .flatMap(Statuses::source)
        .map(recordSets::get)
        .map(Stream::of)
        .orElseGet(() -> recordSets.values().stream())
        .map(RecordSetInfo::application)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Empty: another release knows it. */
  private static Optional<String> source(ViewSpec spec) {
    try {
      return Optional.of(ViewDefinition.fromJson(spec.definition()).source());
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** The app says nothing; at least it can be seen whether there is one. */
  private String whyNotTakenIn(Set<String> groups) {
    try {
      if (groups.isEmpty()) {
        return NOT_TAKEN_IN + "; is it running? It has published no record sets";
      }
      if (groups.stream().anyMatch(hasMembers)) {
        return NOT_TAKEN_IN
            + "; it is running: should this last, its log and /health/ready say what keeps its controller from it";
      }
    } catch (KafkaException e) {
      LOGGER.debug("It is not known who is in groups: groups={}", groups, e);
      return NOT_TAKEN_IN + "; is it running?";
    }
    return "%s; none of its stream threads runs: nobody is in consumer group %s; start it, or its /health/ready says what it waits for"
        .formatted(NOT_TAKEN_IN, String.join(", ", groups));
  }

  /** Only of one that is ready the target is asked: what it shows of others promises nothing. */
  private ViewStatus seen(ViewStatus status) {
    if (status.isWaiting()) {
      return status.with(whyNotTakenIn(applications(status, control.recordSets())));
    }
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
