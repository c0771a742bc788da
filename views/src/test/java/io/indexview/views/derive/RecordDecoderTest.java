package io.indexview.views.derive;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.serde.Nesting;
import io.indexview.views.Samples;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.junit.jupiter.api.Test;

class RecordDecoderTest {
  private static final Schema ENVELOPE =
      SchemaBuilder.record("Envelope")
          .fields()
          .requiredString("op")
          .name("after")
          .type(Schema.createUnion(Schema.create(Schema.Type.NULL), Samples.PERSON))
          .noDefault()
          .endRecord();
  private static final GenericRecord ANN =
      new GenericRecordBuilder(Samples.PERSON)
          .set("name", "Ann")
          .set("cost", 5L)
          .set("tags", List.of("a", "b"))
          .build();

  @Test
  void decodesAfterOfAnEnvelope() throws Exception {
    RecordDecoder decoder =
        new RecordDecoder(RecordFormat.ENVELOPE, Samples.PERSON, id -> ENVELOPE);

    assertThat(decoder.decode(framed(ANN, 3))).hasToString(ANN.toString());
  }

  /** Users of the client get such records. */
  @Test
  void givesARecordOfItsOwn() throws Exception {
    RecordDecoder decoder =
        new RecordDecoder(RecordFormat.FLAT, Samples.PERSON, id -> Samples.PERSON);
    FramedValue value = framed(ANN, 3);

    GenericRecord record = decoder.decode(value);
    Arrays.fill(value.buffer(), (byte) 0);
    assertThat(new GenericData.Record((GenericData.Record) record, true))
        .hasToString(ANN.toString())
        .isEqualTo(record);
    record.put("name", null);
    record.put(record.getSchema().getField("cost").pos(), null);
    assertThat(record.get("name")).isNull();
    assertThat(record.get("cost")).isNull();
  }

  /** Rows would have what was before. */
  @Test
  void aRecordForViewsCannotBeChanged() throws Exception {
    RecordDecoder decoder =
        new RecordDecoder(RecordFormat.FLAT, Samples.PERSON, id -> Samples.PERSON);
    GenericRecord record = decoder.decodeForViews(framed(ANN, 3));

    assertThatThrownBy(() -> record.put("name", null))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> record.put(0, null)).isInstanceOf(UnsupportedOperationException.class);
    assertThat(record.get("name")).hasToString("Ann");
  }

  /** As somebody may send it: nobody needs to have had it in memory. */
  @Test
  void refusesARecordThatIsNestedTooDeeplyAndReadsTheNext() throws Exception {
    Schema node =
        new Schema.Parser()
            .parse(
                """
                {"type": "record", "name": "Node", "fields": [
                  {"name": "name", "type": "string"}, {"name": "next", "type": ["null", "Node"]}]}
                """);
    Schema nameAlone = SchemaBuilder.record("Node").fields().requiredString("name").endRecord();
    RecordDecoder decoder = new RecordDecoder(RecordFormat.FLAT, nameAlone, id -> node);
    byte[] deep = "\u0002x\u0002".repeat(100_000).concat("\u0002x\u0000").getBytes(US_ASCII);
    byte[] flat = "\u0002x\u0000".getBytes(US_ASCII);

    assertThatThrownBy(() -> decoder.decodeForViews(new FramedValue(1, deep, 0, deep.length)))
        .isInstanceOf(DerivationException.class)
        .hasMessageContaining("nested too deeply");
    assertThat(decoder.decodeForViews(new FramedValue(1, flat, 0, flat.length)).get("name"))
        .hasToString("x");
  }

  /** What can be read here might not be where the rows go. */
  @Test
  void refusesARecordThatOthersMightNotRead() throws Exception {
    Schema node =
        new Schema.Parser()
            .parse(
                """
                {"type": "record", "name": "Node", "fields": [
                  {"name": "next", "type": ["null", "Node"]}]}
                """);
    RecordDecoder decoder = new RecordDecoder(RecordFormat.FLAT, node, id -> node);
    byte[] most = "\u0002".repeat(Nesting.MAX_LEVELS - 1).concat("\u0000").getBytes(US_ASCII);
    byte[] more = "\u0002".repeat(Nesting.MAX_LEVELS).concat("\u0000").getBytes(US_ASCII);

    assertThat(decoder.decodeForViews(new FramedValue(1, most, 0, most.length))).isNotNull();
    assertThatThrownBy(() -> decoder.decodeForViews(new FramedValue(1, more, 0, more.length)))
        .isInstanceOf(DerivationException.class)
        .hasMessageContaining("500 levels");
  }

  /** A column that comes to have another precision: Avro gives its numbers all the same. */
  @Test
  void givesNoTimesOfAnotherUnit() throws Exception {
    String schema =
        """
        {"type": "record", "name": "R", "fields": [{"name": "name", "type": "string"},
          {"name": "at", "type": {"type": "long", "logicalType": "%s"}}]}
        """;
    Schema millis = new Schema.Parser().parse(schema.formatted("timestamp-millis"));
    Schema micros = new Schema.Parser().parse(schema.formatted("timestamp-micros"));
    GenericRecord written =
        new GenericRecordBuilder(millis).set("name", "x").set("at", 1_000L).build();
    RecordDecoder decoder = new RecordDecoder(RecordFormat.FLAT, micros, id -> millis);

    GenericRecord read = decoder.decodeForViews(framed(written, 3));
    assertThat(read.get("name")).hasToString("x");
    assertThatThrownBy(() -> read.get("at"))
        .isInstanceOf(RecordDecoder.UnreadableFieldException.class)
        .hasMessageContaining("timestamp-millis", "timestamp-micros");
    assertThatThrownBy(() -> decoder.decode(framed(written, 3)))
        .isInstanceOf(DerivationException.class)
        .hasMessageContaining("timestamp-millis");
  }

  @Test
  void decodesOnlyTheNeededFields() throws Exception {
    Schema projection =
        RecordDecoder.projection(
            Samples.PERSON,
            List.of(
                Samples.people("key: [org]\ntarget: kv"),
                Samples.people(
                    "key: [tags]\ninclude: [address.zip]\nlayout: key-value\ntarget: kv\n"
                        + "where: active && tags.exists(cost, cost != org)")));
    RecordDecoder decoder = new RecordDecoder(RecordFormat.FLAT, projection, id -> Samples.PERSON);

    GenericRecord record = decoder.decode(framed(ANN, 3));

    assertThat(record.getSchema().getFields())
        .extracting(Schema.Field::name)
        .containsExactly("org", "cost", "active", "tags", "address");
    assertThat(record.get("tags")).hasToString("[a, b]");
  }

  @Test
  void resolvesOlderAndNewerWriters() throws Exception {
    Schema older =
        SchemaBuilder.record("test.Person")
            .fields()
            .requiredString("name")
            .requiredInt("cost")
            .endRecord();
    GenericRecord old = new GenericRecordBuilder(older).set("name", "Bob").set("cost", 7).build();
    RecordDecoder decoder =
        new RecordDecoder(
            RecordFormat.FLAT, Samples.PERSON, id -> id == 1 ? older : Samples.PERSON);

    GenericRecord record = decoder.decode(framed(old, 1));

    assertThat(record.get("cost")).isEqualTo(7L);
    assertThat(record.get("active")).isEqualTo(true);
    assertThat(decoder.decode(framed(ANN, 2)).get("name")).hasToString("Ann");
  }

  @Test
  void readsRecordsWhateverTheirTypeIsCalled() throws Exception {
    Schema other =
        SchemaBuilder.record("db.people.Value")
            .fields()
            .requiredString("name")
            .requiredLong("cost")
            .endRecord();
    GenericRecord value =
        new GenericRecordBuilder(other).set("name", "Bob").set("cost", 7L).build();
    RecordDecoder decoder = new RecordDecoder(RecordFormat.FLAT, Samples.PERSON, id -> other);

    assertThat(decoder.decode(framed(value, 1)).get("name")).hasToString("Bob");
  }

  @Test
  void asksForEachWriterSchemaOnce() throws Exception {
    List<Integer> asked = new ArrayList<>();
    RecordDecoder decoder =
        new RecordDecoder(
            RecordFormat.FLAT,
            Samples.PERSON,
            id -> {
              asked.add(id);
              return Samples.PERSON;
            });
    for (int id : new int[] {4, 5, 4, 4, 5}) {
      decoder.decode(framed(ANN, id));
    }
    assertThat(asked).containsExactly(4, 5);
  }

  @Test
  void refusesSchemasThatDoNotFit() {
    Schema text = Schema.create(Schema.Type.STRING);
    Schema lacking = SchemaBuilder.record("Person").fields().requiredLong("cost").endRecord();
    assertRefused(RecordFormat.ENVELOPE, Samples.PERSON, "no field \"after\"");
    assertRefused(RecordFormat.ENVELOPE, text, "no field \"after\"");
    assertRefused(RecordFormat.FLAT, text, "is of type string");
    assertRefused(
        RecordFormat.FLAT,
        lacking,
        "records of schema id 1 lack \"name\", which has no default; rebuild the view");
  }

  private static void assertRefused(RecordFormat format, Schema writer, String message) {
    RecordDecoder decoder = new RecordDecoder(format, Samples.PERSON, id -> writer);
    assertThatThrownBy(() -> decoder.decode(framed(ANN, 1)))
        .isInstanceOf(DerivationException.class)
        .hasMessageContaining(message);
  }

  @Test
  void findsAFieldUnderTheNameThatItHasNow() throws Exception {
    Schema renamed =
        SchemaBuilder.record("test.Person")
            .fields()
            .name("fullName")
            .aliases("name")
            .type()
            .stringType()
            .noDefault()
            .requiredInt("cost")
            .endRecord();
    GenericRecord value =
        new GenericRecordBuilder(renamed).set("fullName", "Bob").set("cost", 7).build();
    RecordDecoder decoder =
        new RecordDecoder(
            RecordFormat.FLAT, Samples.PERSON, id -> id == 1 ? renamed : Samples.PERSON);

    assertThat(decoder.decode(framed(value, 1)).get("name")).hasToString("Bob");
    assertThat(decoder.decode(framed(value, 1)).get("cost")).isEqualTo(7L);
    assertThat(decoder.decode(framed(ANN, 2)).get("name")).hasToString("Ann");
  }

  /** And the other way round: the reader is newer, and says what the field was called before. */
  @Test
  void findsAFieldUnderTheNameThatItHad() throws Exception {
    Schema older =
        SchemaBuilder.record("test.Person").fields().requiredString("fullName").endRecord();
    Schema reader =
        SchemaBuilder.record("test.Person")
            .fields()
            .name("name")
            .aliases("fullName")
            .type()
            .stringType()
            .noDefault()
            .name("added")
            .type()
            .intType()
            .intDefault(5)
            .endRecord();
    GenericRecord value = new GenericRecordBuilder(older).set("fullName", "Bob").build();

    GenericRecord read =
        new RecordDecoder(RecordFormat.FLAT, reader, id -> older).decode(framed(value, 1));

    assertThat(read).hasToString("{\"name\": \"Bob\", \"added\": 5}");
  }

  @Test
  void readsTheOtherFieldsOfARecordThatLacksOne() throws Exception {
    Schema changed =
        SchemaBuilder.record("test.Person")
            .fields()
            .requiredString("cost")
            .requiredString("name")
            .name("level")
            .type(SchemaBuilder.enumeration("test.Level").symbols("LOW", "MID"))
            .noDefault()
            .endRecord();
    RecordDecoder decoder = new RecordDecoder(RecordFormat.FLAT, Samples.PERSON, id -> changed);
    FramedValue value =
        framed(
            new GenericRecordBuilder(changed)
                .set("cost", "much")
                .set("name", "Bob")
                .set("level", new GenericData.EnumSymbol(changed.getField("level").schema(), "LOW"))
                .build(),
            7);

    GenericRecord read = decoder.decodeForViews(value);

    assertThat(read.get("name")).hasToString("Bob");
    assertThatThrownBy(() -> read.get("cost")).hasMessageContaining("\"cost\" as string");
    assertThat(rows("key: [name, tags]\nnulls: index", read)).hasSize(1);
    assertThat(rows("key: [name]\nwhere: name == 'Bob' || cost > 5", read)).hasSize(1);
    for (String view :
        List.of(
            "key: [name, cost]",
            "key: [name]\ninclude: [cost]\nlayout: key-value",
            "key: [name]\nwhere: name == 'Eve' || cost > 5",
            "key: [name]\nwhere: age > 5 || cost > 5")) {
      assertThatThrownBy(() -> rows(view, read))
          .as(view)
          .isInstanceOf(DerivationException.class)
          .hasMessage(
              "records of schema id 7 have \"cost\" as string, where the view was made for long;"
                  + " rebuild the view once the record set's schema reads them");
    }
    assertThatThrownBy(() -> decoder.decode(value))
        .hasMessageContaining("\"cost\" as string")
        .hasMessageContaining("\"level\" as MID");
  }

  private static List<ViewRow> rows(String view, GenericRecord record) throws DerivationException {
    return CompiledView.compile(Samples.people(view + "\ntarget: kv"), Samples.PERSON)
        .rows(record, "/p/-/1");
  }

  /** The symbol that is new does no harm to records that do not have it. */
  @Test
  void readsRecordsThatKeepToWhatIsKnown() throws Exception {
    Schema changed =
        new Schema.Parser()
            .parse(
                Samples.PERSON
                    .toString()
                    .replace("[\"LOW\",\"HIGH\"]", "[\"MID\",\"HIGH\",\"LOW\"]"));
    RecordDecoder decoder = new RecordDecoder(RecordFormat.FLAT, Samples.PERSON, id -> changed);
    Schema levels = changed.getField("level").schema();
    GenericRecordBuilder person =
        new GenericRecordBuilder(changed).set("name", "Bob").set("cost", 7L);

    GenericRecord known = person.set("level", new GenericData.EnumSymbol(levels, "LOW")).build();
    GenericRecord unknown = person.set("level", new GenericData.EnumSymbol(levels, "MID")).build();

    assertThat(decoder.decode(framed(known, 1)).get("level")).hasToString("LOW");
    assertThat(decoder.decodeForViews(framed(known, 1)).get("level")).hasToString("LOW");
    GenericRecord read = decoder.decodeForViews(framed(unknown, 1));
    assertThat(rows("key: [name]", read)).hasSize(1);
    assertThatThrownBy(() -> rows("key: [level]", read)).hasMessageContaining("\"level\" as MID");
  }

  @Test
  void refusesBytesLeftOver() throws IOException {
    byte[] bytes = bytes(ANN);
    FramedValue value =
        new FramedValue(1, Arrays.copyOf(bytes, bytes.length + 1), 0, bytes.length + 1);
    RecordDecoder decoder =
        new RecordDecoder(RecordFormat.FLAT, Samples.PERSON, id -> Samples.PERSON);
    assertThatThrownBy(() -> decoder.decode(value))
        .isInstanceOf(DerivationException.class)
        .hasMessageContaining("left over");
  }

  @Test
  void letsFailuresOfTheRegistryThrough() {
    IllegalStateException down = new IllegalStateException("registry down");
    RecordDecoder decoder =
        new RecordDecoder(
            RecordFormat.FLAT,
            Samples.PERSON,
            id -> {
              throw down;
            });
    assertThatThrownBy(() -> decoder.decode(framed(ANN, 1))).isSameAs(down);
  }

  @Property(tries = 1000)
  void refusesGarbageCleanly(@ForAll byte[] garbage) throws IOException {
    byte[] good = bytes(ANN);
    byte[] bytes = Arrays.copyOf(good, good.length);
    System.arraycopy(garbage, 0, bytes, 0, Math.min(garbage.length, bytes.length));
    RecordDecoder decoder =
        new RecordDecoder(RecordFormat.FLAT, Samples.PERSON, id -> Samples.PERSON);
    try {
      assertThat(decoder.decode(new FramedValue(1, bytes, 0, bytes.length)).getSchema())
          .isEqualTo(Samples.PERSON);
    } catch (DerivationException e) {
      assertThat(e).hasMessageContaining("schema id 1");
    }
  }

  private static FramedValue framed(GenericRecord record, int id) throws IOException {
    byte[] bytes = bytes(record);
    byte[] message = new byte[bytes.length + 9];
    System.arraycopy(bytes, 0, message, 7, bytes.length);
    return new FramedValue(id, message, 7, bytes.length);
  }

  private static byte[] bytes(GenericRecord record) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
    new GenericDatumWriter<GenericRecord>(record.getSchema()).write(record, encoder);
    encoder.flush();
    return out.toByteArray();
  }
}
