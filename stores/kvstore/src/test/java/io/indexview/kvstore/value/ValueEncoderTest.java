package io.indexview.kvstore.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.indexview.kvstore.value.StoreAvroValues.FramedAvro;
import io.indexview.kvstore.value.ValueConfig.ValueFormat;
import io.indexview.kvstore.value.ValueDecoder.UndecodableException;
import io.indexview.kvstore.value.ValueEncoder.UnencodableException;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.schemas.serde.WireFormat;
import io.indexview.schemas.time.Time;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.avro.util.RandomData;

class ValueEncoderTest {
  private static final Schema THING =
      new Schema.Parser()
          .parse(
              """
              {"type": "record", "name": "Thing", "namespace": "test", "fields": [
                {"name": "text", "type": "string"},
                {"name": "count", "type": "long"},
                {"name": "few", "type": "int"},
                {"name": "ratio", "type": "double"},
                {"name": "small", "type": "float"},
                {"name": "flag", "type": "boolean"},
                {"name": "raw", "type": ["null", "bytes"]},
                {"name": "level", "type": {"type": "enum", "name": "Level", "symbols": ["LOW", "HIGH"]}},
                {"name": "born", "type": {"type": "int", "logicalType": "date"}},
                {"name": "alarm", "type": {"type": "int", "logicalType": "time-millis"}},
                {"name": "seen", "type": {"type": "long", "logicalType": "timestamp-millis"}},
                {"name": "exactly", "type": {"type": "long", "logicalType": "timestamp-micros"}},
                {"name": "local", "type": {"type": "long", "logicalType": "local-timestamp-micros"}},
                {"name": "photo", "type": {"type": "fixed", "name": "Four", "size": 4}},
                {"name": "tags", "type": {"type": "array", "items": "string"}},
                {"name": "notes", "type": {"type": "map", "values": ["null", "double"]}},
                {"name": "any", "type": ["null", "long", "string", "bytes"]},
                {"name": "next", "type": ["null", "Thing"]}]}
              """);

  private final SchemaRegistry registry = Values.registry();

  private static ValueConfig config(ValueFormat format) {
    return new ValueConfig(
        format,
        format.ownSchema().orElse(THING),
        format == ValueFormat.AVRO_STORE ? Map.of(1, Values.OLD, 300, THING) : Map.of());
  }

  private static GenericRecord random(Schema schema, long seed) {
    GenericRecord record = (GenericRecord) new RandomData(schema, 1, seed).iterator().next();
    for (GenericRecord one = record; schema == THING && one != null; ) {
      one.put("alarm", Math.floorMod((Integer) one.get("alarm"), 86_400_000));
      one = (GenericRecord) one.get("next");
    }
    return record;
  }

  @Property(tries = 2_000)
  void writesWhatIsReadBackAsTheSameRecord(
      @ForAll ValueFormat format, @ForAll(supplier = Seeds.class) long seed)
      throws UndecodableException {
    ValueConfig config = config(format);
    GenericRecord record = random(config.schema(), seed);
    byte[] value;
    try {
      value = ValueEncoder.of(config, registry).encode(record);
    } catch (UnencodableException e) {
      // Bytes where a text or null would be read first: the only value here that JSON cannot hold.
      assertThat(format).isEqualTo(ValueFormat.JSON);
      assertThat(e).hasMessageContaining("reads back as another value");
      assertThat(holdsBytes(record)).isTrue();
      return;
    }

    GenericRecord read = ValueDecoder.of(config, registry, Time.SYSTEM).decode(value);

    assertThat(read)
        .isEqualTo(new PlainRecordEncoder(config.schema(), any -> new byte[0]).plain(record));
  }

  private static boolean holdsBytes(GenericRecord thing) {
    for (GenericRecord one = thing; one != null; one = (GenericRecord) one.get("next")) {
      if (one.get("any") instanceof ByteBuffer) {
        return true;
      }
    }
    return false;
  }

  private static byte[] json(String type, Object value) {
    Schema schema =
        new Schema.Parser()
            .parse(
                """
                {"type": "record", "name": "R", "fields": [{"name": "x", "type": %s}]}"""
                    .formatted(type));
    GenericRecord record = new GenericRecordBuilder(schema).set("x", value).build();
    return ValueEncoder.of(ValueConfig.of(ValueFormat.JSON, schema), null).encode(record);
  }

  private static String text(String type, Object value) {
    return new String(json(type, value), StandardCharsets.UTF_8);
  }

  @Example
  void writesJsonAsOthersDo() {
    assertThat(text("{\"type\": \"int\", \"logicalType\": \"date\"}", 0))
        .isEqualTo("{\"x\":\"1970-01-01\"}");
    assertThat(text("{\"type\": \"long\", \"logicalType\": \"timestamp-millis\"}", 1L))
        .isEqualTo("{\"x\":\"1970-01-01T00:00:00.001Z\"}");
    assertThat(text("{\"type\": \"long\", \"logicalType\": \"timestamp-millis\"}", Long.MIN_VALUE))
        .isEqualTo("{\"x\":-9223372036854775808}");
    assertThat(text("\"bytes\"", ByteBuffer.wrap(new byte[] {0, 1, -1})))
        .isEqualTo("{\"x\":\"AAH/\"}");
    String decimal =
        "{\"type\": \"bytes\", \"logicalType\": \"decimal\", \"precision\": 30, \"scale\": 20}";
    assertThat(text(decimal, ByteBuffer.wrap(new byte[] {5})))
        .isEqualTo("{\"x\":0.00000000000000000005}");
    String fractions =
        "{\"type\": \"bytes\", \"logicalType\": \"decimal\", \"precision\": 3, \"scale\": 3}";
    assertThat(text(fractions, ByteBuffer.wrap(new byte[] {0}))).isEqualTo("{\"x\":0.000}");
    assertThat(text("\"string\"", "ä\n")).isEqualTo("{\"x\":\"ä\\n\"}");
  }

  @Example
  void refusesWhatJsonDoesNotHold() {
    assertRefused("\"double\"", Double.NaN, "field x is string");
    assertRefused("\"float\"", Float.NEGATIVE_INFINITY, "field x is string");
    assertRefused("\"double\"", -0.0, "field x reads back as another value");
    assertRefused("[\"string\", \"bytes\"]", ByteBuffer.wrap(new byte[3]), "field x reads back");
  }

  /** It would be written as a question mark, in each format. */
  @Example
  void refusesHalfACharacterInTextsAndNames() {
    String half = "Ann\ud83d";
    String map = "{\"type\": \"map\", \"values\": \"string\"}";
    for (Object value : List.of(half, "\ude00", "\ude00\ud83d")) {
      assertHalf("\"string\"", value);
      assertHalf("[\"null\", \"string\"]", value);
      assertHalf(map, Map.of("a", value));
      assertHalf(map, Map.of(value, "a"));
    }
    assertThat(text("\"string\"", "\ud83d\ude00")).contains("\\uD83D\\uDE00");
  }

  private static void assertHalf(String type, Object value) {
    assertThatExceptionOfType(UnencodableException.class)
        .isThrownBy(() -> json(type, value))
        .withMessageContaining("half a surrogate pair")
        .withMessageContaining("at R.x");
  }

  @Example
  void refusesWhatIsNoValueOfItsLogicalType() {
    assertThatExceptionOfType(UnencodableException.class)
        .isThrownBy(() -> json("{\"type\": \"int\", \"logicalType\": \"time-millis\"}", -1))
        .withMessage("field x: -1 ms is no time of day; use 0 to 86400000");
    String decimal = "{\"type\": \"bytes\", \"logicalType\": \"decimal\", \"precision\": 4}";
    assertThatExceptionOfType(UnencodableException.class)
        .isThrownBy(() -> json(decimal, ByteBuffer.allocate(0)))
        .withMessage("field x: a decimal of no bytes is no number");
  }

  private static void assertRefused(String type, Object value, String why) {
    assertThatExceptionOfType(UnencodableException.class)
        .isThrownBy(() -> json(type, value))
        .withMessageContaining("cannot be written as JSON that reads back the same")
        .withMessageContaining(why);
  }

  @Example
  void framesWithTheIdOfTheRegisteredSchema() {
    byte[] value =
        ValueEncoder.of(config(ValueFormat.AVRO_REGISTRY), registry).encode(random(THING, 1));

    assertThat(registry.latest("test.Thing").orElseThrow().id())
        .isEqualTo(WireFormat.schemaId(value));
  }

  @Example
  void framesWithTheStoresNumberOfTheRecordSchemaOrRefuses() {
    ValueEncoder known = ValueEncoder.of(config(ValueFormat.AVRO_STORE), registry);
    ValueEncoder unknown =
        ValueEncoder.of(
            new ValueConfig(ValueFormat.AVRO_STORE, THING, Map.of(1, Values.OLD)), registry);

    assertThat(FramedAvro.of(known.encode(random(THING, 1))).schemaId()).isEqualTo(300);
    assertThatExceptionOfType(UnencodableException.class)
        .isThrownBy(() -> unknown.encode(random(THING, 1)))
        .withMessageContaining("store's schemas [1] is the record schema test.Thing");
  }

  @Example
  void refusesRecordsOfOtherSchemas() {
    Schema other = SchemaBuilder.record("Other").fields().requiredString("value").endRecord();
    for (ValueFormat format : ValueFormat.values()) {
      assertThatExceptionOfType(UnencodableException.class)
          .as(format.toString())
          .isThrownBy(
              () ->
                  ValueEncoder.of(config(format), registry)
                      .encode(new GenericRecordBuilder(other).set("value", "x").build()))
          .withMessageContaining("of schema Other, not of the record set's");
    }
    GenericRecord incomplete = new GenericData.Record(ControlSchemas.STRING_RECORD);
    assertThatExceptionOfType(UnencodableException.class)
        .isThrownBy(() -> ValueEncoder.of(config(ValueFormat.STRING), registry).encode(incomplete))
        .withMessageContaining("does not fit its schema");
  }

  @Example
  void isWhatASourceSaysOfIt() {
    for (ValueFormat format : ValueFormat.values()) {
      assertThat(ValueConfig.of(config(format).published())).isEqualTo(config(format));
    }
  }
}
