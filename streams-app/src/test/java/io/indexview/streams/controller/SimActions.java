package io.indexview.streams.controller;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.streams.People;
import io.indexview.streams.controller.actions.ActionRunner;
import io.indexview.streams.controller.actions.Activity;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.controller.rules.Finding.RejectedRow;
import io.indexview.streams.controller.rules.Freezing;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinition;
import io.indexview.views.definition.ViewGeneration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Actions that are slow, that repeat what they found, and forget where they were. */
final class SimActions implements ActionRunner.Factory {
  /** All that they found, in its order. */
  final List<Finding> found = new ArrayList<>();

  private final SimWorld world;
  private final Map<String, Job> jobs = new HashMap<>();
  private final Map<String, Integer> deadLettersReported = new HashMap<>();
  private final Set<String> behindReported = new HashSet<>();
  private long wholeReported = -1;

  /** What was being frozen when it was given up: the brokers may have been asked for the topic. */
  private final List<Action.Freeze> givenUp = new ArrayList<>();

  private Consumer<Finding> out;
  private List<Action> wanted = List.of();

  SimActions(SimWorld world) {
    this.world = world;
  }

  /** How far an action has come; lost when it begins anew. */
  private final class Job implements Activity {
    private Action action;
    private int phase;
    private List<Integer> ends;
    private long beganMs;

    private Job(Action action) {
      this.action = action;
    }

    @Override
    public Progress advance(Consumer<Finding> found) {
      out = found;
      if (!world.calm && world.random.nextInt(80) == 0) {
        phase = 0;
        deadLettersReported.clear();
      }
      Optional<Finding.Answer> answer =
          world.random.nextInt(3) == 0 ? step(this) : Optional.empty();
      answer.ifPresent(SimActions.this.found::add);
      return answer.<Progress>map(Answered::new).orElse(new Again(Duration.ZERO, ""));
    }
  }

  @Override
  public Activity begin(Action action) {
    Job job = new Job(action);
    jobs.put(action.id(), job);
    return job;
  }

  @Override
  public void keep(Collection<Action> all) {
    wanted = List.copyOf(all);
    world.checks.wanted(all);
    Set<String> ids = all.stream().map(Action::id).collect(Collectors.toSet());
    jobs.values().stream()
        .filter(job -> !ids.contains(job.action.id()))
        .map(job -> job.action)
        .filter(Action.Freeze.class::isInstance)
        .map(Action.Freeze.class::cast)
        .filter(work -> world.sources.containsKey(source(work)))
        .forEach(givenUp::add);
    jobs.keySet().retainAll(ids);
    all.stream()
        .filter(action -> jobs.containsKey(action.id()))
        .forEach(action -> jobs.get(action.id()).action = action);
  }

  List<Action> wanted() {
    return wanted;
  }

  boolean wantsWatchesAlone() {
    return wanted.stream().allMatch(Action.Watch.class::isInstance);
  }

  /** What nobody asks for. */
  Activity.Progress watch(Consumer<Finding> toSession) {
    out = toSession;
    int choice = world.calm ? -1 : world.random.nextInt(40);
    if (choice == 0 && !found.isEmpty()) {
      Finding again = found.get(world.random.nextInt(found.size()));
      if (!(again instanceof Finding.Answer)) {
        tell(again);
      }
    } else if (choice == 2 && !givenUp.isEmpty()) {
      make(givenUp.remove(0));
    } else if (world.random.nextInt(40) == 0) {
      tellStrayTopics();
    }
    if (world.wholeMs > wholeReported) {
      wholeReported = world.wholeMs;
      tell(new Finding.RecordSetWhole("people", world.wholeMs));
    }
    return new Activity.Again(Duration.ZERO, "");
  }

  private void tell(Finding finding) {
    found.add(finding);
    out.accept(finding);
  }

  private static Optional<Finding.Answer> done(Job job) {
    return Optional.of(Finding.Done.of(job.action));
  }

  private Optional<Finding.Answer> step(Job job) {
    if (job.action instanceof Action.Freeze action) {
      return freeze(action);
    }
    if (job.action instanceof Action.AdHocSnapshot action) {
      return snapshot(job, action);
    }
    if (job.action instanceof Action.CheckReady action) {
      return checkReady(job, action);
    }
    if (job.action instanceof Action.CheckStateApplied action) {
      return checkStateApplied(job, action);
    }
    if (job.action instanceof Action.CheckTopicApplied action) {
      return isApplied(job, world.topics.get(action.viewTopic())) ? done(job) : Optional.empty();
    }
    if (job.action instanceof Action.RemoveRows action) {
      return removeRows(job, world.topics.get(action.viewTopic()));
    }
    if (job.action instanceof Action.DeleteTopic action) {
      return delete(job, action);
    }
    watch((Action.Watch) job.action);
    return Optional.empty();
  }

  /** As the real one, it leaves alone what is published. */
  private Optional<Finding.Answer> delete(Job job, Action.DeleteTopic action) {
    boolean published =
        world.generations.values().stream()
            .anyMatch(generation -> generation.viewTopic().equals(action.viewTopic()));
    if (published) {
      return Optional.empty();
    }
    world.checks.deleting(action);
    world.topics.remove(action.viewTopic());
    return done(job);
  }

  private void tellStrayTopics() {
    Set<String> published =
        world.generations.values().stream()
            .map(PublishedGeneration::viewTopic)
            .collect(Collectors.toSet());
    for (String topic : world.topics.keySet()) {
      if (!published.contains(topic)) {
        ViewGeneration generation = world.frozen.get(topic);
        tell(new Finding.TopicFound(generation.view(), generation.number(), topic));
      }
    }
  }

  /** The process ends, with topics made that it told nobody of. */
  void die() {
    givenUp.forEach(this::make);
    jobs.values().stream()
        .map(job -> job.action)
        .filter(Action.Freeze.class::isInstance)
        .forEach(work -> freeze((Action.Freeze) work));
    jobs.clear();
  }

  private Optional<Finding.Answer> freeze(Action.Freeze work) {
    if (world.generations.containsKey(PublishedGeneration.key(work.view(), work.generation()))) {
      return Optional.of(Finding.Refused.of(work, "stands already"));
    }
    String recordSet = source(work);
    if (recordSet.equals(SimUser.NOWHERE)) {
      if (world.random.nextBoolean()) {
        make(work);
      }
      return Optional.of(Finding.Refused.of(work, "source: no such record set"));
    }
    return recordSet.equals(SimUser.SOMEDAY) ? Optional.empty() : Optional.of(make(work));
  }

  private static String source(Action.Freeze work) {
    return ViewDefinition.fromJson(work.spec().definition()).source();
  }

  private Finding.Answer make(Action.Freeze work) {
    String source = source(work);
    RecordSet recordSet =
        new RecordSet(
            source,
            "indexview.changes." + source,
            People.RECORD_SET.format(),
            List.of(),
            People.SCHEMA);
    Finding.Frozen frozen = Freezing.frozen(work, recordSet, SimWorld.PARTITIONS, world.nowMs);
    String topic = frozen.published().viewTopic();
    world.topics.computeIfAbsent(topic, name -> new SimTopic(name, SimWorld.PARTITIONS));
    world.frozen.computeIfAbsent(topic, name -> ViewGeneration.fromJson(frozen.description()));
    return frozen;
  }

  private Optional<Finding.Answer> snapshot(Job job, Action.AdHocSnapshot work) {
    SimSource source = world.sources.get(work.recordSet());
    if (source == null) {
      return Optional.of(Finding.Refused.of(work, "no such record set"));
    }
    if (job.phase == 0) {
      job.beganMs = world.nowMs;
      source.adHocSnapshot(world.nowMs);
      job.phase = 1;
    } else if (world.isPurged(work.recordSet(), job.beganMs)) {
      return done(job);
    }
    return Optional.empty();
  }

  private boolean isPassed(SimSource source, List<Integer> ends) {
    return world.tasks.stream()
        .filter(task -> task.source == source)
        .allMatch(task -> task.position >= ends.get(task.partition));
  }

  private Optional<Finding.Answer> checkReady(Job job, Action.CheckReady work) {
    SimSource source = world.sources.get(work.watched().published().recordSet());
    SimTopic topic = world.topics.get(work.watched().published().viewTopic());
    if (topic == null) {
      return Optional.empty();
    }
    SimSink sink = world.sink(work.watched().target());
    switch (job.phase) {
      case 0 -> {
        job.ends = source.ends();
        job.phase = 1;
      }
      case 1 -> {
        if (isPassed(source, job.ends) && isComplete(source)) {
          job.ends = topic.ends();
          job.phase = 2;
        }
      }
      case 2 -> {
        if (reaches(sink.committed(topic), job.ends)) {
          reportDeadLetters(work.watched(), sink);
          return done(job);
        }
      }
      default -> throw new IllegalStateException();
    }
    return Optional.empty();
  }

  private boolean isComplete(SimSource source) {
    return world.tasks.stream()
        .filter(task -> task.source == source)
        .allMatch(task -> source.isComplete(task.partition, task.position));
  }

  private static boolean reaches(List<Integer> positions, List<Integer> ends) {
    for (int i = 0; i < ends.size(); i++) {
      if (positions.get(i) < ends.get(i)) {
        return false;
      }
    }
    return true;
  }

  private Optional<Finding.Answer> checkStateApplied(Job job, Action.CheckStateApplied work) {
    if (job.phase == 0) {
      job.ends = List.of(world.states.size());
      job.phase = 1;
      return Optional.empty();
    }
    return world.sink(work.target()).committedStates() >= job.ends.get(0)
        ? done(job)
        : Optional.empty();
  }

  private boolean isApplied(Job job, SimTopic topic) {
    if (topic == null) {
      return false;
    }
    if (job.phase == 0) {
      job.ends = topic.ends();
      job.phase = 1;
      return false;
    }
    return reaches(sinkOf(topic).committed(topic), job.ends);
  }

  private SimSink sinkOf(SimTopic topic) {
    return world.sink(world.frozen.get(topic.name).definition().target().type());
  }

  private Optional<Finding.Answer> removeRows(Job job, SimTopic topic) {
    if (topic == null) {
      return Optional.empty();
    }
    if (job.phase == 0) {
      topic.tellRemoval();
    }
    return isApplied(job, topic) ? done(job) : Optional.empty();
  }

  private void watch(Action.Watch work) {
    SimTopic topic = world.topics.get(work.watched().published().viewTopic());
    if (topic == null) {
      return;
    }
    deadLettersReported.merge(
        topic.name, work.from().next().getOrDefault(0, 0L).intValue(), Math::max);
    SimSink sink = world.sink(work.watched().target());
    List<Integer> applied = sink.committed(topic);
    if (world.behind.contains(work.watched().published().key())
        && behindReported.add(work.watched().published().key())) {
      tell(new Finding.ChangesMissed(work.view(), work.generation(), "8 days"));
    }
    reportDeadLetters(work.watched(), sink);
    for (RejectedRow row : work.rejected()) {
      List<SimTopic.Message> messages = topic.partition(row.partition());
      int last = lastOf(messages, row.row());
      if (last > row.offset() && last < applied.get(row.partition())) {
        boolean rejectedAgain =
            sink.deadLetters.stream()
                .anyMatch(
                    deadLetter ->
                        deadLetter.topic().equals(topic.name)
                            && deadLetter.partition() == row.partition()
                            && deadLetter.offset() == last);
        if (!rejectedAgain) {
          tell(new Finding.RowSuperseded(work.view(), work.generation(), row.row(), row.offset()));
        }
      }
    }
  }

  static int lastOf(List<SimTopic.Message> messages, String rowKey) {
    for (int i = messages.size() - 1; i >= 0; i--) {
      if (messages.get(i).rowKey().equals(rowKey)) {
        return i;
      }
    }
    return -1;
  }

  private void reportDeadLetters(Action.Watched watched, SimSink sink) {
    String topic = watched.published().viewTopic();
    int from = deadLettersReported.getOrDefault(topic, 0);
    for (int i = from; i < sink.deadLetters.size(); i++) {
      SimSink.RejectedRecord deadLetter = sink.deadLetters.get(i);
      if (deadLetter.topic().equals(topic)) {
        tell(
            new Finding.RowRejected(
                watched.view(),
                watched.generation(),
                0,
                i,
                new RejectedRow(
                    deadLetter.rowKey(), deadLetter.partition(), deadLetter.offset(), "bad")));
      }
    }
    deadLettersReported.put(topic, sink.deadLetters.size());
  }
}
