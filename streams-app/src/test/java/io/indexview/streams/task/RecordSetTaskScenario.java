package io.indexview.streams.task;

import static io.indexview.streams.People.person;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.Op;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.streams.People;
import io.indexview.streams.task.TaskWorld.Row;
import io.indexview.views.definition.ViewGeneration;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;

/** A task of a record set with some records in its state. */
abstract class RecordSetTaskScenario {
  static final int RECORDS = 10;

  final TaskWorld world = new TaskWorld();
  final Map<String, GenericRecord> records = new HashMap<>();

  static String key(int i) {
    return "/p/%02d".formatted(i);
  }

  void upsert(int i, long sequence, GenericRecord person) {
    records.put(key(i), person);
    world.event(key(i), Op.UPDATE, sequence, person);
    world.processAll();
  }

  void fill() {
    for (int i = 0; i < RECORDS; i++) {
      upsert(i, 1, person("Ann", "org" + i % 3, 30, "red", "tag" + i));
    }
    world.poll();
    world.commit();
  }

  PublishedGeneration publish(String yaml, int number) {
    PublishedGeneration generation =
        world.people.published(People.generation(yaml, number, People.RECORD_SET));
    world.publish(generation);
    return generation;
  }

  void assertExact(String yaml, int number) {
    ViewGeneration generation = People.generation(yaml, number, People.RECORD_SET);
    TaskProgress report = PublishedRows.assertExact(world, generation, records);
    assertThat(report.partition()).isEqualTo(TaskWorld.PARTITION);
    assertThat(report.done()).isEqualTo(report.estimated());
  }

  List<String> emittedKeys() {
    return world.logged(Row.class).stream()
        .map(row -> new String(row.key(), StandardCharsets.UTF_8))
        .toList();
  }
}
