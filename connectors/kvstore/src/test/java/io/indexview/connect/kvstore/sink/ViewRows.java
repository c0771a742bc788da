package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.avro.AvroConverter;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.RowHeaders;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.MessageWriter;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.RowSchemas;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import io.indexview.views.layout.StoredRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.sink.SinkRecord;

/** The rows of one view as the worker hands them to a sink: through registry and converter. */
final class ViewRows {
  private static final Schema DAY = LogicalTypes.date().addToSchema(Schema.create(Schema.Type.INT));
  private static final Schema PERSON =
      SchemaBuilder.record("Person")
          .namespace("test")
          .fields()
          .requiredString("name")
          .requiredString("org")
          .requiredLong("cost")
          .name("born")
          .type(DAY)
          .noDefault()
          .endRecord();

  final ViewGeneration generation;
  final RowSchemas schemas;
  private final AvroConverter keys = new AvroConverter();
  private final AvroConverter values = new AvroConverter();
  private final MessageWriter keyWriter;
  private final MessageWriter valueWriter;
  private long offset;

  /**
   * @param yaml the definition after name and source
   */
  ViewRows(String yaml) {
    this("v", 1, yaml);
  }

  ViewRows(String view, int number, String yaml) {
    this("", view, number, yaml);
  }

  /**
   * @param uid of the view in its installation
   */
  ViewRows(String uid, String view, int number, String yaml) {
    RecordSet people =
        new RecordSet(
            "people", "indexview.changes.people", RecordFormat.ENVELOPE, List.of(), PERSON);
    this.generation =
        ViewGeneration.freeze(
                new ViewDefinitionParser()
                    .parse("v.yaml", "name: " + view + "\nsource: people\n" + yaml),
                number,
                people,
                new Topics(Topics.DEFAULT_PREFIX))
            .withUid(uid);
    this.schemas = RowSchemas.of(generation);
    Map<String, String> config = Map.of("schema.registry.url", "mock://rows-" + UUID.randomUUID());
    SchemaRegistry registry = SchemaRegistries.create(config);
    this.keyWriter = new MessageWriter(registry, true);
    this.valueWriter = new MessageWriter(registry, false);
    keys.configure(config, true);
    values.configure(config, false);
  }

  SinkRecord upsert(String org, long cost, int number, long revision) {
    return upsert(org, cost, number, revision, "Ann " + number);
  }

  SinkRecord upsert(String org, long cost, int number, long revision, String name) {
    GenericRecord value = new GenericData.Record(schemas.value());
    for (Schema.Field field : schemas.value().getFields()) {
      switch (field.name()) {
        case "name" -> value.put("name", name);
        case "born" -> value.put("born", 17_398);
        case "_revision" -> value.put("_revision", revision);
        default -> throw new AssertionError(field.name());
      }
    }
    return record(org, cost, number, value, revision);
  }

  /** The next one. */
  long offset() {
    return offset;
  }

  SinkRecord delete(String org, long cost, int number, long revision) {
    return record(org, cost, number, null, revision);
  }

  private SinkRecord record(String org, long cost, int number, GenericRecord value, long revision) {
    GenericRecord key = new GenericData.Record(schemas.key());
    for (Schema.Field field : schemas.key().getFields()) {
      switch (field.name()) {
        case "org" -> key.put("org", org);
        case "cost" -> key.put("cost", cost);
        case "_primaryKey" -> key.put("_primaryKey", "/Corporate/people/" + number);
        default -> throw new AssertionError(field.name());
      }
    }
    String topic = generation.viewTopic();
    SchemaAndValue keyData = keys.toConnectData(topic, keyWriter.write(topic, schemas.key(), key));
    SchemaAndValue valueData =
        values.toConnectData(
            topic, value == null ? null : valueWriter.write(topic, schemas.value(), value));
    SinkRecord record =
        new SinkRecord(
            topic,
            0,
            keyData.schema(),
            keyData.value(),
            valueData.schema(),
            valueData.value(),
            offset++);
    record.headers().addInt(RowHeaders.GENERATION, generation.number());
    record.headers().addLong(RowHeaders.REVISION, revision);
    return record;
  }

  /** What a store holds of a generation. */
  static List<StoredRow> stored(KvStore store, ViewGeneration generation) {
    KvLayout layout = KvLayout.of(generation);
    List<StoredRow> rows = new ArrayList<>();
    try (var records = store.storeIterator(KvScan.under(new KvKey(layout.parent(), List.of())))) {
      records.forEachRemaining(
          record -> {
            KvPath path = new KvPath(record.key().major(), record.key().minor());
            rows.addAll(layout.rows(path, record.value()));
          });
    }
    return rows;
  }

  /** What a store holds, by {@code org/number}. */
  Map<String, StoredRow> byName(KvStore store) {
    Map<String, StoredRow> rows = new TreeMap<>();
    for (StoredRow row : stored(store, generation)) {
      String number = row.primaryKey().replaceFirst(".*/", "");
      rows.put(row.key().get("org") + "/" + number, row);
    }
    return rows;
  }
}
