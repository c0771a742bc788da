package io.indexview.streams.task;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.ViewRepair;
import io.indexview.schemas.control.ViewRepair.Repaired;
import io.indexview.streams.People;
import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.streams.task.TaskWorld.Row;
import io.indexview.views.definition.ViewGeneration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Whatever happens to a task, step by step, wherever it dies; in the end its rows are right. */
abstract class RandomRun {
  private static final List<String> VIEWS =
      List.of(
          People.BY_ORG,
          People.BY_TAG_AND_AGE,
          """
          name: by-age-name
          source: people
          key: [age, name]
          include: [note]
          target: kv
          layout: key-value
          """);

  final Random random;
  final boolean loses;
  final TaskWorld world = new TaskWorld();
  final RandomHistory people;

  private final Map<String, ViewGeneration> running = new LinkedHashMap<>();
  private final Map<String, PublishedGeneration> published = new HashMap<>();
  private final Map<String, Integer> numbers = new HashMap<>();

  /**
   * @param loses whether deletions get lost, and ad-hoc snapshots are made
   */
  RandomRun(Random random, boolean loses) {
    this.random = random;
    this.loses = loses;
    this.people = new RandomHistory(random, world);
  }

  abstract void step();

  /** After the last step, when nothing dies any more. */
  abstract void end();

  /** The task has died, and starts again. */
  abstract void restart();

  /** The report of a generation whose rows are right. */
  abstract void check(TaskProgress report);

  final void run() {
    int steps = 10 + random.nextInt(141);
    for (int i = 0; i < steps; i++) {
      world.nowMs += random.nextInt(50);
      if (random.nextInt(7) == 0) {
        world.outputsUntilCrash = random.nextInt(6);
      }
      try {
        step();
      } catch (CrashException e) {
        restart();
      }
    }
    world.outputsUntilCrash = -1;
    end();
    world.settle();
    for (ViewGeneration generation : running.values()) {
      check(PublishedRows.assertExact(world, generation, people.known(), people.unreadable()));
    }
  }

  /** The next generation of some view. */
  ViewGeneration anyView() {
    String yaml = VIEWS.get(random.nextInt(VIEWS.size()));
    int number = numbers.merge(People.generation(yaml).view(), 1, Integer::sum);
    return People.generation(yaml, number, People.RECORD_SET);
  }

  void publish(ViewGeneration generation, PublishedGeneration made) {
    world.publish(made);
    running.put(made.key(), generation);
    published.put(made.key(), made);
  }

  /** Some generation is to be written no longer; empty: there is none. */
  Optional<PublishedGeneration> stopAny() {
    return running.keySet().stream()
        .skip(running.isEmpty() ? 0 : random.nextInt(running.size()))
        .findFirst()
        .map(
            key -> {
              running.remove(key);
              PublishedGeneration stopped = published.get(key).toStopped();
              world.publish(stopped);
              return stopped;
            });
  }

  /** A verification takes any rows for wrong. */
  final void repair() {
    List<Row> rows = world.logged(Row.class);
    if (random.nextInt(4) == 0) {
      world.repairs.clear();
    } else if (!rows.isEmpty()) {
      FrozenGeneration generation = rows.get(random.nextInt(rows.size())).generation();
      List<byte[]> extra =
          rows.stream()
              .filter(row -> row.generation().equals(generation) && random.nextInt(3) == 0)
              .map(Row::key)
              .toList();
      List<Repaired> records = new ArrayList<>();
      for (int i = random.nextInt(4); i >= 0; i--) {
        long above = random.nextInt(3) == 0 ? world.nowMs + random.nextInt(200) : 0;
        records.add(new Repaired(people.anyKey(), above, extra));
      }
      world.ask(
          new ViewRepair(
              generation.view(),
              generation.number(),
              "v" + random.nextInt(2),
              "try",
              random.nextInt(3),
              random.nextInt(2),
              records,
              List.of()));
    }
  }
}
