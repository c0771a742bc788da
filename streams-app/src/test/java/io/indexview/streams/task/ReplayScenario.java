package io.indexview.streams.task;

import static io.indexview.streams.People.person;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.Op;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.streams.People;
import io.indexview.streams.task.TaskWorld.Row;
import java.util.List;
import org.apache.avro.generic.GenericRecord;

/** A replay for a view that serves already. */
abstract class ReplayScenario extends RecordSetTaskScenario {
  static final GenericRecord WRONG = person("Eve", "wrong", 66);

  PublishedGeneration replay(int number) {
    world.nowMs++;
    PublishedGeneration generation =
        world.people.published(
            People.generation(People.BY_ORG, number, People.RECORD_SET),
            BuildMode.REPLAY,
            world.nowMs);
    world.publish(generation);
    return generation;
  }

  void serve() {
    fill();
    publish(People.BY_ORG, 1);
    world.settle();
    assertExact(People.BY_ORG, 1);
  }

  void phantom(int i, Op op, long sequence, GenericRecord person) {
    world.phantom(key(i), op, sequence, person);
    world.processAll();
    world.commit();
  }

  /** Materializes everything and puts the first records in place. */
  void swapUpTo(int records) {
    world.poll();
    world.commit();
    while (!world.report("by-org", 2).reason().contains("in place")) {
      assertThat(world.work(1)).isTrue();
      world.nowMs += 600;
      world.poll();
      world.commit();
    }
    world.work(records);
    world.commit();
  }

  List<Row> rowsOf(int generation) {
    return world.logged(Row.class).stream()
        .filter(row -> row.generation().number() == generation)
        .toList();
  }

  void assertNothingIsLeft() {
    assertThat(world.topic.readers).isZero();
    assertThat(world.copy().estimatedSize()).isZero();
  }
}
