package io.indexview.streams.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.PurgeProgress;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.TaskProgress.Phase;
import io.indexview.streams.controller.SimTopic.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One task of a record set: each call is one committed transaction. What it does not commit has no
 * effect, so crashes of tasks show as nothing but delay.
 */
final class SimTask {
  final SimSource source;
  final int partition;
  int position;

  /** When the newest ad-hoc snapshot began after which this has deleted what it did not name. */
  long purgedMs = -1;

  final Map<String, Build> builds = new TreeMap<>();
  private final SimWorld world;
  private final Map<String, Integer> state = new TreeMap<>();

  static final class Build {
    final PublishedGeneration published;
    final TreeSet<String> failed = new TreeSet<>();
    Phase phase;
    String cursor = "";

    /** Where in its source it was stopped; -1: it was not. */
    int stoppedAt = -1;

    Build(PublishedGeneration published, Phase phase) {
      this.published = published;
      this.phase = phase;
    }

    private boolean follows(String key) {
      return phase == Phase.BUILT || phase == Phase.BUILDING && key.compareTo(cursor) <= 0;
    }
  }

  SimTask(SimWorld world, SimSource source, int partition) {
    this.world = world;
    this.source = source;
    this.partition = partition;
  }

  boolean isIdle() {
    return position == source.end(partition)
        && builds.values().stream().noneMatch(build -> build.phase == Phase.BUILDING)
        && !knowsLess();
  }

  private boolean knowsLess() {
    Map<String, PublishedGeneration> published = ofSet();
    return !published.keySet().equals(builds.keySet())
        || published.values().stream()
            .anyMatch(p -> p.stopped() && builds.get(p.key()).phase != Phase.STOPPED);
  }

  private Map<String, PublishedGeneration> ofSet() {
    Map<String, PublishedGeneration> published = new TreeMap<>(world.generations);
    published.values().removeIf(generation -> !generation.recordSet().equals(source.recordSet));
    return published;
  }

  void step(Random random) {
    switch (random.nextInt(40)) {
      case 0 -> {
        if (!world.calm) {
          builds.values().forEach(this::report);
        }
      }
      case 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 -> learn();
      case 21 -> purge();
      case 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 -> build(random);
      default -> {
        follow();
        follow();
      }
    }
  }

  private void learn() {
    Map<String, PublishedGeneration> published = ofSet();
    builds.keySet().retainAll(published.keySet());
    for (PublishedGeneration generation : published.values()) {
      Build build = builds.get(generation.key());
      if (build == null) {
        build = new Build(generation, generation.stopped() ? Phase.STOPPED : Phase.BUILDING);
        builds.put(generation.key(), build);
        report(build);
      } else if (generation.stopped() && build.phase != Phase.STOPPED) {
        build.phase = Phase.STOPPED;
        build.stoppedAt = position;
        report(build);
      }
    }
  }

  private void purge() {
    long begun = source.snapshotBefore(partition, position);
    if (begun > purgedMs) {
      purgedMs = begun;
      world.tell(
          new PurgeProgress(
              source.recordSet, partition, "topic-1", Map.of("source", begun), world.nowMs));
    }
  }

  private void follow() {
    if (position == source.end(partition)) {
      return;
    }
    SimSource.Event event = source.event(partition, position);
    position++;
    Integer before =
        event.value() == null ? state.remove(event.key()) : state.put(event.key(), event.value());
    for (Build build : builds.values()) {
      if (build.follows(event.key())) {
        String definition = build.published.definition();
        List<Message> rows = new ArrayList<>();
        Map<String, Integer> old = SimView.rows(definition, event.key(), before);
        Map<String, Integer> now = SimView.rows(definition, event.key(), event.value());
        old.keySet().stream()
            .filter(row -> !now.containsKey(row))
            .forEach(row -> rows.add(message(row, null, false)));
        now.forEach((row, value) -> rows.add(message(row, value, false)));
        write(build, rows);
        count(build, event.key(), event.value());
      }
    }
  }

  private void build(Random random) {
    for (Build build : builds.values()) {
      if (build.phase == Phase.BUILDING) {
        chunk(build, 1 + random.nextInt(4));
      }
    }
  }

  private void chunk(Build build, int records) {
    List<Message> rows = new ArrayList<>();
    String definition = build.published.definition();
    int left = records;
    for (Map.Entry<String, Integer> entry :
        new TreeMap<>(state).tailMap(build.cursor, false).entrySet()) {
      if (left-- == 0) {
        break;
      }
      SimView.rows(definition, entry.getKey(), entry.getValue())
          .forEach((row, value) -> rows.add(message(row, value, true)));
      count(build, entry.getKey(), entry.getValue());
      build.cursor = entry.getKey();
    }
    write(build, rows);
    if (left > 0) {
      build.phase = Phase.BUILT;
      report(build);
    }
  }

  private Message message(String row, Integer value, boolean isBuild) {
    return new Message(row, value, position, isBuild, false, false);
  }

  private void write(Build build, List<Message> rows) {
    if (rows.isEmpty()) {
      return;
    }
    SimTopic topic = world.topics.get(build.published.viewTopic());
    assertThat(topic).as("topic that %s is written to", build.published.key()).isNotNull();
    for (int i = 0; i < rows.size(); i++) {
      Message row = rows.get(i);
      topic.append(
          partition,
          new Message(
              row.rowKey(), row.value(), row.position(), row.build(), i == rows.size() - 1, false));
    }
  }

  /** A task tells at once that records fail. */
  private void count(Build build, String key, Integer value) {
    int before = build.failed.size();
    if (value != null && SimView.fails(SimView.variant(build.published.definition()), value)) {
      build.failed.add(key);
    } else {
      build.failed.remove(key);
    }
    if (before != build.failed.size()) {
      report(build);
    }
  }

  private void report(Build build) {
    PublishedGeneration generation = build.published;
    String reason = build.failed.isEmpty() ? "" : "value of " + build.failed.first();
    world.tell(
        new TaskProgress(
            source.recordSet,
            partition,
            generation.view(),
            generation.generation(),
            build.phase,
            0,
            state.size(),
            0,
            0,
            build.failed.size(),
            reason,
            world.nowMs));
  }
}
