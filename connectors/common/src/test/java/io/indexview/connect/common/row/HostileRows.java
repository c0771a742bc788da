package io.indexview.connect.common.row;

import io.indexview.connect.common.avro.AvroConverter;
import io.indexview.schemas.RowHeaders;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.fixtures.Mutator;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.MessageWriter;
import io.indexview.schemas.serde.Subjects;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.derive.DerivationException;
import io.indexview.views.derive.RowSchemas;
import io.indexview.views.derive.ViewRow;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.apache.avro.Schema;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.util.RandomData;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * Rows of a view as the worker makes them of bytes that the app never sends: any values of the
 * fields' types, and what is no row at all.
 */
public final class HostileRows {
  private static final Schema THING =
      new Schema.Parser()
          .parse(
              """
              {"type": "record", "name": "Thing", "namespace": "test", "fields": [
                {"name": "text", "type": "string"},
                {"name": "maybe", "type": ["null", "string"]},
                {"name": "count", "type": "long"},
                {"name": "ratio", "type": "double"},
                {"name": "small", "type": "float"},
                {"name": "flag", "type": "boolean"},
                {"name": "level", "type": {"type": "enum", "name": "Level", "symbols": ["LOW", "HIGH"]}},
                {"name": "born", "type": {"type": "int", "logicalType": "date"}},
                {"name": "alarm", "type": {"type": "int", "logicalType": "time-millis"}},
                {"name": "seen", "type": {"type": "long", "logicalType": "timestamp-micros"}},
                {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
                {"name": "photo", "type": "bytes"},
                {"name": "tags", "type": {"type": "array", "items": "string"}},
                {"name": "notes", "type": {"type": "map", "values": "double"}},
                {"name": "node", "type": {"type": "record", "name": "Node", "fields": [
                  {"name": "next", "type": ["null", "Node"]}]}},
                {"name": "inner", "type": {"type": "record", "name": "Inner", "fields": [
                  {"name": "when", "type": {"type": "int", "logicalType": "date"}},
                  {"name": "bytes", "type": {"type": "fixed", "name": "Four", "size": 4}}]}}]}
              """);

  private static final long REVISION = 1_511_273_698_000L;

  private final ViewGeneration generation;
  private final SchemaRegistry registry;
  private final RowSchemas schemas;
  private final AvroConverter keys = new AvroConverter();
  private final AvroConverter values = new AvroConverter();
  private final MessageWriter keyWriter;
  private final MessageWriter valueWriter;

  /**
   * @param yaml the definition after name and source
   */
  public HostileRows(String yaml) {
    this.generation =
        ViewGeneration.freeze(
            new ViewDefinitionParser().parse("v.yaml", "name: things-by\nsource: things\n" + yaml),
            1,
            new RecordSet(
                "things",
                "indexview.changes.things",
                RecordFormat.ENVELOPE,
                List.of("text"),
                THING),
            new Topics(Topics.DEFAULT_PREFIX));
    this.schemas = RowSchemas.of(generation);
    Map<String, String> config = Map.of("schema.registry.url", "mock://rows-" + UUID.randomUUID());
    this.registry = SchemaRegistries.create(config);
    this.keyWriter = new MessageWriter(registry, true);
    this.valueWriter = new MessageWriter(registry, false);
    keys.configure(config, true);
    values.configure(config, false);
  }

  public ViewGeneration generation() {
    return generation;
  }

  /**
   * A row.
   *
   * @throws DataException if the converter refuses the bytes
   */
  public SinkRecord next(Random random) {
    String topic = generation.viewTopic();
    Mutator mutator = new Mutator(random);
    byte[] key = keyWriter.write(topic, schemas.key(), data(schemas.key(), random));
    byte[] value = valueWriter.write(topic, schemas.value(), data(schemas.value(), random));
    SchemaAndValue keyData =
        keys.toConnectData(topic, random.nextBoolean() ? key : mutator.bytes(key, value));
    SchemaAndValue valueData =
        values.toConnectData(
            topic,
            random.nextInt(8) == 0
                ? null
                : random.nextBoolean() ? value : mutator.bytes(value, key));
    SinkRecord row =
        new SinkRecord(
            topic, 0, keyData.schema(), keyData.value(), valueData.schema(), valueData.value(), 1);
    if (random.nextInt(20) > 0) {
      row.headers().addInt(RowHeaders.GENERATION, random.nextInt(3));
      row.headers().addString(RowHeaders.REVISION, mutator.text("1511273698000", "-1"));
    }
    return row;
  }

  /** The rows that the app derives from a record, whatever its fields hold; none if it refuses. */
  public List<SinkRecord> derived(Random random) {
    CompiledView view = CompiledView.compile(generation, THING);
    String topic = generation.viewTopic();
    int keyId = registry.register(Subjects.key(topic), view.keySchema());
    int valueId = registry.register(Subjects.value(topic), view.valueSchema());
    List<ViewRow> rows;
    try {
      rows = view.rows((IndexedRecord) data(THING, random), "/things/1");
    } catch (DerivationException e) {
      return List.of();
    }
    return rows.stream().map(row -> record(row.key(keyId), row.value(valueId, REVISION))).toList();
  }

  private SinkRecord record(byte[] key, byte[] value) {
    SchemaAndValue keyData = keys.toConnectData(generation.viewTopic(), key);
    SchemaAndValue valueData = values.toConnectData(generation.viewTopic(), value);
    SinkRecord row =
        new SinkRecord(
            generation.viewTopic(),
            0,
            keyData.schema(),
            keyData.value(),
            valueData.schema(),
            valueData.value(),
            1);
    row.headers().addInt(RowHeaders.GENERATION, 1);
    row.headers().addLong(RowHeaders.REVISION, REVISION);
    return row;
  }

  private static Object data(Schema schema, Random random) {
    return new RandomData(schema, 1, random.nextLong()).iterator().next();
  }
}
