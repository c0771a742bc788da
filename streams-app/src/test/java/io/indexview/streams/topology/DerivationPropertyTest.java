package io.indexview.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.streams.People;
import io.indexview.streams.topology.Delivery.Change;
import io.indexview.streams.topology.Delivery.Event;
import io.indexview.streams.topology.TopologyHarness.Written;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.derive.DerivationException;
import io.indexview.views.derive.ViewRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.avro.generic.GenericRecord;

class DerivationPropertyTest {
  private static final List<String> VIEWS =
      List.of(
          People.BY_ORG,
          People.BY_TAG_AND_AGE,
          """
          name: by-age-name
          source: people
          key: [age, name]
          shardKey: 1
          target: kv
          """,
          """
          name: by-org-hashed
          source: people
          key: [org]
          nulls: index
          naming: hash
          include: [tags, note]
          target: kv
          layout: key-value
          """);

  @Provide
  Arbitrary<Change> changes() {
    Arbitrary<String> key = Arbitraries.of("/p/1", "/p/2", "/p/3");
    Arbitrary<GenericRecord> person =
        Combinators.combine(
                Arbitraries.of("Ann", "Bob"),
                Arbitraries.of("Support", "Sales").injectNull(0.2),
                Arbitraries.integers().between(30, 31).injectNull(0.2),
                Arbitraries.of("a", "b", "c", "d", "e", "f").list().ofMaxSize(8),
                Arbitraries.of("x", "y"))
            .as(
                (name, org, age, tags, note) -> {
                  GenericRecord made = People.person(name, org, age, tags.toArray(String[]::new));
                  made.put("note", note);
                  return made;
                });
    return Combinators.combine(key, person.injectNull(0.25)).as(Change::new);
  }

  @Property(tries = 5)
  void leavesExactlyTheRowsOfTheFinalRecords(
      @ForAll("histories") List<Change> history, @ForAll Random seeds) throws IOException {
    Delivery delivery = new Delivery(history, seeds.nextInt(history.size() + 1), seeds.nextLong());
    Path directory = Files.createTempDirectory("derivation");
    String[] views = VIEWS.stream().filter(view -> seeds.nextInt(3) > 0).toArray(String[]::new);
    Map<String, String> store =
        TopologyHarness.stateStore(seeds.nextBoolean() ? "rocksdb" : "memory");
    try (TopologyHarness app = new TopologyHarness(directory, store, views)) {
      Map<String, Map<String, String>> rows = new HashMap<>();
      Map<String, Long> revisions = new HashMap<>();
      for (Event event : delivery.events()) {
        app.send(event.key(), app.people.event(event.op(), event.origin(), event.person()));
        for (String view : views) {
          compact(app, view, rows.computeIfAbsent(view, name -> new HashMap<>()), revisions);
        }
        if (seeds.nextInt(8) == 0) {
          app.restart();
        }
        app.passTime(Duration.ofMillis(seeds.nextInt(3)));
      }
      for (String view : views) {
        assertThat(rows.getOrDefault(view, Map.of())).isEqualTo(expected(view, delivery));
      }
    } finally {
      Files.deleteIfExists(directory);
    }
  }

  @Provide
  Arbitrary<List<Change>> histories() {
    return changes().list().ofMinSize(1).ofMaxSize(20);
  }

  /** Applies what was emitted, each of which must change something. */
  private static void compact(
      TopologyHarness app, String view, Map<String, String> rows, Map<String, Long> revisions) {
    Map<String, Long> risen = new LinkedHashMap<>();
    for (Written row : app.rows(People.generation(view).view())) {
      String key = row.key().toString();
      long revision = Long.parseLong(row.headers().get("indexview.revision"));
      String record = view + row.key().get("_primaryKey");
      assertThat(revision).isGreaterThan(revisions.getOrDefault(record, -1L));
      risen.put(record, revision);
      if (row.value() == null) {
        assertThat(rows.remove(key)).as("deleted row %s", key).isNotNull();
      } else {
        assertThat(row.value().get("_revision")).isEqualTo(revision);
        row.value().put("_revision", 0L);
        String value = row.value().toString();
        assertThat(rows.put(key, value)).as("upserted row %s", key).isNotEqualTo(value);
      }
    }
    revisions.putAll(risen);
  }

  private static Map<String, String> expected(String view, Delivery delivery) {
    CompiledView compiled = CompiledView.compile(People.generation(view), People.SCHEMA);
    Map<String, String> rows = new HashMap<>();
    delivery
        .records()
        .forEach(
            (key, person) -> {
              for (ViewRow row : rows(compiled, key, person)) {
                rows.put(compiled.keyOf(row).toString(), compiled.valueOf(row, 0).toString());
              }
            });
    return rows;
  }

  private static List<ViewRow> rows(CompiledView compiled, String key, GenericRecord person) {
    try {
      return compiled.rows(person, key);
    } catch (DerivationException e) {
      return List.of();
    }
  }
}
