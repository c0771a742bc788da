package io.indexview.streams.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.streams.People;
import io.indexview.streams.task.TaskWorld.Row;
import io.indexview.views.definition.ViewGeneration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Whatever happens when, and wherever the task is killed. */
class RecordSetTaskPropertyTest {
  static final List<String> VIEWS =
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

  @Property(tries = 300)
  void publishesExactlyTheRowsOfTheRecords(
      @ForAll Random random, @ForAll @IntRange(min = 10, max = 150) int steps) {
    new Run(random, false).run(steps);
  }

  @Property(tries = 300)
  void publishesThemAlsoAfterLosingDeletionsAndAResnapshot(
      @ForAll Random random, @ForAll @IntRange(min = 10, max = 150) int steps) {
    new Run(random, true).run(steps);
  }

  private static final class Run {
    private final Random random;
    private final boolean loses;
    private final TaskWorld world = new TaskWorld();
    private final RandomHistory people;
    private final Map<String, ViewGeneration> running = new LinkedHashMap<>();
    private final Map<String, PublishedGeneration> stopping = new LinkedHashMap<>();
    private final Set<String> gone = new HashSet<>();
    private final List<Map<String, byte[]>> history = new ArrayList<>();
    private Map<String, byte[]> published = Map.of();

    Run(Random random, boolean loses) {
      this.random = random;
      this.people = new RandomHistory(random, world);
      this.loses = loses;
    }

    void run(int steps) {
      for (int i = 0; i < steps; i++) {
        world.nowMs += random.nextInt(50);
        if (random.nextInt(6) == 0) {
          world.outputsUntilCrash = random.nextInt(6);
        }
        try {
          step();
        } catch (CrashException e) {
          restart();
        }
      }
      world.outputsUntilCrash = -1;
      show(published);
      if (loses) {
        people.resnapshot();
      }
      world.settle();
      check();
    }

    private void step() {
      switch (random.nextInt(loses ? 14 : 12)) {
        case 0, 1, 2, 3 -> people.change(world::event);
        case 4 -> publish();
        case 5 -> stop();
        case 6 -> forget();
        case 7 -> world.poll();
        case 8, 9 -> world.work(1 + random.nextInt(4));
        case 10 -> world.commit();
        case 11 -> restart();
        case 12 -> people.loseDeletion();
        default -> {
          people.resnapshot();
          if (random.nextBoolean()) {
            world.poll();
            world.work(20);
          }
        }
      }
      if (random.nextInt(3) > 0) {
        world.processAll();
      }
    }

    /** Starts elsewhere, where view-generations may be known up to an earlier record only. */
    private void restart() {
      if (!history.isEmpty() && random.nextInt(3) == 0) {
        show(history.get(random.nextInt(history.size())));
      }
      world.crash();
      if (random.nextBoolean()) {
        world.poll();
        world.processAll();
      }
      show(published);
    }

    private void show(Map<String, byte[]> known) {
      world.generations.clear();
      world.generations.putAll(known);
    }

    private void changed() {
      published = Map.copyOf(world.generations);
      history.add(published);
    }

    private void publish() {
      String yaml = VIEWS.get(random.nextInt(VIEWS.size()));
      String view = People.generation(yaml).view();
      int number =
          1
              + (int)
                  history.stream()
                      .flatMap(known -> known.keySet().stream())
                      .filter(key -> key.startsWith(view + "|"))
                      .distinct()
                      .count();
      PublishedGeneration generation =
          world.people.published(People.generation(yaml, number, People.RECORD_SET));
      world.publish(generation);
      running.put(generation.key(), People.generation(yaml, number, People.RECORD_SET));
      changed();
    }

    private void stop() {
      running.keySet().stream()
          .skip(running.isEmpty() ? 0 : random.nextInt(running.size()))
          .findFirst()
          .ifPresent(
              key -> {
                PublishedGeneration stopped =
                    world.people.published(running.remove(key)).toStopped();
                world.publish(stopped);
                stopping.put(key, stopped);
                changed();
              });
    }

    /** A generation goes when its task has said that it stopped. */
    private void forget() {
      for (TaskProgress report : world.logged(TaskProgress.class)) {
        String key = PublishedGeneration.key(report.view(), report.generation());
        if (report.phase() == TaskProgress.Phase.STOPPED && stopping.containsKey(key)) {
          stopping.remove(key);
          gone.add(key);
          world.generations.remove(key);
          changed();
          return;
        }
      }
    }

    private void check() {
      running.values().forEach(this::checkRows);
      stopping.values().forEach(this::checkStopped);
      checkNothingAfterStopped();
    }

    private void checkRows(ViewGeneration generation) {
      List<String> failed = new ArrayList<>();
      PublishedRows rows = PublishedRows.of(world, generation);
      assertThat(rows.rows())
          .as(generation.viewTopic())
          .isEqualTo(PublishedRows.expected(generation, people.records, failed));
      TaskProgress report = world.report(generation.view(), generation.number());
      assertThat(report.phase()).isEqualTo(TaskProgress.Phase.BUILT);
      assertThat(report.rows()).isEqualTo(rows.rows().size());
      assertThat(report.keyBytes()).isEqualTo(rows.keyBytes());
      assertThat(report.failedRecords()).isEqualTo(failed.size());
      assertThat(report.reason().isEmpty()).isEqualTo(failed.isEmpty());
    }

    private void checkStopped(PublishedGeneration generation) {
      assertThat(world.report(generation.view(), generation.generation()).phase())
          .isEqualTo(TaskProgress.Phase.STOPPED);
    }

    private void checkNothingAfterStopped() {
      Set<String> stopped = new HashSet<>();
      for (Object entry : world.log) {
        if (entry instanceof TaskProgress report) {
          String key = PublishedGeneration.key(report.view(), report.generation());
          if (report.phase() == TaskProgress.Phase.STOPPED) {
            stopped.add(key);
          } else {
            assertThat(stopped).doesNotContain(key);
          }
        } else if (entry instanceof Row row) {
          assertThat(stopped)
              .doesNotContain(
                  PublishedGeneration.key(row.generation().view(), row.generation().number()));
        }
      }
    }
  }
}
