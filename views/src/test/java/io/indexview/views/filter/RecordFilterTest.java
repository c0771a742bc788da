package io.indexview.views.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.views.Samples;
import io.indexview.views.filter.RecordFilter.FilterException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.avro.util.Utf8;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecordFilterTest {
  private static final Schema ADDRESS = nested("address");
  private static final Schema ORDER = Samples.PERSON.getField("orders").schema().getElementType();

  /** Has a value in every field. */
  private static final GenericRecord ANN =
      new GenericRecordBuilder(Samples.PERSON)
          .set("name", new Utf8("Ann"))
          .set("email", new Utf8("ann@example.com"))
          .set("org", new Utf8("Zoö"))
          .set("cost", 7L)
          .set("age", 40)
          .set("rating", 2.5)
          .set("active", true)
          .set("level", new GenericData.EnumSymbol(nested("level"), "HIGH"))
          .set("born", (int) LocalDate.parse("1983-05-17").toEpochDay())
          .set("seen", Instant.parse("2023-11-05T06:07:08.009Z").toEpochMilli())
          .set("tags", List.of(new Utf8("a"), new Utf8("bc")))
          .set("address", record(ADDRESS, "city", "Bern", "zip", null))
          .set("orders", List.of(record(ORDER, "sku", "x", "count", 3), order("y", null)))
          .set("photo", ByteBuffer.wrap(new byte[] {1, 2}))
          .set("notes", Map.of(new Utf8("k"), new Utf8("v")))
          .build();

  /** Has null or nothing wherever that may be. */
  private static final GenericRecord BOB =
      new GenericRecordBuilder(Samples.PERSON)
          .set("name", "Bob")
          .set("cost", -3L)
          .set("level", new GenericData.EnumSymbol(nested("level"), "LOW"))
          .build();

  private static Schema nested(String field) {
    Schema schema = Samples.PERSON.getField(field).schema();
    return schema.isUnion() ? schema.getTypes().get(1) : schema;
  }

  private static GenericRecord order(String sku, Integer count) {
    return record(ORDER, "sku", sku, "count", count);
  }

  private static GenericRecord record(Schema schema, Object... fields) {
    GenericRecord record = new GenericData.Record(schema);
    for (int i = 0; i < fields.length; i += 2) {
      record.put((String) fields[i], fields[i + 1]);
    }
    return record;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '#',
      textBlock =
          """
          # expression                                        ann     bob
          true                                              ; true  ; true
          name == 'Ann'                                     ; true  ; false
          name != 'Ann'                                     ; false ; true
          name < 'Bab'                                      ; true  ; false
          name in ['Bob', 'Eve']                            ; false ; true
          name.startsWith('A') || name.endsWith('b')        ; true  ; true
          name.contains('nn') && size(name) == 3            ; true  ; false
          cost == 7                                         ; true  ; false
          cost > -4 && cost <= 7                            ; true  ; true
          cost * 2 - 1 == 13                                ; true  ; false
          cost % 2 == 1                                     ; true  ; false
          cost > 6.5                                        ; true  ; false
          double(cost) / 2.0 == 3.5                         ; true  ; false
          rating >= 2.5                                     ; true  ; false
          rating == 0.0                                     ; false ; true
          active                                            ; true  ; true
          !active                                           ; false ; false
          level == 'HIGH'                                   ; true  ; false
          level != 'HIGH'                                   ; false ; true
          born == timestamp('1983-05-17')                   ; true  ; false
          born < timestamp('1983-05-17T00:00:00.001Z')      ; true  ; true
          born.getFullYear() == 1983 && born.getMonth() == 4 ; true ; false
          seen > timestamp('2023-11-05T07:07:08+01:00')     ; true  ; false
          seen == timestamp('2023-11-05T06:07:08.009Z')     ; true  ; false
          seen - timestamp('2023-11-05') < duration('7h')   ; true  ; false
          seen.getHours() == 6                              ; true  ; false
          'bc' in tags                                      ; true  ; false
          tags[1] == 'bc' || size(tags) == 0                ; true  ; true
          size(tags) == 2                                   ; true  ; false
          tags.exists(t, t.startsWith('b'))                 ; true  ; false
          tags.all(t, size(t) < 3)                          ; true  ; true
          tags.exists_one(t, t == 'a')                      ; true  ; false
          tags == ['a', 'bc']                               ; true  ; false
          address.city == 'Bern'                            ; true  ; false
          address.city != 'Bern'                            ; false ; true
          address.city == null                              ; false ; true
          address == null                                   ; false ; true
          address != null                                   ; true  ; false
          null == address                                   ; false ; true
          has(address.city)                                 ; true  ; false
          has(address.zip)                                  ; false ; false
          address.zip == null                               ; true  ; true
          orders.exists(o, o.sku == 'y')                    ; true  ; false
          orders.exists(o, o.count > 2)                     ; true  ; false
          orders.exists(o, o.count > 5)                     ; false ; false
          orders.all(o, o.count > 2)                        ; false ; true
          orders.all(o, o.count == null || o.count > 2)     ; true  ; true
          orders.exists(o, tags.exists(t, t == o.sku))      ; false ; false
          size(photo) == 2 && photo == b'\\x01\\x02'        ; true  ; false
          'k' in notes && notes['k'] == 'v'                 ; true  ; false
          notes.k == 'v' || size(notes) == 0                ; true  ; true
          has(notes.k)                                      ; true  ; false
          name.matches('^A.n$')                             ; true  ; false
          name.matches('o')                                 ; false ; true
          string(cost) == '7'                               ; true  ; false
          cost == 7 ? active : name == 'Bob'                ; true  ; true
          """)
  void tellsWhatMatches(String expression, boolean ann, boolean bob) throws Exception {
    RecordFilter filter = RecordFilter.compile(expression, Samples.PERSON);

    assertThat(filter.matches(ANN)).as("Ann").isEqualTo(ann);
    assertThat(filter.matches(BOB)).as("Bob").isEqualTo(bob);
    assertThat(filter.matches(ANN)).as("Ann again").isEqualTo(ann);
  }

  /** Null is equal to null alone; anything else done with it is undecided. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '#',
      textBlock =
          """
          age == null                        ; true
          age == 5                           ; false
          age != 5                           ; true
          age in [1, 2]                      ; false
          !(age in [1, 2])                   ; true
          age > 5                            ; false
          !(age > 5)                         ; false
          age > 5 || name == 'Bob'           ; true
          name == 'Bob' || age > 5           ; true
          age > 5 && name == 'Bob'           ; false
          !(age > 5 && name == 'Eve')        ; true
          age != null && age > 5             ; false
          age + 1 > 0                        ; false
          -age < 0                           ; false
          email.startsWith('a')              ; false
          !email.startsWith('a')             ; false
          email.matches('a')                 ; false
          size(email) >= 0                   ; false
          email < org                        ; false
          email == org                       ; true
          seen > timestamp('2000-01-01')     ; false
          seen == null                       ; true
          age > 5 ? true : true              ; false
          size(tags) == 0                    ; true
          """)
  void takesNullForUnknown(String expression, boolean bob) throws Exception {
    assertThat(RecordFilter.compile(expression, Samples.PERSON).matches(BOB)).isEqualTo(bob);
  }

  @Test
  void takesNullArraysMapsAndRecordsInElementsForNothing() throws Exception {
    Schema inner =
        SchemaBuilder.record("Inner").fields().optionalString("s").optionalInt("n").endRecord();
    Schema outer =
        SchemaBuilder.record("Outer")
            .fields()
            .name("inner")
            .type(nullable(inner))
            .noDefault()
            .endRecord();
    Schema schema =
        SchemaBuilder.record("R")
            .fields()
            .name("list")
            .type(nullable(Schema.createArray(nullable(outer))))
            .noDefault()
            .name("map")
            .type(nullable(Schema.createMap(nullable(Schema.create(Schema.Type.INT)))))
            .noDefault()
            .endRecord();
    GenericRecord empty = record(schema);
    GenericRecord full =
        record(
            schema,
            "list",
            Arrays.asList(null, record(outer, "inner", null)),
            "map",
            Collections.singletonMap("k", null));

    assertMatches("size(list) == 0 && size(map) == 0", empty, true);
    assertMatches("list.exists(o, o.inner.s == 'x')", empty, false);
    assertMatches("list.exists(o, o != null && o.inner.s == null && !has(o.inner.n))", full, true);
    assertMatches("list.exists(o, o == null) && list.exists(o, o != null)", full, true);
    assertMatches("list.exists(o, o != null && o.inner.n > 1)", full, false);
    assertMatches("map['k'] == null && map['k'] != 5", full, true);
    assertMatches("map['k'] > 5 || true", full, true);
  }

  private static void assertMatches(String expression, GenericRecord record, boolean expected)
      throws FilterException {
    assertThat(RecordFilter.compile(expression, record.getSchema()).matches(record))
        .as(expression)
        .isEqualTo(expected);
  }

  private static Schema nullable(Schema schema) {
    return Schema.createUnion(Schema.create(Schema.Type.NULL), schema);
  }

  @Test
  void knowsEveryTypeThatItCanUse() throws Exception {
    Schema schema =
        SchemaBuilder.record("Types")
            .fields()
            .requiredFloat("f")
            .name("micros")
            .type(LogicalTypes.timestampMicros().addToSchema(Schema.create(Schema.Type.LONG)))
            .noDefault()
            .name("time")
            .type(LogicalTypes.timeMillis().addToSchema(Schema.create(Schema.Type.INT)))
            .noDefault()
            .name("fixed")
            .type(Schema.createFixed("Two", null, null, 2))
            .noDefault()
            .name("flags")
            .type(Schema.createMap(Schema.create(Schema.Type.BOOLEAN)))
            .noDefault()
            .name("matrix")
            .type(Schema.createArray(Schema.createArray(Schema.create(Schema.Type.INT))))
            .noDefault()
            .endRecord();
    GenericRecord record =
        record(
            schema,
            "f",
            1.5f,
            "micros",
            -1L,
            "time",
            3_600_000,
            "fixed",
            new GenericData.Fixed(schema.getField("fixed").schema(), new byte[] {65, 66}),
            "flags",
            Map.of("on", true),
            "matrix",
            List.of(List.of(1, 2), List.of(3)));

    assertMatches("f == 1.5", record, true);
    assertMatches("micros < timestamp('1970-01-01')", record, true);
    assertMatches("micros >= timestamp('1969-12-31T23:59:59.999999Z')", record, true);
    assertMatches("time / 3600000 == 1", record, true);
    assertMatches("fixed == b'AB'", record, true);
    assertMatches("flags['on']", record, true);
    assertMatches("matrix.exists(row, row.exists(n, n == 3))", record, true);
  }

  /** Fields called like a word of CEL can be used, but for true, false, null and in. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "int",
        "string",
        "bool",
        "type",
        "list",
        "map",
        "size",
        "timestamp",
        "package",
        "for",
        "has",
        "matches",
        "exists",
        "dyn",
        "duration",
        "google",
        "uint",
        "__result__"
      })
  void letsFieldsHaveAnyName(String name) throws Exception {
    Schema schema =
        SchemaBuilder.record("N")
            .fields()
            .requiredInt(name)
            .name("r")
            .type(SchemaBuilder.record("R" + name).fields().requiredInt(name).endRecord())
            .noDefault()
            .endRecord();
    GenericRecord inner = record(schema.getField("r").schema(), name, 2);

    assertMatches(
        "%s == 1 && r.%s == 2".formatted(name, name), record(schema, name, 1, "r", inner), true);
  }

  @Test
  void goesThroughRecordsThatHoldThemselves() throws Exception {
    Schema node =
        new Schema.Parser()
            .parse(
                """
                {"type": "record", "name": "Node", "fields": [
                  {"name": "n", "type": "int"}, {"name": "next", "type": ["null", "Node"]}]}
                """);
    GenericRecord tail = record(node, "n", 2, "next", null);

    assertMatches("next.n == 2 && next.next == null", record(node, "n", 1, "next", tail), true);
    assertMatches("next.next.next.n == null", tail, true);
  }

  @Test
  void usesOnlyTheFieldsThatItNames() throws Exception {
    String expression = "tags.exists(t, t == name) || address.city == 'x' || size(orders) > 1";
    assertThat(RecordFilter.fields(expression, Samples.PERSON))
        .containsExactlyInAnyOrder("tags", "name", "address", "orders");
    assertThat(RecordFilter.fields("true", Samples.PERSON)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '#',
      textBlock =
          """
          10 / (cost - 7) > 1                  ; divides by zero
          10 % (cost - 7) > 1                  ; divides by zero
          cost + 9223372036854775807 > 0       ; too large
          notes['secret'] == 'v'               ; a key that it does not have
          notes.secret == 'v'                  ; a key that it does not have
          tags[2] == 'a'                       ; an element that it does not have
          int(name) > 5                        ; not what the function takes
          timestamp(name) > seen               ; not what the function takes
          10 / (cost - 7) > 1 && age > 1       ; divides by zero
          """)
  void cannotTellWhatTheRecordDoesNotHave(String expression, String reason) {
    RecordFilter filter = RecordFilter.compile(expression, Samples.PERSON);
    assertThatThrownBy(() -> filter.matches(ANN))
        .isInstanceOf(FilterException.class)
        .hasMessageContaining(reason)
        .hasMessageNotContainingAny("Ann", "secret")
        .hasNoCause();
  }

  /** As Debezium writes them, of a column that keeps the offset. */
  @Test
  void comparesTimesThatAreTextsByWhatTheyMean() throws Exception {
    GenericRecord record =
        new GenericRecordBuilder((GenericData.Record) ANN)
            .set("name", new Utf8("2023-11-05T07:07:08.5+01:00"))
            .build();

    assertMatches("timestamp(name) > timestamp('2023-11-05T06:07:08Z')", record, true);
    assertMatches("timestamp(name) < timestamp('2023-11-05T06:07:08.6Z')", record, true);
    assertMatches("timestamp(name) == timestamp('2023-11-05T06:07:08.5Z')", record, true);
  }

  @Test
  void leavesAFailureAsideThatDoesNotMatter() throws Exception {
    assertMatches("10 / (cost - 7) > 1 || name == 'Ann'", ANN, true);
    assertMatches("tags[2] == 'a' && name == 'Bob'", ANN, false);
  }

  @Test
  void looksAtABoundedNumberOfElements() throws Exception {
    GenericRecord many = new GenericData.Record((GenericData.Record) ANN, true);
    many.put("tags", Collections.nCopies(200, "a"));
    assertMatches(
        "tags.exists(t, tags.exists(u, t != u))", copy(Collections.nCopies(90, "a")), false);
    for (GenericRecord record : List.of(many, copy(Collections.nCopies(10_001, "a")))) {
      RecordFilter filter =
          RecordFilter.compile("tags.exists(t, tags.exists(u, t != u))", Samples.PERSON);
      assertThatThrownBy(() -> filter.matches(record)).hasMessageContaining("10,000 elements");
    }
  }

  @Test
  void takesABoundedNumberOfStepsToMatch() throws Exception {
    RecordFilter filter =
        RecordFilter.compile("tags.exists(t, t.matches('(a|b)*c'))", Samples.PERSON);
    List<String> large = new ArrayList<>(Collections.nCopies(100, "ab".repeat(50_000)));

    assertThat(filter.matches(copy(large.subList(0, 1)))).isFalse();
    assertThatThrownBy(() -> filter.matches(copy(large))).hasMessageContaining("too long texts");
    assertThat(filter.matches(copy(large.subList(0, 1)))).isFalse();
  }

  private static GenericRecord copy(List<String> tags) {
    return new GenericRecordBuilder((GenericData.Record) ANN).set("tags", tags).build();
  }
}
