package io.indexview.benchmarks.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.benchmarks.app.Workload.Event;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

class WorkloadTest {
  private static final int KEYS = 300;

  private static List<Event> events(Workload workload) {
    List<Event> events = new ArrayList<>();
    assertThat(workload.run(20_000, events::add)).isEqualTo(events.size());
    return events;
  }

  @Test
  void isTheSameInEveryRun() {
    assertThat(events(new Workload(KEYS, true))).isEqualTo(events(new Workload(KEYS, true)));
  }

  @Test
  void changesAsItSays() {
    List<Event> events = events(new Workload(KEYS, false));

    Map<Integer, GenericRecord> people = new HashMap<>();
    int deletes = 0;
    int moves = 0;
    int updates = 0;
    for (Event event : events) {
      GenericRecord before = people.put(event.person(), event.after());
      if (event.after() == null) {
        deletes++;
        assertThat(before).isNotNull();
      } else if (before != null) {
        updates++;
        moves += event.after().get("org").equals(before.get("org")) ? 0 : 1;
        assertThat(event.after()).isNotEqualTo(before);
      }
    }
    assertThat(events).hasSize(20_000);
    assertThat(deletes / 20_000.0).isBetween(0.04, 0.06);
    assertThat((double) moves / updates).isBetween(0.47, 0.53);
  }

  @Test
  void repeatsAndDelaysEventsForWhoCanTell() {
    Workload workload = new Workload(KEYS, true);
    Map<Integer, Event> newest = new HashMap<>();
    int late = 0;
    int twice = 0;
    for (Event event : events(workload)) {
      Event before = newest.get(event.person());
      if (before != null && event.sequence() < before.sequence()) {
        late++;
      } else if (before != null && event.sequence() == before.sequence()) {
        twice++;
        assertThat(event).isEqualTo(before);
      } else {
        newest.put(event.person(), event);
      }
    }

    assertThat(late / 20_000.0).isBetween(0.01, 0.03);
    assertThat(twice / 20_000.0).isBetween(0.01, 0.03);
    Map<Integer, GenericRecord> standing = new HashMap<>();
    workload.forEach(number -> standing.put(number, workload.person(number)));
    newest.values().removeIf(event -> event.after() == null);
    assertThat(standing).hasSameSizeAs(newest);
    newest.forEach((number, event) -> assertThat(standing).containsEntry(number, event.after()));
  }
}
