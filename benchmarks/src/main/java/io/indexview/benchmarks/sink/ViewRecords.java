package io.indexview.benchmarks.sink;

import io.indexview.benchmarks.data.People;
import io.indexview.connect.common.avro.AvroConverter;
import io.indexview.schemas.RowHeaders;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.Subjects;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.derive.DerivationException;
import io.indexview.views.derive.ViewRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.sink.SinkRecord;

/** The rows of people in a generation, as the streams app writes and a worker hands them out. */
public final class ViewRecords {
  private static final Map<String, String> REGISTRY = Map.of("schema.registry.url", "mock://sink");

  private final ViewGeneration generation;
  private final CompiledView view;
  private final AvroConverter keys = new AvroConverter();
  private final AvroConverter values = new AvroConverter();
  private final int keySchemaId;
  private final int valueSchemaId;
  private long offset;

  public ViewRecords(ViewGeneration generation) {
    this.generation = generation;
    this.view = CompiledView.compile(generation, People.SCHEMA);
    keys.configure(REGISTRY, true);
    values.configure(REGISTRY, false);
    SchemaRegistry registry = SchemaRegistries.create(REGISTRY);
    String topic = generation.viewTopic();
    this.keySchemaId = registry.register(Subjects.key(topic), view.keySchema());
    this.valueSchemaId = registry.register(Subjects.value(topic), view.valueSchema());
  }

  /** The rows of the first people. */
  public List<SinkRecord> of(int people, long revision) throws DerivationException {
    List<SinkRecord> records = new ArrayList<>(people);
    for (int i = 0; i < people; i++) {
      for (ViewRow row : view.rows(People.person(i, 0), People.key(i))) {
        records.add(record(row, revision));
      }
    }
    return records;
  }

  private SinkRecord record(ViewRow row, long revision) {
    String topic = generation.viewTopic();
    SchemaAndValue key = keys.toConnectData(topic, row.key(keySchemaId));
    SchemaAndValue value = values.toConnectData(topic, row.value(valueSchemaId, revision));
    SinkRecord record =
        new SinkRecord(
            topic, 0, key.schema(), key.value(), value.schema(), value.value(), offset++);
    record.headers().addInt(RowHeaders.GENERATION, generation.number());
    record.headers().addLong(RowHeaders.REVISION, revision);
    return record;
  }
}
