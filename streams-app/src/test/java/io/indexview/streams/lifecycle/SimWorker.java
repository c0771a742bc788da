package io.indexview.streams.lifecycle;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewState;
import io.indexview.streams.People;
import io.indexview.streams.lifecycle.work.RejectedRow;
import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.Work.StateRecord;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinition;
import io.indexview.views.definition.ViewGeneration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/** A worker that is slow, repeats results, and forgets where it was. */
final class SimWorker {
  private final World world;
  private final Map<String, Job> jobs = new HashMap<>();
  private final Map<String, Integer> lettersTold = new HashMap<>();
  private final List<WorkResult> told = new ArrayList<>();

  /** What was being frozen when it was given up: the brokers may have been asked for the topic. */
  private final List<Work.Freeze> givenUp = new ArrayList<>();

  /** How far a work has come; lost when the worker restarts. */
  private static final class Job {
    private Work work;
    private int phase;
    private List<Integer> ends;
    private long beganMs;

    private Job(Work work) {
      this.work = work;
    }
  }

  SimWorker(World world) {
    this.world = world;
  }

  void want(Set<Work> all) {
    Map<String, Job> before = Map.copyOf(jobs);
    jobs.clear();
    Set<String> ids = all.stream().map(Work::id).collect(Collectors.toSet());
    before.values().stream()
        .filter(job -> !ids.contains(job.work.id()))
        .map(job -> job.work)
        .filter(Work.Freeze.class::isInstance)
        .map(Work.Freeze.class::cast)
        .filter(this::mayFreeze)
        .filter(work -> world.sources.containsKey(source(work)))
        .forEach(givenUp::add);
    for (Work work : all) {
      Job job = before.getOrDefault(work.id(), new Job(work));
      job.work = work;
      jobs.put(work.id(), job);
    }
  }

  void step(Random random) {
    int choice = world.calm ? -1 : random.nextInt(40);
    if (choice == 0 && !told.isEmpty()) {
      world.tell(told.get(random.nextInt(told.size())));
    } else if (choice == 1) {
      lettersTold.clear();
      jobs.values().forEach(job -> job.phase = 0);
    } else if (choice == 2 && !givenUp.isEmpty()) {
      answer(make(givenUp.remove(0)));
    } else if (random.nextInt(40) == 0) {
      tellStrayTopics();
    } else {
      for (String id : jobs.keySet().stream().sorted().toList()) {
        if (random.nextInt(3) == 0) {
          step(jobs.get(id));
        }
      }
    }
  }

  private void answer(WorkResult result) {
    told.add(result);
    world.tell(result);
  }

  private void done(Job job) {
    answer(WorkResult.Done.of(job.work));
  }

  private void step(Job job) {
    if (job.work instanceof Work.Freeze work) {
      freeze(work).ifPresent(this::answer);
    } else if (job.work instanceof Work.RequestResnapshot work) {
      resnapshot(job, work);
    } else if (job.work instanceof Work.CheckReady work) {
      checkReady(job, work);
    } else if (job.work instanceof Work.CheckStateApplied work) {
      checkStateApplied(job, work);
    } else if (job.work instanceof Work.CheckTopicApplied work) {
      if (isApplied(job, world.topics.get(work.viewTopic()))) {
        done(job);
      }
    } else if (job.work instanceof Work.RemoveRows work) {
      removeRows(job, world.topics.get(work.viewTopic()));
    } else if (job.work instanceof Work.DeleteTopic work) {
      world.checks.deleting(work);
      world.topics.remove(work.viewTopic());
      done(job);
    } else if (job.work instanceof Work.Watch work) {
      watch(work);
    }
  }

  private void tellStrayTopics() {
    Set<String> published =
        world.generations.values().stream()
            .map(PublishedGeneration::viewTopic)
            .collect(Collectors.toSet());
    for (String topic : world.topics.keySet()) {
      if (!published.contains(topic)) {
        ViewGeneration generation = world.frozen.get(topic);
        answer(new WorkResult.TopicFound(generation.view(), generation.number(), topic));
      }
    }
  }

  /** The process ends, with topics made that it told nobody of. */
  void die() {
    givenUp.forEach(this::make);
    jobs.values().stream()
        .map(job -> job.work)
        .filter(Work.Freeze.class::isInstance)
        .forEach(work -> freeze((Work.Freeze) work));
    jobs.clear();
  }

  private Optional<WorkResult> freeze(Work.Freeze work) {
    if (!mayFreeze(work)) {
      return Optional.empty();
    }
    if (world.generations.containsKey(PublishedGeneration.key(work.view(), work.generation()))) {
      return Optional.of(WorkResult.Refused.of(work, "stands already"));
    }
    String recordSet = source(work);
    if (recordSet.equals(SimUser.NOWHERE)) {
      if (world.random.nextBoolean()) {
        make(work);
      }
      return Optional.of(WorkResult.Refused.of(work, "source: no such record set"));
    }
    return recordSet.equals(SimUser.SOMEDAY) ? Optional.empty() : Optional.of(make(work));
  }

  private static String source(Work.Freeze work) {
    return ViewDefinition.fromJson(work.wish().definition()).source();
  }

  private boolean mayFreeze(Work.Freeze work) {
    ViewState state = world.committedState(work.view());
    return state != null && state.version() >= work.stateVersion();
  }

  private WorkResult make(Work.Freeze work) {
    String source = source(work);
    RecordSet recordSet =
        new RecordSet(
            source,
            "indexview.changes." + source,
            People.RECORD_SET.format(),
            List.of(),
            People.SCHEMA);
    WorkResult.Frozen frozen = Freezing.frozen(work, recordSet, World.PARTITIONS);
    String topic = frozen.published().viewTopic();
    world.topics.computeIfAbsent(topic, name -> new SimTopic(name, World.PARTITIONS));
    world.frozen.computeIfAbsent(topic, name -> ViewGeneration.fromJson(frozen.description()));
    return frozen;
  }

  private void resnapshot(Job job, Work.RequestResnapshot work) {
    SimSource source = world.sources.get(work.recordSet());
    if (source == null) {
      answer(WorkResult.Refused.of(work, "no such record set"));
    } else if (job.phase == 0) {
      job.beganMs = world.nowMs;
      source.resnapshot(world.nowMs);
      job.phase = 1;
    } else if (world.isPurged(work.recordSet(), job.beganMs)) {
      done(job);
    }
  }

  private boolean isPassed(SimSource source, List<Integer> ends) {
    return world.tasks.stream()
        .filter(task -> task.source == source)
        .allMatch(task -> task.position >= ends.get(task.partition));
  }

  private void checkReady(Job job, Work.CheckReady work) {
    SimSource source = world.sources.get(work.watched().published().recordSet());
    SimTopic topic = world.topics.get(work.watched().published().viewTopic());
    if (topic == null) {
      return;
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
          tellLetters(work.watched(), sink);
          done(job);
          job.phase = 0;
        }
      }
      default -> throw new IllegalStateException();
    }
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

  private void checkStateApplied(Job job, Work.CheckStateApplied work) {
    if (job.phase == 0) {
      ViewState state = world.committedState(work.view());
      boolean expected =
          work.expected() == StateRecord.TOMBSTONE
              ? state == null
              : state != null && state.version() >= work.version();
      if (expected) {
        job.ends = List.of(world.states.size());
        job.phase = 1;
      }
    } else if (world.sink(work.target()).committedStates() >= job.ends.get(0)) {
      done(job);
    }
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

  private void removeRows(Job job, SimTopic topic) {
    if (topic == null) {
      return;
    }
    if (job.phase == 0) {
      topic.tellRemoval();
    }
    if (isApplied(job, topic)) {
      done(job);
    }
  }

  private void watch(Work.Watch work) {
    SimTopic topic = world.topics.get(work.watched().published().viewTopic());
    if (topic == null) {
      return;
    }
    lettersTold.merge(topic.name, work.lettersFrom().getOrDefault(0, 0L).intValue(), Math::max);
    SimSink sink = world.sink(work.watched().target());
    List<Integer> applied = sink.committed(topic);
    tellLetters(work.watched(), sink);
    for (RejectedRow row : work.rejected()) {
      List<SimTopic.Message> messages = topic.partition(row.partition());
      int last = lastOf(messages, row.row());
      if (last > row.offset() && last < applied.get(row.partition())) {
        boolean rejectedAgain =
            sink.letters.stream()
                .anyMatch(
                    letter ->
                        letter.topic().equals(topic.name)
                            && letter.partition() == row.partition()
                            && letter.offset() == last);
        if (!rejectedAgain) {
          answer(
              new WorkResult.RowSuperseded(
                  work.view(), work.generation(), row.row(), row.offset()));
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

  private void tellLetters(Work.Watched watched, SimSink sink) {
    String topic = watched.published().viewTopic();
    int from = lettersTold.getOrDefault(topic, 0);
    for (int i = from; i < sink.letters.size(); i++) {
      SimSink.Letter letter = sink.letters.get(i);
      if (letter.topic().equals(topic)) {
        answer(
            new WorkResult.RowRejected(
                watched.view(),
                watched.generation(),
                0,
                i,
                new RejectedRow(letter.rowKey(), letter.partition(), letter.offset(), "bad")));
      }
    }
    lettersTold.put(topic, sink.letters.size());
  }
}
