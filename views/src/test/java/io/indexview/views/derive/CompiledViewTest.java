package io.indexview.views.derive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.change.RecordFormat;
import io.indexview.views.Samples;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewGeneration;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.util.Utf8;
import org.junit.jupiter.api.Test;

class CompiledViewTest {
  private static final String KEY = "/Corporate/people/-/10012";

  @Test
  void refusesValuesThatAreNoKey() {
    CompiledView view =
        CompiledView.compile(Samples.people("key: [born, level]\ntarget: kv\n"), Samples.PERSON);
    LocalDate born = LocalDate.EPOCH;

    assertThat(view.keyBody(Map.of("born", born, "level", "LOW"), "/p/-/1")).isNotEmpty();
    for (Map<String, Object> wrong :
        List.of(
            Map.<String, Object>of("level", "LOW"),
            Map.<String, Object>of("born", born, "level", "NONE"),
            Map.<String, Object>of("born", "today", "level", "LOW"))) {
      assertThatThrownBy(() -> view.keyBody(wrong, "/p/-/1"))
          .as("%s", wrong)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void givesOneRowWithKeyFieldsAndPrimaryKey() throws Exception {
    CompiledView view = view("key: [org, born]\ntarget: kv");

    assertThat(keys(view, person().set("org", "Support").set("born", 17_000).build()))
        .containsExactly(
            "{\"org\": \"Support\", \"born\": 17000, \"_primaryKey\": \"" + KEY + "\"}");
    assertThat(view.keySchema().getField("born").schema().getLogicalType().getName())
        .isEqualTo("date");
  }

  @Test
  void givesOneRowPerDistinctElement() throws Exception {
    GenericRecord person = person().set("tags", List.of("b", "a", "b")).build();

    assertThat(keys(view("key: [tags]\ntarget: kv"), person))
        .extracting(key -> key.substring(0, 13))
        .containsExactly("{\"tags\": \"b\",", "{\"tags\": \"a\",");
  }

  @Test
  void dropsDuplicatesAmongManyElements() throws Exception {
    List<String> tags = IntStream.range(0, 300).mapToObj(number -> "t" + number % 100).toList();

    assertThat(keys(view("key: [tags]\ntarget: kv"), person().set("tags", tags).build()))
        .hasSize(100)
        .doesNotHaveDuplicates();
  }

  @Test
  void takesFieldsOfOneElementTogether() throws Exception {
    GenericRecord person =
        person().set("orders", List.of(order("x", 1), order("y", 2), order("y", null))).build();

    assertThat(keys(view("key: [orders.sku, name, orders.count]\ntarget: kv"), person))
        .hasSize(2)
        .allMatch(key -> key.contains("\"x\"") == key.contains("\"count\": 1"));
    assertThat(keys(view("key: [orders.sku, orders.count]\nnulls: index\ntarget: kv"), person))
        .hasSize(3);
  }

  @Test
  void skipsOrIndexesNulls() throws Exception {
    GenericRecord person = person().build();
    for (String field : List.of("org", "address.city", "tags", "orders.sku")) {
      String key = "key: [" + field + ", name]\ntarget: kv\n";
      assertThat(keys(view(key), person)).isEmpty();
      assertThat(keys(view(key + "nulls: index"), person))
          .singleElement()
          .asString()
          .contains(": null, \"name\": \"Ann\"");
    }
  }

  @Test
  void reachesFieldsThroughNullableRecords() throws Exception {
    GenericRecord address =
        new GenericRecordBuilder(PERSON_ADDRESS).set("city", "Bern").set("zip", "3000").build();
    CompiledView view =
        view("key: [address.city]\ninclude: [address.zip]\nlayout: key-value\ntarget: kv");

    List<ViewRow> rows = view.rows(person().set("address", address).build(), KEY);

    assertThat(view.keyOf(rows.get(0)).get("city")).hasToString("Bern");
    assertThat(view.valueOf(rows.get(0), 7)).hasToString("{\"zip\": \"3000\", \"_revision\": 7}");
  }

  @Test
  void findsEntriesOfMapsByTheirKeys() throws Exception {
    GenericRecord decoded =
        person()
            .set("notes", Map.of(new Utf8("cost-center"), "7", new Utf8("a.b"), "dots"))
            .build();
    GenericRecord without = person().set("notes", Map.of("a", "b")).build();
    String definition = "key: [notes.cost-center, notes.a.b]\ntarget: kv\n";

    assertThat(keys(view(definition), decoded))
        .containsExactly(
            "{\"cost_center\": \"7\", \"b\": \"dots\", \"_primaryKey\": \"" + KEY + "\"}");
    assertThat(keys(view(definition), without)).isEmpty();
    assertThat(keys(view(definition + "nulls: index"), without))
        .containsExactly("{\"cost_center\": null, \"b\": null, \"_primaryKey\": \"" + KEY + "\"}");
  }

  @Test
  void includesEntriesOfMaps() throws Exception {
    CompiledView view =
        view("key: [name]\ninclude: [notes.org, org]\nlayout: key-value\ntarget: kv");
    GenericRecord person =
        person().set("name", "Ann").set("org", "Sales").set("notes", Map.of("org", "Lab")).build();

    assertThat(view.valueOf(view.rows(person, KEY).get(0), 1))
        .hasToString("{\"notes_org\": \"Lab\", \"org\": \"Sales\", \"_revision\": 1}");
  }

  @Test
  void carriesIncludedFieldsOfAnyType() throws Exception {
    CompiledView view =
        view(
            "key: [name]\ninclude: [email, photo, notes, tags, orders, level, rating]\n"
                + "layout: key-value\ntarget: kv");
    GenericRecord person =
        person()
            .set("photo", ByteBuffer.wrap(new byte[] {1, 2}))
            .set("orders", List.of(order("x", null)))
            .set("tags", List.of("t"))
            .build();

    GenericRecord value = view.valueOf(view.rows(person, KEY).get(0), Long.MAX_VALUE);

    for (String field : List.of("email", "photo", "notes", "level", "rating")) {
      assertThat(value.get(field)).as(field).isEqualTo(person.get(field));
    }
    assertThat(value.get("orders")).hasToString(person.get("orders").toString());
    assertThat(value.get("_revision")).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void leavesKeyFieldsOutOfTheValue() throws Exception {
    CompiledView view = view("key: [org]\ninclude: [org, name]\nlayout: key-value\ntarget: kv");

    assertThat(view.valueSchema().getFields())
        .extracting(Schema.Field::name)
        .containsExactly("name", "_revision");
  }

  @Test
  void givesOneDocumentPerRecord() throws Exception {
    ViewGeneration files =
        Samples.freeze(
            Samples.FILES, "kind: document\ntarget: dynamodb\ntable: Files\nkey: [objectKey]");
    CompiledView view = CompiledView.compile(files, files.recordSet().schema());
    GenericRecord file =
        new GenericRecordBuilder(files.recordSet().schema())
            .set("objectKey", "a b/ü.txt")
            .set("bucketName", "docs")
            .build();

    ViewRow row = view.rows(file, "docs/a b/ü.txt").get(0);

    assertThat(view.keyOf(row).get("objectKey")).hasToString("a b/ü.txt");
    assertThat(view.valueOf(row, 1).get("bucketName")).hasToString("docs");
    assertThat(view.valueSchema().getFields()).hasSize(9);
  }

  @Test
  void makesEqualNumbersOneRow() throws Exception {
    CompiledView view = view("key: [rating]\ntarget: kv");

    assertThat(view.rows(person().set("rating", -0.0).build(), KEY))
        .isEqualTo(view.rows(person().set("rating", 0.0).build(), KEY));
  }

  @Test
  void makesEqualMapsOneRow() throws Exception {
    CompiledView view = view("key: [name]\ninclude: [notes]\nlayout: key-value\ntarget: kv");
    Map<String, String> rising = new LinkedHashMap<>();
    Map<String, String> falling = new LinkedHashMap<>();
    for (int i = 0; i < 9; i++) {
      rising.put("k" + i, "v");
      falling.put("k" + (8 - i), "v");
    }

    assertThat(view.rows(person().set("notes", rising).build(), KEY))
        .isEqualTo(view.rows(person().set("notes", falling).build(), KEY));
  }

  @Test
  void carriesNullsWhereverAUnionHasThem() throws Exception {
    Schema text = Schema.create(Schema.Type.STRING);
    Schema none = Schema.create(Schema.Type.NULL);
    Schema schema =
        SchemaBuilder.record("R")
            .fields()
            .requiredString("id")
            .name("first")
            .type(Schema.createUnion(none, text))
            .noDefault()
            .name("last")
            .type(Schema.createUnion(text, none))
            .noDefault()
            .name("alone")
            .type(Schema.createUnion(text))
            .noDefault()
            .endRecord();
    RecordSet recordSet = new RecordSet("r", "r", RecordFormat.FLAT, List.of(), schema);
    CompiledView view =
        CompiledView.compile(
            Samples.freeze(
                recordSet,
                "key: [id]\ninclude: [first, last, alone]\nlayout: key-value\ntarget: kv"),
            schema);

    assertThat(value(view, record(schema, "1", "a", "b", "c")))
        .isEqualTo("{\"first\": \"a\", \"last\": \"b\", \"alone\": \"c\", \"_revision\": 1}");
    assertThat(value(view, record(schema, "1", null, null, "c")))
        .isEqualTo("{\"first\": null, \"last\": null, \"alone\": \"c\", \"_revision\": 1}");
    assertThat(view.valueSchema().getField("first").hasDefaultValue()).isTrue();
    assertThat(view.valueSchema().getField("alone").hasDefaultValue()).isFalse();
  }

  /** Avro takes these for values of their types; no sink could read the rows. */
  @Test
  void refusesWhatIsNoneOfItsLogicalType() throws Exception {
    Schema price = LogicalTypes.decimal(4).addToSchema(Schema.create(Schema.Type.BYTES));
    Schema alarm = LogicalTypes.timeMillis().addToSchema(Schema.create(Schema.Type.INT));
    Schema schema =
        SchemaBuilder.record("R")
            .fields()
            .requiredString("id")
            .name("prices")
            .type(Schema.createArray(price))
            .noDefault()
            .name("alarm")
            .type(alarm)
            .noDefault()
            .endRecord();
    CompiledView view =
        CompiledView.compile(
            Samples.freeze(
                new RecordSet("r", "r", RecordFormat.FLAT, List.of(), schema),
                "key: [id]\ninclude: [prices, alarm]\nlayout: key-value\ntarget: kv"),
            schema);
    ByteBuffer one = ByteBuffer.wrap(new byte[] {1});

    assertThat(view.rows(record(schema, "1", List.of(one), 86_400_000), KEY)).hasSize(1);
    assertThatThrownBy(
            () -> view.rows(record(schema, "1", List.of(one, ByteBuffer.allocate(0)), 5), KEY))
        .isInstanceOf(DerivationException.class)
        .hasMessage("field \"prices\": a decimal has no byte");
    for (int wrong : new int[] {-1, 86_400_001}) {
      assertThatThrownBy(() -> view.rows(record(schema, "1", List.of(one), wrong), KEY))
          .isInstanceOf(DerivationException.class)
          .hasMessage("field \"alarm\": a time of day lies beyond the day");
    }
  }

  private static GenericRecord record(Schema schema, Object... values) {
    GenericRecord record = new GenericData.Record(schema);
    for (int i = 0; i < values.length; i++) {
      record.put(i, values[i]);
    }
    return record;
  }

  private static String value(CompiledView view, GenericRecord record) throws DerivationException {
    return view.valueOf(view.rows(record, KEY).get(0), 1).toString();
  }

  @Test
  void givesRowKeysThatCarryTheirGeneration() {
    ViewGeneration generation = Samples.people("key: [org]\ntarget: kv");

    assertThat(ViewGeneration.ofKeySchema(RowSchemas.of(generation).key())).isEqualTo(generation);
    assertThat(CompiledView.compile(generation, Samples.PERSON).keySchema())
        .isEqualTo(RowSchemas.of(generation).key());
  }

  @Test
  void refusesMoreRowsThanAllowed() throws Exception {
    CompiledView view = view("key: [tags]\nmaxRowsPerRecord: 2\ntarget: kv");

    assertThat(view.rows(person().set("tags", List.of("a", "b", "a")).build(), KEY)).hasSize(2);
    assertThatThrownBy(() -> view.rows(person().set("tags", List.of("a", "b", "c")).build(), KEY))
        .isInstanceOf(DerivationException.class)
        .hasMessageContaining("more than 2 rows")
        .hasMessageContaining("\"tags\"");
  }

  @Test
  void refusesRowsThatAreTooLarge() {
    CompiledView byName = view("key: [name]\ntarget: kv");
    assertThatThrownBy(() -> byName.rows(person().set("name", "x".repeat(32_760)).build(), KEY))
        .isInstanceOf(DerivationException.class)
        .hasMessageContaining("the store takes 32767");
    CompiledView small = CompiledView.compile(byName.generation(), Samples.PERSON, 100);
    assertThatThrownBy(() -> small.rows(person().set("name", "x".repeat(100)).build(), KEY))
        .isInstanceOf(DerivationException.class)
        .hasMessageContaining("limit is 100");
    CompiledView table = view("key: [name]\ntarget: dynamodb\ntable: abc");
    assertThatThrownBy(() -> table.rows(person().build(), "k".repeat(1025)))
        .isInstanceOf(DerivationException.class)
        .hasMessageContaining("\"_sk\" takes 1025 bytes, the store takes 1024");
  }

  @Test
  void refusesRowsThatAreTooLargeTogether() throws Exception {
    CompiledView byTag = view("key: [tags]\ninclude: [name]\nlayout: key-value\ntarget: kv");
    GenericRecord person = person().set("name", "x".repeat(990_000)).set("tags", tags(33)).build();
    assertThat(byTag.rows(person, KEY)).hasSize(33);

    person.put("tags", tags(34));
    assertThatThrownBy(() -> byTag.rows(person, KEY))
        .isInstanceOf(DerivationException.class)
        .hasMessageContaining("more than 33554432 bytes together")
        .hasMessageContaining("\"tags\"");
  }

  private static List<String> tags(int number) {
    return IntStream.range(0, number).mapToObj(tag -> "t" + tag).toList();
  }

  @Test
  void countsKeyAndValueOfARow() throws Exception {
    ViewGeneration generation =
        Samples.people("key: [name]\ninclude: [org]\nlayout: key-value\ntarget: kv");
    GenericRecord person = person().set("org", "Support").build();
    ViewRow row = CompiledView.compile(generation, Samples.PERSON).rows(person, KEY).get(0);
    int size = row.keyBody().length + row.valueBody().length;

    assertThat(CompiledView.compile(generation, Samples.PERSON, size).rows(person, KEY))
        .containsExactly(row);
    CompiledView smaller = CompiledView.compile(generation, Samples.PERSON, size - 1);
    assertThatThrownBy(() -> smaller.rows(person, KEY))
        .isInstanceOf(DerivationException.class)
        .hasMessageContaining("a row takes %d bytes, the limit is %d", size, size - 1);
  }

  @Test
  void takesTheLargestKeyThatTheStoreTakes() throws Exception {
    CompiledView byName = view("key: [name]\ntarget: kv");
    int overhead = "/IDX/v/".length() + "/Corporate/people/-/10012".length() + 1;

    assertThat(byName.rows(person().set("name", "x".repeat(32_767 - overhead)).build(), KEY))
        .hasSize(1);
  }

  @Test
  void refusesValuesThatTheTargetCannotHold() {
    CompiledView view = view("key: [name]\ninclude: [rating]\ntarget: dynamodb\ntable: abc");
    assertThatThrownBy(() -> view.rows(person().set("rating", Double.NaN).build(), KEY))
        .isInstanceOf(DerivationException.class)
        .hasMessageContaining("\"rating\"")
        .hasMessageContaining("DynamoDB");
  }

  @Test
  void refusesKeyTextThatIsNoUtf8() {
    CompiledView view = view("key: [name]\ntarget: kv");
    for (byte[] name : new byte[][] {{'a', (byte) 0xff}, {(byte) 0xff}, {(byte) 0xc3}}) {
      GenericRecord person = person().set("name", new Utf8(name)).build();
      assertThatThrownBy(() -> view.rows(person, KEY))
          .isInstanceOf(DerivationException.class)
          .hasMessage("key field \"name\": the text is no UTF-8");
    }
  }

  @Test
  void refusesARecordSchemaThatLacksAField() {
    ViewGeneration generation = Samples.people("key: [org]\ntarget: kv");
    assertThatThrownBy(() -> CompiledView.compile(generation, PERSON_ADDRESS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lacks the field \"org\"");
  }

  @Test
  void framesRowsInTheWireFormat() throws IOException, DerivationException {
    CompiledView view = view("key: [org]\ninclude: [name]\nlayout: key-value\ntarget: kv");
    ViewRow row = view.rows(person().set("org", "x").build(), KEY).get(0);

    byte[] key = row.key(0x01020304);
    assertThat(Arrays.copyOf(key, 5)).containsExactly(0, 1, 2, 3, 4);
    assertThat(Arrays.copyOfRange(key, 5, key.length)).isEqualTo(row.keyBody());
    for (long revision : new long[] {0, 1, 63, 64, -1, 1_700_000_000_000L, Long.MAX_VALUE}) {
      byte[] value = row.value(9, revision);
      BinaryDecoder decoder = DecoderFactory.get().binaryDecoder(value, 5, value.length - 5, null);
      GenericRecord record =
          new GenericDatumReader<GenericRecord>(view.valueSchema()).read(null, decoder);
      assertThat(decoder.isEnd()).as("nothing is left over").isTrue();
      assertThat(record.get("_revision")).isEqualTo(revision);
      assertThat(record.get("name")).hasToString("Ann");
      assertThat(value).startsWith(0, 0, 0, 0, 9);
    }
  }

  private static final Schema PERSON_ADDRESS =
      Samples.PERSON.getField("address").schema().getTypes().get(1);

  private static CompiledView view(String yaml) {
    return CompiledView.compile(Samples.people(yaml), Samples.PERSON);
  }

  private static GenericRecordBuilder person() {
    return new GenericRecordBuilder(Samples.PERSON).set("name", "Ann").set("cost", 5L);
  }

  private static GenericRecord order(String sku, Integer count) {
    Schema order = Samples.PERSON.getField("orders").schema().getElementType();
    GenericRecord record = new GenericData.Record(order);
    record.put("sku", sku);
    record.put("count", count);
    return record;
  }

  private static List<String> keys(CompiledView view, GenericRecord record)
      throws DerivationException {
    return view.rows(record, KEY).stream().map(row -> view.keyOf(row).toString()).toList();
  }
}
