package io.indexview.streams.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.streams.controller.SimTopic.Message;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.ControlRecord;
import io.indexview.views.definition.ViewGeneration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What must be true in the simulated world, after every step and at its end. */
final class Checks {
  private final SimWorld world;
  private final Map<String, Start> checkStarts = new HashMap<>();
  private final Map<String, PublishedGeneration> everPublished = new HashMap<>();
  private final Map<String, Integer> lastNumbers = new HashMap<>();
  private final Map<String, Long> lastVersions = new HashMap<>();
  private final Set<String> stopped = new HashSet<>();

  /** By view and version of the state. */
  private final Map<String, Switch> switches = new HashMap<>();

  /** By generation: what it has to include since it serves. */
  private final Map<String, Start> served = new HashMap<>();

  /** The world when a READY check was first wanted. */
  private record Start(List<Integer> sourceEnds, int deadLetters) {}

  private record Switch(ViewState state, Start start) {}

  Checks(SimWorld world) {
    this.world = world;
  }

  void wanted(Collection<Action> all) {
    for (Action work : all) {
      if (work instanceof Action.CheckReady check) {
        String set = check.watched().published().recordSet();
        int deadLetters = world.sink(check.watched().target()).deadLetters.size();
        checkStarts.putIfAbsent(work.id(), new Start(world.sources.get(set).ends(), deadLetters));
      }
    }
  }

  void switching(ViewState state, String check) {
    switches.put(state.view() + state.version(), new Switch(state, checkStarts.get(check)));
  }

  void reported(TaskProgress report) {
    if (report.phase() == TaskProgress.Phase.STOPPED) {
      stopped.add(report.view() + "|" + report.generation() + "|" + report.partition());
    }
  }

  private boolean allStopped(String key) {
    for (int partition = 0; partition < SimWorld.PARTITIONS; partition++) {
      if (!stopped.contains(key + "|" + partition)) {
        return false;
      }
    }
    return true;
  }

  /**
   * @param read the progress that it is made from
   */
  void published(ControlRecord publication, List<Object> read) {
    if (publication instanceof ControlRecord.Generation generation) {
      published(generation.generation());
    } else if (publication instanceof ControlRecord.GenerationGone gone) {
      String key = PublishedGeneration.key(gone.view(), gone.generation());
      noRows(everPublished.get(key).viewTopic());
    } else if (publication instanceof ControlRecord.State state) {
      published(state.state(), read);
    } else if (publication instanceof ControlRecord.StateGone gone) {
      assertThat(world.generations.values())
          .as("generations when the state of %s goes", gone.view())
          .noneMatch(generation -> generation.view().equals(gone.view()));
    }
  }

  private void published(PublishedGeneration generation) {
    assertThat(world.topics).containsKey(generation.viewTopic());
    PublishedGeneration first = everPublished.putIfAbsent(generation.key(), generation);
    if (first == null) {
      assertThat(generation.stopped()).isFalse();
      assertThat(generation.generation())
          .as("number of a new generation of %s", generation.view())
          .isGreaterThan(lastNumbers.getOrDefault(generation.view(), 0));
      lastNumbers.put(generation.view(), generation.generation());
      noOtherWriter(generation);
      noSecondBuild(generation);
      adHocSnapshot(generation);
    } else {
      assertThat(generation).isEqualTo(generation.stopped() ? first.toStopped() : first);
      readersHadTime(generation);
    }
  }

  private void noSecondBuild(PublishedGeneration generation) {
    ViewState before = world.committedState(generation.view());
    if (before != null && before.serving().isPresent()) {
      PublishedGeneration serving =
          everPublished.get(
              PublishedGeneration.key(generation.view(), before.serving().get().number()));
      assertThat(generation.definition() + generation.build().number())
          .as("what %s is built for, beside one that serves it", generation.key())
          .isNotEqualTo(serving.definition() + serving.build().number());
    }
  }

  private void adHocSnapshot(PublishedGeneration generation) {
    if (generation.build().mode() == BuildMode.SNAPSHOT) {
      long requestedMs = world.user.requestedMs(generation.view(), generation.build());
      for (int partition = 0; partition < SimWorld.PARTITIONS; partition++) {
        SimTask task = world.task(generation.recordSet(), partition);
        assertThat(task.purgedMs)
            .as("%s is built after an ad-hoc snapshot and its deletions", generation.key())
            .isGreaterThanOrEqualTo(requestedMs);
      }
    }
  }

  /** What served is stopped a grace time after its target says that it does not serve. */
  private void readersHadTime(PublishedGeneration generation) {
    ViewGeneration frozen = world.frozen.get(generation.viewTopic());
    if (generation.stopped() && served.containsKey(generation.key())) {
      Map<String, Long> unservedSince = sink(frozen).unservedSince;
      assertThat(unservedSince).as("what was served before it stops").containsKey(generation.key());
      assertThat(world.nowMs - unservedSince.get(generation.key()))
          .as("time from the end of serving to the stop of %s", generation.key())
          .isGreaterThanOrEqualTo(SimController.GRACE.toMillis());
    }
  }

  /** In place, one generation is written at a time. */
  private void noOtherWriter(PublishedGeneration generation) {
    String store = world.frozen.get(generation.viewTopic()).storeName();
    for (PublishedGeneration other : world.generations.values()) {
      ViewGeneration frozen = world.frozen.get(other.viewTopic());
      if (other.view().equals(generation.view()) && frozen.storeName().equals(store)) {
        SimTopic topic = world.topics.get(other.viewTopic());
        assertThat(allStopped(other.key())).as("%s stopped", other.key()).isTrue();
        for (int partition = 0; partition < SimWorld.PARTITIONS; partition++) {
          int applied = sink(frozen).applied(topic).get(partition);
          assertThat(topic.partition(partition).subList(applied, topic.end(partition)))
              .as("rows of %s that the sink has not applied", other.key())
              .allMatch(Message::removal);
        }
      }
    }
  }

  private SimSink sink(ViewGeneration generation) {
    return world.sink(generation.definition().target().type());
  }

  private void noRows(String viewTopic) {
    ViewGeneration generation = world.frozen.get(viewTopic);
    assertThat(sink(generation).rowsOf(generation)).as("rows of %s", viewTopic).isEmpty();
  }

  private void published(ViewState state, List<Object> read) {
    assertThat(state.version())
        .as("version of %s", state.view())
        .isGreaterThan(lastVersions.getOrDefault(state.view(), 0L));
    lastVersions.put(state.view(), state.version());
    Switch found = switches.get(state.view() + state.version());
    if (found != null && found.state().equals(state)) {
      switched(state, found.start(), new PublishedStateCheck(world, read));
    }
    new PublishedStateCheck(world, read).check(state);
  }

  /** READY is never early. */
  private void switched(ViewState state, Start start, PublishedStateCheck published) {
    int number = state.serving().orElseThrow().number();
    PublishedGeneration generation =
        world.generations.get(PublishedGeneration.key(state.view(), number));
    served.put(generation.key(), start);
    SimTopic topic = world.topics.get(generation.viewTopic());
    ViewGeneration frozen = world.frozen.get(topic.name);
    for (int partition = 0; partition < SimWorld.PARTITIONS; partition++) {
      SimTask task = world.task(generation.recordSet(), partition);
      String what = generation.key() + " partition " + partition;
      assertThat(task.builds.get(generation.key()).phase)
          .as(what)
          .isEqualTo(TaskProgress.Phase.BUILT);
      assertThat(task.position).as(what).isGreaterThanOrEqualTo(start.sourceEnds().get(partition));
      assertThat(task.source.isComplete(partition, task.position)).as(what).isTrue();
      List<Message> messages = topic.partition(partition);
      int applied = sink(frozen).applied(topic).get(partition);
      assertThat(messages.subList(applied, messages.size()))
          .as("rows of the build that the sink has not applied: " + what)
          .noneMatch(Message::build);
    }
    if (state.state() == State.READY) {
      nothingWrong(generation, frozen, topic, start);
    }
    if (state.state() == State.DEGRADED) {
      replacesNothingRight(generation, published);
    }
  }

  /** What was READY may have been found faulty in the same transaction. */
  private void replacesNothingRight(PublishedGeneration faulty, PublishedStateCheck published) {
    ViewState before = world.committedState(faulty.view());
    if (before.state() == State.READY) {
      int number = before.serving().orElseThrow().number();
      PublishedGeneration ready =
          world.generations.get(PublishedGeneration.key(faulty.view(), number));
      assertThat(published.isRight(ready, before))
          .as("faulty %s replaces what is READY", faulty.key())
          .isFalse();
    }
  }

  /** Whatever was wrong before the check is known, or over. */
  private void nothingWrong(
      PublishedGeneration generation, ViewGeneration frozen, SimTopic topic, Start start) {
    for (SimSink.RejectedRecord deadLetter :
        sink(frozen).deadLetters.subList(0, start.deadLetters())) {
      if (deadLetter.topic().equals(topic.name)) {
        assertThat(SimActions.lastOf(topic.partition(deadLetter.partition()), deadLetter.rowKey()))
            .as("%s after its rejection", deadLetter)
            .isGreaterThan(deadLetter.offset());
      }
    }
    for (int partition = 0; partition < SimWorld.PARTITIONS; partition++) {
      SimTask task = world.task(generation.recordSet(), partition);
      int end = start.sourceEnds().get(partition);
      Map<String, Integer> then = task.source.stateAt(partition, end);
      Map<String, Integer> now = task.source.stateAt(partition, task.position);
      assertThat(task.builds.get(generation.key()).failed)
          .as("records of %s that failed before the check", generation.key())
          .noneMatch(key -> now.get(key).equals(then.get(key)));
    }
  }

  void deleting(Action.DeleteTopic work) {
    String key = PublishedGeneration.key(work.view(), work.generation());
    if (everPublished.containsKey(key)) {
      assertThat(allStopped(key)).as("%s stopped before its topic goes", key).isTrue();
      noRows(work.viewTopic());
    }
    assertThat(world.generations).doesNotContainKey(key);
    for (SimSink sink : world.sinks.values()) {
      ViewState shown = sink.metadata.get(work.view());
      if (shown != null) {
        assertThat(shown.generations())
            .as("generations in the metadata when topic %s goes", work.viewTopic())
            .noneMatch(listed -> listed.number() == work.generation());
      }
    }
  }

  /** What a target names as serving is complete. */
  void everything() {
    for (SimSink sink : world.sinks.values()) {
      for (ViewState state : sink.metadata.values()) {
        boolean read = state.state() == State.READY || state.state() == State.DEGRADED;
        if (read && state.serving().isPresent()) {
          complete(sink, state.view(), state.serving().get().number());
        }
      }
    }
  }

  private void complete(SimSink sink, String view, int number) {
    String key = PublishedGeneration.key(view, number);
    PublishedGeneration generation = everPublished.get(key);
    assertThat(world.generations).as("published when a target names it").containsKey(key);
    SimTopic topic = world.topics.get(generation.viewTopic());
    for (int partition = 0; partition < SimWorld.PARTITIONS; partition++) {
      int applied = sink.applied(topic).get(partition);
      List<Message> messages = topic.partition(partition);
      assertThat(messages.subList(applied, messages.size()))
          .as("rows of the build of %s that the sink has not applied", key)
          .noneMatch(Message::build);
      if (applied == 0 || messages.get(applied - 1).last()) {
        complete(sink, generation, partition, applied);
      }
    }
  }

  private void complete(SimSink sink, PublishedGeneration generation, int partition, int applied) {
    SimTopic topic = world.topics.get(generation.viewTopic());
    SimTask task = world.task(generation.recordSet(), partition);
    SimTask.Build build = task.builds.get(generation.key());
    List<Message> messages = topic.partition(partition);
    int position;
    if (applied < messages.size() && !messages.get(applied).removal()) {
      position = messages.get(applied).position() - 1;
    } else {
      position = build.stoppedAt >= 0 ? build.stoppedAt : task.position;
    }
    String what = generation.key() + " partition " + partition;
    assertThat(position)
        .as("events in what %s shows", what)
        .isGreaterThanOrEqualTo(served.get(generation.key()).sourceEnds().get(partition));
    Map<String, Integer> expected =
        SimView.rows(generation.definition(), task.source.stateAt(partition, position));
    Map<String, Integer> actual = new TreeMap<>(sink.rowsOf(world.frozen.get(topic.name)));
    actual.keySet().removeIf(row -> partitionOf(row) != partition);
    int variant = SimView.variant(generation.definition());
    for (String row : rejected(messages.subList(0, applied), variant)) {
      expected.remove(row);
      actual.remove(row);
    }
    assertThat(actual).as("rows of %s after %d events", what, position).isEqualTo(expected);
  }

  private static int partitionOf(String row) {
    String key = row.substring(row.indexOf('/') + 1);
    return Math.floorMod(key.hashCode(), SimWorld.PARTITIONS);
  }

  private static Set<String> rejected(List<Message> messages, int variant) {
    Map<String, Integer> newest = new HashMap<>();
    messages.forEach(message -> newest.put(message.rowKey(), message.value()));
    return newest.entrySet().stream()
        .filter(row -> row.getValue() != null && SimView.isRejected(variant, row.getValue()))
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }
}
