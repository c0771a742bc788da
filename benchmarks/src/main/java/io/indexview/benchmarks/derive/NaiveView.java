package io.indexview.benchmarks.derive;

import io.indexview.benchmarks.derive.SharedDerivation.RowSink;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.MessageReader;
import io.indexview.schemas.serde.MessageWriter;
import io.indexview.streams.derive.ChangeRecord;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.RowSchemas;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * A view as an application writes it that has no Indexview: decodes the whole event, keeps the last
 * one in a state of its own to know which rows go, builds rows as generic records and writes them
 * all, changed or not. No order guard, no filters, no nulls, no counts.
 */
final class NaiveView {
  private final ViewGeneration view;
  private final ViewFields fields;
  private final RowSchemas schemas;
  private final MessageReader reader;
  private final MessageWriter keyWriter;
  private final MessageWriter valueWriter;
  private final RowSink sink;
  private final Map<ByteBuffer, byte[]> lastEvents = new HashMap<>();

  NaiveView(SchemaRegistry registry, ViewGeneration view, RowSink sink) {
    this.view = view;
    this.fields = view.fields();
    this.schemas = RowSchemas.of(view);
    this.reader = new MessageReader(registry);
    this.keyWriter = new MessageWriter(registry, true);
    this.valueWriter = new MessageWriter(registry, false);
    this.sink = sink;
  }

  void process(ChangeRecord event) {
    String primaryKey = new String(event.key(), StandardCharsets.UTF_8);
    byte[] last = lastEvents.put(ByteBuffer.wrap(event.key()), event.value().clone());
    Set<ByteBuffer> gone = last == null ? Set.of() : keys(record(last), primaryKey);
    GenericRecord person = record(event.value());
    byte[] value = value(person, event.offset());
    Set<ByteBuffer> keys = keys(person, primaryKey);
    for (ByteBuffer key : keys) {
      sink.row(key.array(), value);
    }
    for (ByteBuffer key : gone) {
      if (!keys.contains(key)) {
        sink.row(key.array(), null);
      }
    }
  }

  private GenericRecord record(byte[] event) {
    GenericRecord envelope = (GenericRecord) reader.read(view.sourceTopic(), event).value();
    return (GenericRecord) envelope.get("after");
  }

  private Set<ByteBuffer> keys(GenericRecord person, String primaryKey) {
    Collection<?> elements =
        fields.array() == null ? List.of("") : (Collection<?>) person.get(fields.array());
    return elements.stream()
        .map(element -> ByteBuffer.wrap(key(person, element, primaryKey)))
        .collect(Collectors.toSet());
  }

  private byte[] key(GenericRecord person, Object element, String primaryKey) {
    GenericRecord key = new GenericData.Record(schemas.key());
    for (ViewFields.KeyField field : fields.key()) {
      boolean fansOut = field.path().equals(fields.array());
      key.put(field.name(), fansOut ? element : person.get(field.path()));
    }
    key.put(ViewFields.PRIMARY_KEY, primaryKey);
    return keyWriter.write(view.viewTopic(), schemas.key(), key);
  }

  private byte[] value(GenericRecord person, long revision) {
    GenericRecord value = new GenericData.Record(schemas.value());
    for (ViewFields.ValueField field : fields.values()) {
      value.put(field.name(), person.get(field.path()));
    }
    value.put(ViewFields.REVISION, revision);
    return valueWriter.write(view.viewTopic(), schemas.value(), value);
  }
}
