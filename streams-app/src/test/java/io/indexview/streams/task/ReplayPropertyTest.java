package io.indexview.streams.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.streams.state.InMemoryEntries;
import io.indexview.streams.task.TaskWorld.Row;
import io.indexview.views.definition.ViewGeneration;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.avro.generic.GenericRecord;

/** However wrong the state has become, and wherever the task is killed. */
class ReplayPropertyTest {

  @Property(tries = 50)
  void makesEveryGenerationWhatTheTopicSays(@ForAll(supplier = Seeds.class) long seed) {
    Run run = new Run(new Random(seed), false);
    run.run();
    run.checkThatNoRightRowWasTaken();
  }

  @Property(tries = 50)
  void generationsEqualTheTopicAfterLostDeletionsAndAnAdHocSnapshot(
      @ForAll(supplier = Seeds.class) long seed) {
    new Run(new Random(seed), true).run();
  }

  private static final class Run extends RandomRun {
    private final List<InMemoryEntries> copies = new ArrayList<>();

    Run(Random random, boolean loses) {
      super(random, loses);
      world.topic.offsetStep = 1 + random.nextInt(2);
    }

    @Override
    void restart() {
      world.crash();
    }

    @Override
    void end() {
      world.topic.isDown = false;
      world.nowMs += 10_000;
      // What is missed last is missed for good: the task is not known to have passed it.
      for (long before = world.end(); world.end() == before; ) {
        people.change(world::event);
      }
      boolean first = random.nextBoolean();
      if (first) {
        publish(BuildMode.REPLAY);
      }
      if (loses) {
        people.adHocSnapshot();
      }
      if (!first) {
        world.settle();
        publish(BuildMode.REPLAY);
      }
    }

    @Override
    void step() {
      // The cluster may not answer who reads the topic again; a restarted reader waits for a while.
      if (random.nextInt(20) == 0) {
        world.topic.isDown = !world.topic.isDown;
        world.nowMs += random.nextInt(3_000);
      }
      switch (random.nextInt(loses ? 19 : 17)) {
        case 0, 1 -> people.change(world::event);
        case 2 -> people.change(world::missed);
        case 3 -> people.phantom();
        case 4 -> publish(BuildMode.STATE);
        case 5 -> publish(BuildMode.REPLAY);
        case 6 -> stopAny();
        case 7, 8 -> world.poll();
        case 9, 10, 11 -> world.work(1 + random.nextInt(6));
        case 12 -> world.commit();
        case 13 -> world.crash();
        case 14 -> move();
        case 15 -> people.garbage();
        case 16 -> repair();
        case 17 -> people.loseDeletion();
        default -> people.adHocSnapshot();
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
      ViewGeneration generation = anyView();
      world.nowMs++;
      publish(generation, world.people.published(generation, mode, world.nowMs));
    }

    @Override
    void check(TaskProgress report) {
      assertThat(world.copy().estimatedSize()).isZero();
      assertThat(world.topic.readers).isZero();
    }

    /**
     * An event that nobody sent may take rows, and a repair what the wrong state does not have;
     * what puts the state right may not.
     */
    void checkThatNoRightRowWasTaken() {
      AvroDeserializer avro = new AvroDeserializer(world.registry);
      for (Row row : world.logged(Row.class)) {
        boolean isAsked = world.extraRows.contains(ByteBuffer.wrap(row.key()));
        if (row.value() == null && !row.byEvent() && !isAsked) {
          GenericRecord key = avro.deserialize("key", row.key());
          assertThat(wasRightSinceNoticed(row, key)).as("row %s was taken", key).isFalse();
        }
      }
    }

    /** A replay need not have read the events that the task did not notice. */
    private boolean wasRightSinceNoticed(Row row, GenericRecord key) {
      byte[] record = key.get("_primaryKey").toString().getBytes(StandardCharsets.UTF_8);
      ViewGeneration generation = row.generation().generation();
      return IntStream.rangeClosed(
              world.topic.lastNoticed(record, row.processed()), row.processed())
          .mapToObj(people.after::get)
          .map(records -> PublishedRows.expected(generation, records, new ArrayList<>()))
          .allMatch(rows -> rows.containsKey(key.toString()));
    }
  }
}
