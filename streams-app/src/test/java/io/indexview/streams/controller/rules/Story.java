package io.indexview.streams.controller.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.RowsVerified;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.TaskProgress.Phase;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.schemas.control.ViewState;
import io.indexview.streams.People;
import io.indexview.streams.controller.rules.ControlEvent.ViewEvent;
import io.indexview.streams.controller.rules.Finding.RejectedRow;
import io.indexview.views.definition.ViewDefinitionParser;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Tells what happens to a view, and shows what the rules make of it. */
final class Story {
  static final int PARTITIONS = 2;
  static final Duration GRACE = Duration.ofMinutes(10);
  static final String BY_ORG = definition("key: [org]");
  static final String BY_AGE = definition("key: [age]");
  static final String IN_PLACE = table("include: [org]");
  static final String IN_PLACE_CHANGED = table("include: [age]");

  private static final String VIEW = "by-org";

  private final ViewRules rules =
      new ViewRules(
          new ControllerSettings(
              GRACE, new Topics(Topics.DEFAULT_PREFIX), Map.of("kv", "connect-kv")));
  private ControlledView view = ControlledView.unknown(VIEW, "uid-1");
  private long nowMs = 1_000_000;
  private long specVersion = 5_000;
  private ViewState state;
  private final Map<Integer, Map<Integer, TaskProgress>> reports = new HashMap<>();
  private Map<String, String> lost = Map.of();
  private Set<String> forgotten = Set.of();
  private Map<String, String> hindered = Map.of();
  private List<ControlRecord> published = new ArrayList<>();

  private static String definition(String key) {
    return json("{name: by-org, source: people, kind: index, target: kv, " + key + "}");
  }

  private static String table(String include) {
    return json(
        "{name: by-org, source: people, kind: document, target: dynamodb, table: People, swap:"
            + " in-place, "
            + include
            + "}");
  }

  private static String json(String yaml) {
    return new ViewDefinitionParser().parse("test.yaml", yaml).toJson();
  }

  // What happens

  Story spec(String definition) {
    return spec(definition, BuildRequest.FIRST);
  }

  Story rebuild(String definition, long number, BuildMode mode) {
    return spec(definition, new BuildRequest(number, mode));
  }

  Story spec(String definition, BuildRequest build) {
    return spec(definition, build, Optional.empty());
  }

  Story spec(String definition, BuildRequest build, Optional<Duration> verificationInterval) {
    specVersion++;
    return take(
        new ControlEvent.Desired(
            new ViewSpec(VIEW, definition, specVersion, build, nowMs, verificationInterval)));
  }

  /** A spec that comes under the version of the one before it. */
  Story specOfTheSameVersion(String definition) {
    specVersion--;
    return spec(definition);
  }

  Story unreadableSpec(String reason) {
    return take(new ControlEvent.Unreadable(VIEW, reason));
  }

  Story drop() {
    return take(new ControlEvent.Dropped(VIEW));
  }

  Story pass(Duration time) {
    nowMs += time.toMillis();
    return take(new ControlEvent.Ticked(VIEW));
  }

  Story report(int generation, Phase phase) {
    for (int partition = 0; partition < PARTITIONS; partition++) {
      report(partition, generation, phase, 0, "");
    }
    return this;
  }

  Story report(int partition, int generation, Phase phase, long failed, String reason) {
    reports
        .computeIfAbsent(generation, number -> new HashMap<>())
        .put(
            partition,
            new TaskProgress(
                "people", partition, VIEW, generation, phase, 5, 10, 7, 70, failed, reason, nowMs));
    return take(new ControlEvent.Ticked(VIEW));
  }

  /** Of every task: the topic that they were on was deleted. */
  Story reportsLost() {
    reports.clear();
    return take(new ControlEvent.Ticked(VIEW));
  }

  Story frozen() {
    return result(Freezing.frozen(wanted(Action.Freeze.class), People.RECORD_SET, PARTITIONS));
  }

  Story refused(Class<? extends Action> kind, String reason) {
    return result(Finding.Refused.of(wanted(kind), reason));
  }

  Story done(Class<? extends Action> kind) {
    return result(Finding.Done.of(wanted(kind)));
  }

  Story rejected(int generation, String row, long offset, long deadLetterOffset) {
    return result(
        new Finding.RowRejected(
            VIEW, generation, 0, deadLetterOffset, new RejectedRow(row, 0, offset, "too large")));
  }

  Story superseded(int generation, String row, long offset) {
    return result(new Finding.RowSuperseded(VIEW, generation, row, offset));
  }

  Story verified(int generation, String id, long wrong) {
    return take(new ControlEvent.Verified(new RowsVerified(VIEW, generation, id, wrong, nowMs)));
  }

  Story setsBroken(Map<String, String> reasons) {
    lost = reasons;
    return take(new ControlEvent.Ticked(VIEW));
  }

  Story setsForgotten(Set<String> recordSets) {
    forgotten = recordSets;
    return take(new ControlEvent.Ticked(VIEW));
  }

  Story result(Finding.OfView result) {
    return take(result);
  }

  /** A view whose first generation serves. */
  static Story serving(String definition) {
    return new Story().spec(definition).built();
  }

  /** What is frozen next is built and passes the READY check. */
  Story built() {
    int number = wanted(Action.Freeze.class).generation();
    return frozen().report(number, Phase.BUILT).done(Action.CheckReady.class);
  }

  Story hindered(Map<String, String> reasons) {
    hindered = reasons;
    return take(new ControlEvent.Ticked(VIEW));
  }

  long nowMs() {
    return nowMs;
  }

  /** A generation that was told to stop goes the rest of its way. */
  Story taken(int generation) {
    return report(generation, Phase.STOPPED)
        .done(Action.CheckTopicApplied.class)
        .done(Action.CheckStateApplied.class)
        .done(Action.RemoveRows.class)
        .done(Action.CheckStateApplied.class)
        .done(Action.DeleteTopic.class);
  }

  private Story take(ViewEvent event) {
    Observed observed =
        new Observed(reports, lost, forgotten, hindered, Observed.Freshness.UNKNOWN);
    ViewRules.Step step = rules.step(view, event, observed, nowMs);
    view = ControlledViewCodec.read(ControlledViewCodec.write(step.view()));
    assertThat(view).isEqualTo(step.view());
    published = step.records();
    for (ControlRecord publication : published) {
      if (publication instanceof ControlRecord.State news) {
        assertThat(state == null || news.state().version() > state.version()).isTrue();
        state = news.state();
      }
    }
    return this;
  }

  // What is seen

  /** The newest that was published. */
  ViewState state() {
    return state;
  }

  /** By the last thing that happened. */
  List<ControlRecord> published() {
    return published;
  }

  List<String> roles() {
    return state.generations().stream()
        .map(generation -> generation.number() + " " + generation.role())
        .toList();
  }

  <W extends Action> W wanted(Class<W> kind) {
    Optional<W> found = find(kind);
    assertThat(found).as("%s among %s", kind.getSimpleName(), wantedIds()).isPresent();
    return found.get();
  }

  <W extends Action> Optional<W> find(Class<W> kind) {
    return ViewRules.wanted(view).stream().filter(kind::isInstance).map(kind::cast).findFirst();
  }

  List<String> wantedIds() {
    return ViewRules.wanted(view).stream().map(Action::id).toList();
  }
}
