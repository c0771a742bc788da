package io.indexview.streams.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.streams.People;
import io.indexview.streams.task.TaskWorld.Row;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.derive.DerivationException;
import io.indexview.views.derive.ViewRow;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.avro.generic.GenericRecord;

/** The rows of one generation as the view topic holds them, and as they have to be. */
final class PublishedRows {
  private final AvroDeserializer avro;
  private final Set<ByteBuffer> extraRows;
  private final Map<String, String> rows = new HashMap<>();
  private final Map<String, Long> revisions = new HashMap<>();
  private long keyBytes;

  private PublishedRows(TaskWorld world) {
    this.avro = new AvroDeserializer(world.registry);
    this.extraRows = world.extraRows;
  }

  /** Materializes what was committed; the revisions of a record must never fall. */
  static PublishedRows of(TaskWorld world, ViewGeneration generation) {
    PublishedRows published = new PublishedRows(world);
    for (Row row : world.logged(Row.class)) {
      if (row.generation().generation().equals(generation)) {
        published.apply(row);
      }
    }
    return published;
  }

  /** Requires that a generation is built, and what it has to be; returns what its task says. */
  static TaskProgress assertExact(
      TaskWorld world, ViewGeneration generation, Map<String, GenericRecord> records) {
    return assertExact(world, generation, records, Set.of());
  }

  /**
   * Requires that, and that records whose last event cannot be read count as failed.
   *
   * @param unreadable their keys
   */
  static TaskProgress assertExact(
      TaskWorld world,
      ViewGeneration generation,
      Map<String, GenericRecord> records,
      Set<String> unreadable) {
    List<String> failed = new ArrayList<>();
    PublishedRows published = of(world, generation);
    assertThat(published.rows)
        .as(generation.viewTopic())
        .isEqualTo(expected(generation, records, failed));
    TaskProgress report = world.report(generation.view(), generation.number());
    assertThat(report.phase()).isEqualTo(TaskProgress.Phase.BUILT);
    assertThat(report.rows()).isEqualTo(published.rows.size());
    assertThat(report.keyBytes()).isEqualTo(published.keyBytes);
    Set<String> counted = new HashSet<>(failed);
    counted.addAll(unreadable);
    assertThat(report.failedRecords()).isEqualTo(counted.size());
    return report;
  }

  private void apply(Row row) {
    GenericRecord key = avro.deserialize("key", row.key());
    String primaryKey = key.get("_primaryKey").toString();
    Long last = revisions.put(primaryKey, row.revision());
    assertThat(row.revision()).isGreaterThanOrEqualTo(last == null ? 0 : last);
    if (row.value() == null) {
      if (rows.remove(key.toString()) != null) {
        keyBytes -= row.key().length;
      } else {
        assertThat(extraRows).as("deleted row %s", key).contains(ByteBuffer.wrap(row.key()));
      }
    } else {
      GenericRecord value = avro.deserialize("value", row.value());
      value.put("_revision", 0L);
      if (rows.put(key.toString(), value.toString()) == null) {
        keyBytes += row.key().length;
      }
    }
  }

  Map<String, String> rows() {
    return rows;
  }

  long keyBytes() {
    return keyBytes;
  }

  /** What deriving all records gives; adds the keys of those that cannot be derived to a list. */
  static Map<String, String> expected(
      ViewGeneration generation, Map<String, GenericRecord> records, List<String> failed) {
    CompiledView compiled = CompiledView.compile(generation, People.SCHEMA);
    Map<String, String> rows = new HashMap<>();
    records.forEach(
        (key, person) -> {
          try {
            for (ViewRow row : compiled.rows(person, key)) {
              rows.put(compiled.keyOf(row).toString(), compiled.valueOf(row, 0).toString());
            }
          } catch (DerivationException e) {
            failed.add(key);
          }
        });
    return rows;
  }
}
