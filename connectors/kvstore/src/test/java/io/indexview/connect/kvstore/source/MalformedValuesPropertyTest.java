package io.indexview.connect.kvstore.source;

import static org.assertj.core.api.Assertions.assertThat;

import com.sleepycat.util.PackedInteger;
import io.indexview.connect.common.avro.AvroConverter;
import io.indexview.connect.common.source.SourceDeadLetters;
import io.indexview.connect.kvstore.config.KvRecordSet;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvVersion;
import io.indexview.kvstore.value.ValueConfig;
import io.indexview.kvstore.value.ValueConfig.ValueFormat;
import io.indexview.kvstore.value.ValueDecoder;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.fixtures.Bounded;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.fixtures.Mutator;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.schemas.serde.MessageWriter;
import io.indexview.schemas.serde.WireFormat;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.util.RandomData;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;

/** Whatever is stored under a key: it is an event that a worker can send, or a dead letter. */
class MalformedValuesPropertyTest {
  private static final String DEAD_LETTERS = "indexview.dead-letters";
  private static final String TOPIC = "indexview.changes.things";
  private static final long MAX_BYTES = 256L << 20;

  /** What a producer sends unless set otherwise. */
  private static final int MAX_RECORD_BYTES = 1 << 20;

  private static final Schema THING =
      new Schema.Parser()
          .parse(
              """
              {"type": "record", "name": "Thing", "namespace": "test", "fields": [
                {"name": "next", "type": ["null", "Thing"], "default": null},
                {"name": "text", "type": "string"},
                {"name": "count", "type": "long"},
                {"name": "ratio", "type": ["null", "double", "string"]},
                {"name": "small", "type": "float"},
                {"name": "flag", "type": "boolean"},
                {"name": "level", "type": {"type": "enum", "name": "Level", "symbols": ["LOW", "HIGH"]}},
                {"name": "born", "type": {"type": "int", "logicalType": "date"}},
                {"name": "alarm", "type": {"type": "int", "logicalType": "time-millis"}},
                {"name": "seen", "type": {"type": "long", "logicalType": "timestamp-millis"}},
                {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
                {"name": "photo", "type": {"type": "fixed", "name": "Four", "size": 4}},
                {"name": "tags", "type": {"type": "array", "items": "string"}},
                {"name": "notes", "type": {"type": "map", "values": "double"}}]}
              """);
  private static final String JSON =
      """
      {"text": "Ann", "count": 12, "ratio": 1.5, "small": 2.5, "flag": true, "level": "LOW", "born": "2017-08-20",
       "alarm": 5, "seen": "2017-08-20T12:30:00Z", "price": 12.25, "photo": "AAECAw==", "tags": ["a", "b"],
       "notes": {"x": 1e3}, "next": null}
      """;

  private static final Map<String, String> REGISTRY =
      Map.of("schema.registry.url", "mock://malformed-values");

  private final SchemaRegistry registry = SchemaRegistries.create(REGISTRY);
  private final MessageWriter writer = new MessageWriter(registry, false);
  private final AvroConverter converter = new AvroConverter();

  MalformedValuesPropertyTest() {
    converter.configure(REGISTRY, false);
  }

  @Property(tries = 2_000)
  void malformedValueBecomesAnEventOrADeadLetter(@ForAll(supplier = Seeds.class) long seed)
      throws Exception {
    Random random = new Random(seed);
    ValueFormat format = ValueFormat.values()[random.nextInt(ValueFormat.values().length)];
    Schema schema =
        switch (format) {
          case STRING -> ControlSchemas.STRING_RECORD;
          case BYTES -> ControlSchemas.BYTES_RECORD;
          default -> THING;
        };
    ValueConfig config =
        new ValueConfig(
            format, schema, format == ValueFormat.AVRO_STORE ? Map.of(1, THING) : Map.of());

    assertSent(config, value(format, new Mutator(random), seed));
  }

  private byte[] value(ValueFormat format, Mutator mutator, long seed) {
    if (format == ValueFormat.JSON || format == ValueFormat.STRING) {
      return mutator.utf8(JSON);
    }
    GenericRecord thing = (GenericRecord) new RandomData(THING, 1, seed).iterator().next();
    byte[] framed = writer.write(THING.getName(), THING, thing);
    byte[] avro = Arrays.copyOfRange(framed, WireFormat.HEADER_LENGTH, framed.length);
    byte[] store = new byte[avro.length + 1];
    PackedInteger.writeSortedInt(store, 0, 1);
    System.arraycopy(avro, 0, store, 1, avro.length);
    return switch (format) {
      case AVRO_REGISTRY -> mutator.bytes(framed);
      case AVRO_STORE -> mutator.bytes(store);
      default -> mutator.bytes(avro);
    };
  }

  @Example
  void aDecimalOfNoBytesIsADeadLetter() throws Exception {
    Schema price = record("{\"type\": \"bytes\", \"logicalType\": \"decimal\", \"precision\": 4}");

    assertThat(assertSent(ValueConfig.of(ValueFormat.AVRO, price), new byte[] {0}))
        .extracting(SourceRecord::topic)
        .containsExactly(DEAD_LETTERS, TOPIC);
  }

  @Example
  void aTimeOfNoDayIsADeadLetter() throws Exception {
    Schema alarm = record("{\"type\": \"int\", \"logicalType\": \"time-millis\"}");

    assertThat(assertSent(ValueConfig.of(ValueFormat.AVRO, alarm), new byte[] {1}))
        .extracting(SourceRecord::topic)
        .containsExactly(DEAD_LETTERS, TOPIC);
  }

  /** However deep: what the source takes for an event, the worker can send. */
  @Example
  void aRecordThatIsNestedTooDeeplyIsADeadLetter() throws Exception {
    ValueConfig nodes = ValueConfig.of(ValueFormat.AVRO, record("[\"null\", \"Node\"]"));
    int refused = 0;
    for (int depth = 1; depth < SourceDeadLetters.MAX_VALUE_BYTES; depth += 1 + depth / 4) {
      byte[] nested = new byte[depth];
      Arrays.fill(nested, 0, depth - 1, (byte) 2);
      refused += assertSent(nodes, nested).size() - 1;
    }
    assertThat(refused).isPositive();
  }

  /** A digit of JSON may be eight bytes of an event, and nothing what a default fills in. */
  @Example
  void aRecordThatGrowsBeyondWhatAnEventCarriesIsADeadLetter() throws Exception {
    Schema numbers = record("{\"type\": \"array\", \"items\": \"double\"}");
    String json = "{\"field\": [%s1]}".formatted("1,".repeat(200_000));
    List<SourceRecord> records =
        assertSent(
            ValueConfig.of(ValueFormat.JSON, numbers), json.getBytes(StandardCharsets.UTF_8));

    assertThat(records).extracting(SourceRecord::topic).containsExactly(DEAD_LETTERS, TOPIC);
    assertThat(((Struct) records.get(0).value()).getString("reason"))
        .contains(Integer.toString(SourceDeadLetters.MAX_VALUE_BYTES), "make the record smaller");
  }

  private static Schema record(String type) {
    return new Schema.Parser()
        .parse(
            "{\"type\": \"record\", \"name\": \"Node\", \"fields\": [{\"name\": \"field\", \"type\": %s}]}"
                .formatted(type));
  }

  private List<SourceRecord> assertSent(ValueConfig config, byte[] value) throws Exception {
    List<SourceRecord> records = Bounded.read(MAX_BYTES, () -> mapped(config, value));
    for (SourceRecord record : records) {
      // A scope of its own for each schema: they are no versions of one another.
      String topic = record.topic() + "-" + config.schema().hashCode();
      assertThat(
              Bounded.read(
                  MAX_BYTES,
                  () -> converter.fromConnectData(topic, record.valueSchema(), record.value())))
          .hasSizeLessThan(MAX_RECORD_BYTES);
    }
    return records;
  }

  private List<SourceRecord> mapped(ValueConfig config, byte[] value) {
    ManualClock clock = new ManualClock();
    SnapshotReadMapper mapper =
        new SnapshotReadMapper(
            new KvRecordSet("things", KvKeySet.under(KvKey.ofMajor("things")), TOPIC, config),
            ValueDecoder.of(config, registry, clock),
            new KvStoreSourcePartition("source", TOPIC, "0"),
            DEAD_LETTERS,
            new ScanProgress("things", null, clock));
    KvVersion version = new KvVersion("1", 7);
    return mapper.map(
        new SnapshotRead(
            "/things/1",
            Op.CREATE,
            new Origin.SnapshotRead("1/1", version.vlsnBytes(), Origin.Base.ABSENT, false),
            new KvRecord(KvKey.ofMajor("things", "1"), value, version)),
        Map.of("at", "/things/1"),
        1);
  }
}
