package io.indexview.streams.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.streams.People;
import io.indexview.streams.derive.InMemoryEntries;
import io.indexview.streams.task.TaskWorld.Row;
import io.indexview.views.definition.ViewGeneration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** However wrong the state has become, and wherever the task is killed. */
class ReplayPropertyTest {

  @Property(tries = 300)
  void makesEveryGenerationWhatTheTopicSays(
      @ForAll Random random, @ForAll @IntRange(min = 10, max = 150) int steps) {
    Run run = new Run(random, false);
    run.run(steps);
    run.checkThatNoRightRowWasTaken();
  }

  @Property(tries = 300)
  void makesThemThatAlsoAfterLosingDeletionsAndAResnapshot(
      @ForAll Random random, @ForAll @IntRange(min = 10, max = 150) int steps) {
    new Run(random, true).run(steps);
  }

  private static final class Run {
    private final Random random;
    private final boolean loses;
    private final TaskWorld world = new TaskWorld();
    private final RandomHistory people;
    private final Map<String, ViewGeneration> running = new LinkedHashMap<>();
    private final Map<String, PublishedGeneration> published = new HashMap<>();
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<InMemoryEntries> copies = new ArrayList<>();

    Run(Random random, boolean loses) {
      this.random = random;
      this.loses = loses;
      this.people = new RandomHistory(random, world);
      world.topic.offsetStep = 1 + random.nextInt(2);
    }

    void run(int steps) {
      for (int i = 0; i < steps; i++) {
        world.nowMs += random.nextInt(50);
        if (random.nextInt(8) == 0) {
          world.outputsUntilCrash = random.nextInt(6);
        }
        try {
          step();
        } catch (CrashException e) {
          world.crash();
        }
      }
      world.outputsUntilCrash = -1;
      end();
      world.settle();
      running.values().forEach(this::checkRows);
      assertThat(world.copy().estimatedSize()).isZero();
      assertThat(world.topic.readers).isZero();
    }

    private void end() {
      // What is missed last is missed for good: the task is not known to have passed it.
      for (long before = world.end(); world.end() == before; ) {
        people.change(world::event);
      }
      boolean first = random.nextBoolean();
      if (first) {
        publish(BuildMode.REPLAY);
      }
      if (loses) {
        people.resnapshot();
      }
      if (!first) {
        world.settle();
        publish(BuildMode.REPLAY);
      }
    }

    private void step() {
      switch (random.nextInt(loses ? 17 : 15)) {
        case 0, 1 -> people.change(world::event);
        case 2 -> people.change(world::missed);
        case 3 -> people.phantom();
        case 4 -> publish(BuildMode.STATE);
        case 5 -> publish(BuildMode.REPLAY);
        case 6 -> stop();
        case 7, 8 -> world.poll();
        case 9, 10, 11 -> world.work(1 + random.nextInt(6));
        case 12 -> world.commit();
        case 13 -> world.crash();
        case 14 -> move();
        case 15 -> people.loseDeletion();
        default -> people.resnapshot();
      }
      if (random.nextInt(3) == 0) {
        world.processAll();
      } else if (random.nextInt(2) == 0) {
        world.processNext();
      }
    }

    /** In order, to where the task never was, has just been, or was before. */
    private void move() {
      world.commit();
      copies.add(world.copy());
      int place = random.nextInt(3);
      world.restart(
          place == 0
              ? new InMemoryEntries()
              : new InMemoryEntries(
                  copies.get(place == 1 ? copies.size() - 1 : random.nextInt(copies.size()))));
    }

    private void publish(BuildMode mode) {
      String yaml =
          RecordSetTaskPropertyTest.VIEWS.get(
              random.nextInt(RecordSetTaskPropertyTest.VIEWS.size()));
      int number = numbers.merge(People.generation(yaml).view(), 1, Integer::sum);
      ViewGeneration generation = People.generation(yaml, number, People.RECORD_SET);
      world.nowMs++;
      PublishedGeneration made = world.people.published(generation, mode, world.nowMs);
      world.publish(made);
      running.put(made.key(), generation);
      published.put(made.key(), made);
    }

    private void stop() {
      running.keySet().stream()
          .skip(running.isEmpty() ? 0 : random.nextInt(running.size()))
          .findFirst()
          .ifPresent(
              key -> {
                running.remove(key);
                world.publish(published.get(key).toStopped());
              });
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
    }

    /** An event that nobody sent may take rows; what puts the state right may not. */
    void checkThatNoRightRowWasTaken() {
      AvroDeserializer avro = new AvroDeserializer(world.registry);
      for (Row row : world.logged(Row.class)) {
        if (row.value() == null && !row.byEvent()) {
          Map<String, String> right =
              PublishedRows.expected(
                  row.generation().generation(),
                  people.after.get(row.processed()),
                  new ArrayList<>());
          assertThat(right).doesNotContainKey(avro.deserialize("key", row.key()).toString());
        }
      }
    }
  }
}
