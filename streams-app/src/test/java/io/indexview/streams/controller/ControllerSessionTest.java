package io.indexview.streams.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.Topics;
import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.fixtures.LogLines;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.streams.People;
import io.indexview.streams.controller.actions.ActionRunner;
import io.indexview.streams.controller.actions.Activity;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.ControlEvent;
import io.indexview.streams.controller.rules.ControlRecord;
import io.indexview.streams.controller.rules.ControlledView;
import io.indexview.streams.controller.rules.ControllerSettings;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.controller.rules.Freezing;
import io.indexview.streams.generation.FakeCluster;
import io.indexview.streams.health.AppMetrics;
import io.indexview.views.definition.ViewDefinitionParser;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Predicate;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ControllerSessionTest {
  private static final ControllerSettings SETTINGS =
      new ControllerSettings(
          Duration.ofMinutes(10), new Topics(Topics.DEFAULT_PREFIX), Map.of("kv", "connect-kv"));

  private final ManualClock clock = new ManualClock(Instant.ofEpochMilli(1_000));
  private final SlowTopics topics = new SlowTopics();
  private final List<Finding> toFind = new ArrayList<>();
  private final FakeCluster cluster = new FakeCluster();
  private final Map<String, PublishedGeneration> generations = new HashMap<>();
  private final Map<String, ViewState> states = new HashMap<>();
  private final List<ControlledView> remembered = new ArrayList<>();

  /** Of somebody who takes over when this session has read what is remembered. */
  private Runnable successor = () -> {};

  private final ControllerSession session =
      new ControllerSession(
          topics,
          SETTINGS,
          new ForeignPublications("app-controller", SETTINGS.topics(), cluster),
          this::published,
          new ActionRunner(
              new NoActions(),
              clock,
              List.of(
                  found -> {
                    toFind.forEach(found);
                    return new Activity.Again(Duration.ZERO, "");
                  })),
          new AppMetrics().viewStates(),
          clock);

  private static final class NoActions implements ActionRunner.Factory {
    @Override
    public Activity begin(Action action) {
      return found -> Activity.waiting("");
    }

    @Override
    public void keep(Collection<Action> wanted) {}
  }

  /** Gives one batch per read; each read takes 20 s. */
  private final class SlowTopics implements ControlTopics {
    private final Queue<List<ControlEvent>> batches = new ArrayDeque<>();
    private final List<Reconciler.Changes> committed = new ArrayList<>();
    private long read;
    private long end;

    private record Until(long batch) implements End {}

    @Override
    public Memory open() {
      Memory memory = new Memory(remembered, Map.of(), List.of());
      successor.run();
      return memory;
    }

    @Override
    public List<ControlEvent> read(Duration pause) {
      clock.pass(Duration.ofSeconds(20));
      if (batches.isEmpty()) {
        return List.of();
      }
      read++;
      return batches.remove();
    }

    @Override
    public long position() {
      return read;
    }

    @Override
    public End end() {
      return new Until(end);
    }

    @Override
    public boolean hasRead(End until) {
      return read >= ((Until) until).batch();
    }

    @Override
    public void commit(Reconciler.Changes changes) {
      committed.add(changes);
    }

    @Override
    public void close() {}
  }

  private Publications published() {
    return new Publications(Map.copyOf(generations), Map.copyOf(states));
  }

  /** Commits whatever follows from a view that is desired and frozen at a time. */
  private Reconciler.Changes committed(long nowMs, ViewSpec... specs) {
    return frozen(nowMs, specs).takeChanges();
  }

  private static Reconciler frozen(long nowMs, ViewSpec... specs) {
    Reconciler reconciler = new Reconciler(SETTINGS, List.of(), Map.of());
    for (ViewSpec spec : specs.length == 0 ? new ViewSpec[] {spec()} : specs) {
      reconciler.apply(new ControlEvent.Desired(spec), nowMs);
    }
    for (Action action : List.copyOf(reconciler.wanted().values())) {
      reconciler.apply(Freezing.frozen((Action.Freeze) action, People.RECORD_SET, 1, nowMs), nowMs);
    }
    return reconciler;
  }

  /**
   * Commits whatever follows from a view that is dropped when it is frozen.
   *
   * @param last action that is done
   */
  private static Reconciler.Changes dropped(Predicate<Action> last) {
    Reconciler reconciler = frozen(1);
    reconciler.apply(new ControlEvent.Dropped("by-org"), 1);
    reconciler.apply(
        new ControlEvent.Reported(
            new TaskProgress(
                "people", 0, "by-org", 1, TaskProgress.Phase.STOPPED, 0, 0, 0, 0, 0, "", 1)),
        1);
    Action done;
    do {
      reconciler.tick(1);
      done = reconciler.wanted().values().iterator().next();
      reconciler.apply(Finding.Done.of(done), 1);
    } while (!last.test(done));
    reconciler.tick(1);
    return reconciler.takeChanges();
  }

  private void remember(Reconciler.Changes changes) {
    remembered.addAll(changes.views.values());
  }

  private void publish(Reconciler.Changes changes) {
    for (ControlRecord record : changes.records) {
      if (record instanceof ControlRecord.Generation generation) {
        generations.put(generation.generation().key(), generation.generation());
      } else if (record instanceof ControlRecord.State state) {
        states.put(state.state().view(), state.state());
      }
    }
  }

  private void assertRefused(String... parts) {
    assertThatThrownBy(session::open)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContainingAll(parts);
  }

  private void lies(List<ControlEvent> batch) {
    topics.batches.add(batch);
    topics.end++;
  }

  @Test
  void takesOverWhatItRemembers() {
    remember(committed(1));
    publish(committed(1));

    session.open();
    session.round();

    assertThat(topics.committed).allMatch(Reconciler.Changes::isEmpty);
  }

  /** What the transaction of the one before did is remembered, and published, when this opens. */
  @Test
  void opensWhenThePredecessorWithdrewPublicationsMeanwhile() {
    publish(committed(1));
    successor =
        () -> {
          generations.clear();
          states.clear();
        };

    assertThatNoException().isThrownBy(session::open);
  }

  @Test
  void republishesLostGenerationsAndStates() {
    Reconciler.Changes both = committed(1, spec(), spec("another"));
    remember(both);
    publish(both);
    generations.remove("by-org|1");
    states.remove("another");

    session.open();
    session.round();

    publish(topics.committed.get(0));
    assertThat(generations).containsOnlyKeys("by-org|1", "another|1");
    assertThat(states).containsOnlyKeys("by-org", "another");
  }

  /** The brokers lost the end of one topic. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void republishesTheNewestPublicationsWhereOlderOnesStand(boolean isGeneration) {
    Reconciler dropped = frozen(1);
    dropped.apply(new ControlEvent.Dropped("by-org"), 1);
    Reconciler.Changes newest = dropped.takeChanges();
    remember(newest);
    publish(newest);
    Reconciler.Changes before = committed(1);
    before.records.removeIf(record -> record instanceof ControlRecord.Generation != isGeneration);
    publish(before);

    session.open();
    session.round();

    publish(topics.committed.get(0));
    assertThat(generations.get("by-org|1").stopped()).isTrue();
    assertThat(states.get("by-org").state()).isEqualTo(ViewState.State.DELETING);
  }

  /** It is fenced, and ends without a word of it. */
  @Test
  void opensWhenASuccessorPublishesMeanwhile() {
    successor = () -> publish(committed(1));

    assertThatNoException().isThrownBy(session::open);
  }

  /**
   * Its own topic was deleted meanwhile, or another application publishes under the same prefix.
   */
  @Test
  void refusesGenerationsAndViewsThatItDoesNotRemember() {
    publish(committed(1));

    assertRefused(
        "indexview.view-generations",
        "[by-org|1]",
        "indexview.view-states",
        "[by-org]",
        "app-controller",
        "application.id, state.dir and topic.prefix");
  }

  @Test
  void refusesAnotherGenerationOfTheSameNumber() {
    remember(committed(1));
    publish(committed(2));

    assertRefused("holds differently: [by-org|1]");
  }

  /** The brokers lost that it was removed. */
  @ParameterizedTest
  @ValueSource(classes = {Action.RemoveRows.class, Action.DeleteTopic.class})
  void removesAGenerationAgainThatItRemembersAsGone(Class<? extends Action> done) {
    remember(dropped(done::isInstance));
    PublishedGeneration gone = published("by-org|1");
    if (done == Action.RemoveRows.class) {
      cluster.add(gone.viewTopic(), 1);
    }

    session.open();
    session.round();

    assertThat(topics.committed.get(0).records)
        .filteredOn(ControlRecord.GenerationGone.class::isInstance)
        .containsExactly(new ControlRecord.GenerationGone("by-org", 1));
  }

  @Test
  void takesAStatusAwayAgainOfAViewThatItRemembersAsGone() {
    assertStatusTakenAway(
        dropped(
            done ->
                done instanceof Action.CheckStateApplied check
                    && check.expected() == Action.StateRecord.TOMBSTONE));
  }

  @Test
  void takesAStatusAwayAgainThatTheSinkIsToBeToldToBeGone() {
    assertStatusTakenAway(dropped(Action.DeleteTopic.class::isInstance));
  }

  private void assertStatusTakenAway(Reconciler.Changes dropped) {
    Reconciler.Changes another = committed(1, spec("another"));
    remember(another);
    remember(dropped);
    publish(committed(1));
    generations.clear();
    publish(another);

    session.open();
    session.round();

    assertThat(topics.committed.get(0).records)
        .containsExactly(new ControlRecord.StateGone("by-org", states.get("by-org").uid()));
  }

  /** It made its own when this one had dropped the view. */
  @Test
  void refusesAGenerationOfAnotherApplicationThatHasANumberOfOneThatIsGone() {
    remember(dropped(Action.DeleteTopic.class::isInstance));
    cluster.add(published("by-org|1").viewTopic(), 1);

    assertRefused("view-generations", "[by-org|1]");
  }

  /** The application may have lost the end of what it remembers. */
  @Test
  void refusesAGenerationWhoseNumberIsBeingFrozen() {
    Reconciler reconciler = new Reconciler(SETTINGS, List.of(), Map.of());
    reconciler.apply(new ControlEvent.Desired(spec()), 1);
    remember(reconciler.takeChanges());
    published("by-org|1");

    assertRefused("view-generations", "[by-org|1]");
  }

  /** The only thing that stands published is a generation. */
  private PublishedGeneration published(String key) {
    publish(committed(1));
    states.clear();
    GenericRecord record = generations.get(key).toAvro();
    record.put("viewTopicId", "id of " + record.get("viewTopic"));
    PublishedGeneration published = PublishedGeneration.of(record);
    generations.put(key, published);
    return published;
  }

  /** Sinks and readers take no earlier version for the newest one. */
  @Test
  void continuesAfterALaterStatusThanItRemembers() {
    remember(committed(1));
    publish(committed(1));
    GenericRecord later = states.get("by-org").toAvro();
    later.put("version", 9L);
    states.put("by-org", ViewState.of(later));

    session.open();
    session.round();

    assertThat(topics.committed.get(0).records)
        .filteredOn(ControlRecord.State.class::isInstance)
        .singleElement()
        .extracting(record -> ((ControlRecord.State) record).state().version())
        .isEqualTo(10L);
  }

  private static ViewSpec spec() {
    return spec("by-org");
  }

  private static ViewSpec spec(String view) {
    String json =
        new ViewDefinitionParser()
            .parse(view + ".yaml", People.BY_ORG.replace("by-org", view))
            .toJson();
    return new ViewSpec(view, json, 7, BuildRequest.FIRST, 1, Optional.empty());
  }

  @Test
  void opensAsLongAsReadingMakesProgress() {
    lies(List.of(new ControlEvent.Desired(spec())));
    lies(List.of(new Finding.Lost(new EventsLost("people", 5, "trimmed"))));
    // Records that are no events of the controller.
    lies(List.of());
    lies(List.of());
    lies(List.of());

    session.open();
    session.round();

    assertThat(topics.committed.get(0).views).containsOnlyKeys("by-org");
    assertThat(topics.committed.get(0).losses).containsOnlyKeys("people");
  }

  /** Of a view that is refused at once. */
  @Test
  void logsEachStateOfAViewOnce() {
    try (LogLines log = LogLines.warnings(ControllerSession.class)) {
      lies(
          List.of(
              new ControlEvent.Desired(
                  new ViewSpec("by-org", "{}", 7, BuildRequest.FIRST, 1, Optional.empty()))));
      session.open();
      session.round();
      session.round();

      assertThat(log.get())
          .singleElement(InstanceOfAssertFactories.STRING)
          .startsWith("View by-org is DEGRADED: the newest definition is refused (");
    }
  }

  @Test
  void givesUpOpeningWhenNothingIsRead() {
    lies(List.of());
    topics.end = 2;

    assertThatThrownBy(session::open).isInstanceOf(TimeoutException.class);
    assertThat(topics.read).isEqualTo(1);
  }

  @Test
  void failsWhenReportsBeforeAFindingCannotBeRead() {
    session.open();
    toFind.add(new Finding.RecordSetBroken("people", 5, "trimmed"));
    topics.end = 1;
    session.round();
    session.round();
    assertThat(topics.committed).allMatch(Reconciler.Changes::isEmpty);

    assertThatThrownBy(session::round).isInstanceOf(TimeoutException.class);
  }

  @Test
  void takesInAFindingWhenReportsBeforeItAreRead() {
    session.open();
    toFind.add(new Finding.RecordSetBroken("people", 5, "trimmed"));
    topics.end = 1;
    session.round();
    topics.batches.add(List.of());
    session.round();

    assertThat(topics.committed.get(1).losses).containsOnlyKeys("people");
  }
}
