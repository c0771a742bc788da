package io.indexview.streams.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.fixtures.Tries.Seeds;
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

/** Whatever happens when, and wherever the task is killed. */
class RecordSetTaskPropertyTest {
  @Property(tries = 100)
  void publishesExactlyTheRowsOfTheRecords(@ForAll(supplier = Seeds.class) long seed) {
    Run run = new Run(new Random(seed), false);
    run.run();
    run.checkWhatStopped();
  }

  @Property(tries = 100)
  void publishesExactRowsAfterLostDeletionsAndAnAdHocSnapshot(
      @ForAll(supplier = Seeds.class) long seed) {
    Run run = new Run(new Random(seed), true);
    run.run();
    run.checkWhatStopped();
  }

  private static final class Run extends RandomRun {
    private final Map<String, PublishedGeneration> stopping = new LinkedHashMap<>();
    private final List<Map<String, byte[]>> history = new ArrayList<>();
    private Map<String, byte[]> published = Map.of();

    Run(Random random, boolean loses) {
      super(random, loses);
    }

    @Override
    void end() {
      show(published);
      if (loses) {
        people.adHocSnapshot();
      }
      for (int i = random.nextInt(3); i > 0; i--) {
        people.garbage();
      }
    }

    @Override
    void step() {
      switch (random.nextInt(loses ? 16 : 14)) {
        case 0, 1, 2, 3 -> people.change(world::event);
        case 4 -> publish();
        case 5 -> stop();
        case 6 -> forget();
        case 7 -> world.poll();
        case 8, 9 -> world.work(1 + random.nextInt(4));
        case 10 -> world.commit();
        case 11 -> restart();
        case 12 -> people.garbage();
        case 13 -> repair();
        case 14 -> people.loseDeletion();
        default -> {
          people.adHocSnapshot();
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
    @Override
    void restart() {
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
      ViewGeneration generation = anyView();
      publish(generation, world.people.published(generation));
      changed();
    }

    private void stop() {
      stopAny()
          .ifPresent(
              stopped -> {
                stopping.put(stopped.key(), stopped);
                changed();
              });
    }

    /** A generation goes when its task has said that it stopped. */
    private void forget() {
      for (TaskProgress report : world.logged(TaskProgress.class)) {
        String key = PublishedGeneration.key(report.view(), report.generation());
        if (report.phase() == TaskProgress.Phase.STOPPED && stopping.containsKey(key)) {
          stopping.remove(key);
          world.generations.remove(key);
          changed();
          return;
        }
      }
    }

    @Override
    void check(TaskProgress report) {
      assertThat(report.reason().isEmpty()).isEqualTo(report.failedRecords() == 0);
    }

    void checkWhatStopped() {
      stopping.values().forEach(this::checkStopped);
      checkNothingAfterStopped();
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
