package io.indexview.benchmarks.app;

import io.indexview.benchmarks.data.ViewSet;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.MessageReader;
import io.indexview.schemas.serde.MessageWriter;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.derive.RowSchemas;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** Decodes both events once, makes the rows of both as generic records, and compares them. */
final class RecordRows implements RowMaker {
  private final MessageReader reader;
  private final MessageWriter keyWriter;
  private final MessageWriter valueWriter;
  private final String topic;
  private final ViewSet set;
  private final List<View> views;

  private record View(String topic, ViewFields fields, RowSchemas schemas) {}

  RecordRows(Entrant entrant, SchemaRegistry registry) {
    this.reader = new MessageReader(registry);
    this.keyWriter = new MessageWriter(registry, true);
    this.valueWriter = new MessageWriter(registry, false);
    this.topic = entrant.changes();
    this.set = entrant.views();
    this.views =
        entrant.generations().stream()
            .map(view -> new View(entrant.viewTopic(view), view.fields(), RowSchemas.of(view)))
            .toList();
  }

  @Override
  public void derive(byte[] key, byte[] before, byte[] after, long revision, Output output) {
    String primaryKey = new String(key, StandardCharsets.UTF_8);
    GenericRecord oldRecord = record(before);
    GenericRecord newRecord = record(after);
    for (int i = 0; i < views.size(); i++) {
      View view = views.get(i);
      Map<GenericRecord, GenericRecord> oldRows = rows(view, oldRecord, primaryKey);
      for (Map.Entry<GenericRecord, GenericRecord> row :
          rows(view, newRecord, primaryKey).entrySet()) {
        GenericRecord value = row.getValue();
        if (!value.equals(oldRows.remove(row.getKey()))) {
          value.put(ViewFields.REVISION, revision);
          output.row(
              i,
              key(view, row.getKey()),
              valueWriter.write(view.topic(), view.schemas().value(), value));
        }
      }
      for (GenericRecord gone : oldRows.keySet()) {
        output.row(i, key(view, gone), null);
      }
    }
  }

  private byte[] key(View view, GenericRecord key) {
    return keyWriter.write(view.topic(), view.schemas().key(), key);
  }

  private GenericRecord record(byte[] event) {
    return event == null ? null : (GenericRecord) reader.read(topic, event).value();
  }

  private Map<GenericRecord, GenericRecord> rows(
      View view, GenericRecord person, String primaryKey) {
    Map<GenericRecord, GenericRecord> rows = new HashMap<>();
    if (person == null || !set.keeps(person)) {
      return rows;
    }
    ViewFields fields = view.fields();
    Collection<?> elements =
        fields.array() == null ? List.of("") : (Collection<?>) person.get(fields.array());
    for (Object element : elements) {
      GenericRecord key = new GenericData.Record(view.schemas().key());
      for (ViewFields.KeyField field : fields.key()) {
        boolean fansOut = field.path().equals(fields.array());
        key.put(field.name(), fansOut ? element : person.get(field.path()));
      }
      key.put(ViewFields.PRIMARY_KEY, primaryKey);
      GenericRecord value = new GenericData.Record(view.schemas().value());
      for (ViewFields.ValueField field : fields.values()) {
        value.put(field.name(), person.get(field.path()));
      }
      value.put(ViewFields.REVISION, 0L);
      rows.put(key, value);
    }
    return rows;
  }
}
