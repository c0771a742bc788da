package io.indexview.benchmarks.app;

import io.indexview.benchmarks.data.People;
import io.indexview.schemas.control.PartitionReads;
import io.indexview.schemas.control.PartitionReads.StandstillException;
import io.indexview.schemas.time.Time;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.RowSchemas;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Bytes;

/**
 * Compares the rows that stand, committed ones alone, with those that the people have as they are
 * now, which are computed from the people and not from events.
 */
final class RowCheck {
  private static final int HEADER = 5;
  private static final Duration SILENCE = Duration.ofMinutes(1);

  private final Entrant entrant;
  private final ViewGeneration view;
  private final RowSchemas schemas;
  private final GenericDatumReader<GenericRecord> keyReader;
  private final GenericDatumReader<GenericRecord> valueReader;

  RowCheck(Entrant entrant, ViewGeneration view) {
    this.entrant = entrant;
    this.view = view;
    this.schemas = RowSchemas.of(view);
    this.keyReader = new GenericDatumReader<>(schemas.key());
    this.valueReader = new GenericDatumReader<>(schemas.value());
  }

  /**
   * Returns how many rows stand.
   *
   * @throws IllegalStateException if they are not what they must be
   */
  int run(Workload people) throws IOException {
    Map<String, String> rows = standing();
    Map<String, String> expected = new HashMap<>();
    people.forEach(number -> expect(number, people.person(number), expected));
    if (!rows.equals(expected)) {
      String different =
          expected.keySet().stream()
              .filter(key -> !Objects.equals(expected.get(key), rows.get(key)))
              .findAny()
              .map(key -> "%s is %s, not %s".formatted(key, rows.get(key), expected.get(key)))
              .orElse("some should be gone");
      throw new IllegalStateException(
          "%s, view %s: wrong rows, %d of %d stand; %s"
              .formatted(entrant.id(), view.view(), rows.size(), expected.size(), different));
    }
    return rows.size();
  }

  private void expect(int number, GenericRecord person, Map<String, String> rows) {
    if (!entrant.views().keeps(person)) {
      return;
    }
    List<Object> value = new ArrayList<>();
    view.fields().values().forEach(field -> value.add(person.get(field.path())));
    String array = view.fields().array();
    Collection<?> elements = array == null ? List.of("") : (Collection<?>) person.get(array);
    for (Object element : elements) {
      List<Object> key = new ArrayList<>();
      for (ViewFields.KeyField field : view.fields().key()) {
        key.add(field.path().equals(array) ? element : person.get(field.path()));
      }
      key.add(People.key(number));
      rows.put(key.toString(), value.toString());
    }
  }

  private Map<String, String> standing() throws IOException {
    Map<String, String> rows = new HashMap<>();
    for (Map.Entry<Bytes, byte[]> row : newest().entrySet()) {
      // Who numbers revisions in which way is nobody else's matter.
      rows.put(
          text(keyReader, row.getKey().get(), schemas.key().getFields().size()),
          text(valueReader, row.getValue(), schemas.value().getFields().size() - 1));
    }
    return rows;
  }

  private Map<Bytes, byte[]> newest() throws IOException {
    Map<Bytes, byte[]> rows = new HashMap<>();
    try (KafkaConsumer<byte[], byte[]> consumer = entrant.committedRows(List.of(view))) {
      Set<TopicPartition> partitions = consumer.assignment();
      consumer.seekToBeginning(partitions);
      new PartitionReads(consumer, SILENCE, Time.SYSTEM)
          .toEnds(consumer.endOffsets(partitions), row -> put(row, rows));
    } catch (StandstillException e) {
      throw new IOException("the rows of %s end too early".formatted(entrant.id()), e);
    }
    return rows;
  }

  private static void put(ConsumerRecord<byte[], byte[]> row, Map<Bytes, byte[]> rows) {
    // The app also writes records that are no rows.
    if (row.key() == null || row.key().length <= HEADER) {
      return;
    }
    if (row.value() == null) {
      rows.remove(Bytes.wrap(row.key()));
    } else {
      rows.put(Bytes.wrap(row.key()), row.value());
    }
  }

  private static String text(
      GenericDatumReader<GenericRecord> reader, byte[] framed, int fieldCount) throws IOException {
    GenericRecord record =
        reader.read(
            null, DecoderFactory.get().binaryDecoder(framed, HEADER, framed.length - HEADER, null));
    List<Object> fields = new ArrayList<>();
    for (int i = 0; i < fieldCount; i++) {
      fields.add(record.get(i));
    }
    return fields.toString();
  }
}
