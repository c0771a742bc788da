package io.indexview.schemas.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.fixtures.FailingRegistry;
import io.indexview.schemas.fixtures.ForwardingRegistry;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.WireFormat;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UnavailableValuesTest {
  private static final String PLACEHOLDER = "__debezium_unavailable_value";

  private static final String FIELDS =
      """
      {"name": "id", "type": "long"},
      {"name": "note", "type": ["null", "string"], "default": null},
      {"name": "photo", "type": ["null", "bytes"], "default": null},
      {"name": "tags", "type": ["null", {"type": "array", "items": ["null", "string"]}], "default": null},
      {"name": "files", "type": ["null", {"type": "array", "items": ["null", "bytes"]}], "default": null},
      {"name": "ids", "type": ["null", {"type": "array", "items": ["null", "string"]}], "default": null},
      {"name": "ints", "type": ["null", {"type": "array", "items": ["null", "int"]}], "default": null},
      {"name": "longs", "type": {"type": "array", "items": "long"}, "default": []},
      {"name": "pairs", "type": ["null", {"type": "map", "values": ["null", "string"]}], "default": null},
      {"name": "json", "type": ["null", "string"], "default": null},
      {"name": "pieces", "type": "int", "default": 0}""";

  private static final Schema ORDER = record(FIELDS);

  private static final int AWAY = 98;
  private static final String NOT_KNOWN = "what it was is not known here; do this";

  private final SchemaRegistry registry = new InMemorySchemaRegistry();
  private final UnavailableValues values = new UnavailableValues(registry, RecordFormat.FLAT);

  private static Schema record(String fields) {
    return new Schema.Parser()
        .parse("{\"type\": \"record\", \"name\": \"Order\", \"fields\": [%s]}".formatted(fields));
  }

  private static GenericRecord whole() {
    GenericRecord order = new GenericData.Record(ORDER);
    order.put("id", 7L);
    order.put("note", "a long story");
    order.put("photo", ByteBuffer.wrap(new byte[] {1, 2, 3}));
    order.put("tags", List.of("x", "y"));
    order.put("files", List.of(ByteBuffer.wrap(new byte[] {9})));
    order.put("ids", List.of("5d0b1c7e-6a5e-4f0e-9d5e-2a1b3c4d5e6f"));
    order.put("ints", List.of(1, 2, 3));
    order.put("longs", List.of(4L, 5L));
    order.put("pairs", Map.of("k", "v"));
    order.put("json", "{\"k\":\"v\"}");
    order.put("pieces", 1);
    return order;
  }

  /** As Debezium's PostgreSQL connector writes each type. */
  private static GenericRecord withPlaceholders() {
    byte[] bytes = PLACEHOLDER.getBytes(StandardCharsets.UTF_8);
    List<Integer> ints = new ArrayList<>();
    List<Long> longs = new ArrayList<>();
    for (byte one : bytes) {
      ints.add((int) one);
      longs.add((long) one);
    }
    GenericRecord order = new GenericData.Record(ORDER);
    order.put("id", 7L);
    order.put("note", PLACEHOLDER);
    order.put("photo", ByteBuffer.wrap(bytes));
    order.put("tags", List.of(PLACEHOLDER));
    order.put("files", List.of(ByteBuffer.wrap(bytes)));
    order.put("ids", List.of(UUID.nameUUIDFromBytes(bytes).toString()));
    order.put("ints", ints);
    order.put("longs", longs);
    order.put("pairs", Map.of(PLACEHOLDER, PLACEHOLDER));
    order.put("json", "{\"%s\":\"%s\"}".formatted(PLACEHOLDER, PLACEHOLDER));
    order.put("pieces", 2);
    return order;
  }

  private FramedValue framed(GenericRecord record) {
    // A subject of its own: these do not follow each other.
    int id = registry.register("orders-" + record.getSchema().hashCode(), record.getSchema());
    byte[] message = Messages.frame(id, record);
    int header = WireFormat.HEADER_LENGTH;
    return new FramedValue(id, message, header, message.length - header);
  }

  private ChangeEvent update(GenericRecord record) {
    return new ChangeEvent(Op.UPDATE, 5, Origin.Unordered.INSTANCE, framed(record));
  }

  @Test
  void takesWhatAnUpdateLeftOutFromTheRecordBefore() throws MalformedEventException {
    ChangeEvent event = update(withPlaceholders());
    GenericRecord expected = whole();
    expected.put("pieces", 2);

    assertThat(values.mayBeIn(event)).isTrue();
    ChangeEvent completed = values.completed(event, framed(whole()), NOT_KNOWN);

    assertThat(Messages.decode(completed.value(), ORDER)).hasToString(expected.toString());
    assertThat(completed.op()).isEqualTo(Op.UPDATE);
    assertThat(completed.timestampMs()).isEqualTo(5);
    assertThat(values.mayBeIn(completed)).isFalse();
  }

  /** Each alone, so that one pattern does not find for another. */
  @ParameterizedTest
  @ValueSource(
      strings = {"note", "photo", "tags", "files", "ids", "ints", "longs", "pairs", "json"})
  void knowsThePlaceholderOfEachType(String field) throws MalformedEventException {
    GenericRecord after = whole();
    after.put(field, withPlaceholders().get(field));
    ChangeEvent event = update(after);

    assertThat(values.mayBeIn(event)).isTrue();
    ChangeEvent completed = values.completed(event, framed(whole()), NOT_KNOWN);

    assertThat(Messages.decode(completed.value(), ORDER)).hasToString(whole().toString());
  }

  /** JSON without a schema has bytes as base64, and the record's schema may have that as text. */
  @ParameterizedTest
  @ValueSource(strings = {"note", "tags"})
  void knowsBytesThatAreText(String field) throws MalformedEventException {
    String base64 = "X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==";
    GenericRecord after = whole();
    after.put(field, field.equals("tags") ? List.of(base64) : base64);
    ChangeEvent event = update(after);

    assertThat(values.mayBeIn(event)).isTrue();
    ChangeEvent completed = values.completed(event, framed(whole()), NOT_KNOWN);

    assertThat(Messages.decode(completed.value(), ORDER)).hasToString(whole().toString());
  }

  @Test
  void takesNullAsTheValueBefore() throws MalformedEventException {
    GenericRecord before = whole();
    before.put("note", null);
    GenericRecord after = whole();
    after.put("note", PLACEHOLDER);

    ChangeEvent completed = values.completed(update(after), framed(before), NOT_KNOWN);

    assertThat(Messages.decode(completed.value(), ORDER).get("note")).isNull();
  }

  @Test
  void leavesOtherEventsAsTheyAre() throws MalformedEventException {
    ChangeEvent plain = update(whole());
    GenericRecord about = whole();
    about.put("note", "what is " + PLACEHOLDER + "?");
    about.put("tags", List.of(PLACEHOLDER, "x"));
    ChangeEvent quoted = update(about);

    assertThat(values.mayBeIn(plain)).isFalse();
    assertThat(values.completed(quoted, null, NOT_KNOWN)).isSameAs(quoted);
    assertThat(values.mayBeIn(new ChangeEvent(Op.DELETE, 1, Origin.Unordered.INSTANCE, null)))
        .isFalse();
    Origin ours = new Origin.Versioned(new SourceVersion("1", new byte[] {1}));
    assertThat(values.mayBeIn(new ChangeEvent(Op.UPDATE, 1, ours, framed(withPlaceholders()))))
        .as("no producer with versions leaves anything out")
        .isFalse();
  }

  @Test
  void findsThemInEnvelopes() throws MalformedEventException {
    int id = registry.register("people-value", Messages.DEBEZIUM);
    UnavailableValues inEnvelopes = new UnavailableValues(registry, RecordFormat.ENVELOPE);
    ChangeEventReader reader = new ChangeEventReader(registry, RecordFormat.ENVELOPE);
    GenericRecord ann = Messages.person("Ann", 41);
    GenericRecord after = Messages.person(PLACEHOLDER, 42);
    after.put("tags", ann.get("tags"));
    FramedValue before =
        reader.read(Messages.frame(id, Messages.debezium("c", null, ann)), 1).get().value();
    ChangeEvent event =
        reader.read(Messages.frame(id, Messages.debezium("u", null, after)), 2).get();

    assertThat(inEnvelopes.mayBeIn(event)).isTrue();
    ChangeEvent found =
        reader.read(Messages.frame(id, Messages.debezium("r", null, after)), 2).get();
    assertThat(inEnvelopes.mayBeIn(found)).as("a snapshot reads the table").isFalse();
    GenericRecord completed =
        Messages.decode(inEnvelopes.completed(event, before, NOT_KNOWN).value(), Messages.PERSON);

    assertThat(completed.get("name")).hasToString("Ann");
    assertThat(completed.get("age")).isEqualTo(42);
  }

  @Test
  void readsTheRecordBeforeInItsOwnSchema() throws MalformedEventException {
    Schema older =
        record(
            """
            {"name": "dropped", "type": "string"}, {"name": "note", "type": "string"}, {"name": "id", "type": "long"}""");
    GenericRecord before = new GenericData.Record(older);
    before.put("dropped", "x");
    before.put("note", "kept");
    before.put("id", 7L);
    GenericRecord after = whole();
    after.put("note", PLACEHOLDER);

    ChangeEvent completed = values.completed(update(after), framed(before), NOT_KNOWN);

    assertThat(Messages.decode(completed.value(), ORDER).get("note")).hasToString("kept");
  }

  /** As of another converter, or of a column of another length. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        """
        {"name": "note", "type": ["null", {"type": "string", "connect.name": "io.debezium.data.Json"}]}""",
        """
        {"name": "note", "type": {"type": "string",
          "connect.parameters": {"__debezium.source.column.length": "4000"}}}"""
      })
  void takesValuesOfTypesThatOnlyHaveAnotherName(String note) throws MalformedEventException {
    GenericRecord before = new GenericData.Record(record(note));
    before.put("note", "kept");
    GenericRecord after = whole();
    after.put("note", PLACEHOLDER);

    ChangeEvent completed = values.completed(update(after), framed(before), NOT_KNOWN);

    assertThat(Messages.decode(completed.value(), ORDER).get("note")).hasToString("kept");
  }

  @Test
  void takesArraysOfElementsThatOnlyHaveAnotherName() throws MalformedEventException {
    GenericRecord before =
        new GenericData.Record(
            record(
                """
                {"name": "tags", "type": {"type": "array", "items": {
                  "type": "string", "connect.name": "io.debezium.data.Xml"}}}"""));
    before.put("tags", List.of("x", "y"));
    GenericRecord after = whole();
    after.put("tags", List.of(PLACEHOLDER));

    ChangeEvent completed = values.completed(update(after), framed(before), NOT_KNOWN);

    assertThat(Messages.decode(completed.value(), ORDER).get("tags")).hasToString("[x, y]");
  }

  /** The bytes would be another number. */
  @Test
  void takesNoDecimalOfAnotherScale() {
    String price =
        """
        {"name": "price", "type": {
          "type": "bytes", "logicalType": "decimal", "precision": 60, "scale": %d}}""";
    byte[] bytes = PLACEHOLDER.getBytes(StandardCharsets.UTF_8);
    GenericRecord before = new GenericData.Record(record(price.formatted(2)));
    before.put("price", ByteBuffer.wrap(new byte[] {1}));
    GenericRecord after = new GenericData.Record(record(price.formatted(3)));
    after.put("price", ByteBuffer.wrap(bytes));

    assertThatThrownBy(() -> values.completed(update(after), framed(before), NOT_KNOWN))
        .isInstanceOf(MalformedEventException.class)
        .hasMessageContainingAll("left out \"price\"", "another type");
  }

  @Test
  void namesAFieldThatNobodyKnows() {
    GenericRecord after = whole();
    after.put("note", PLACEHOLDER);
    Schema withoutNote = record("{\"name\": \"id\", \"type\": \"long\"}");
    GenericRecord little = new GenericData.Record(withoutNote);
    little.put("id", 7L);
    Schema ofBytes = record("{\"name\": \"note\", \"type\": [\"null\", \"bytes\"]}");
    GenericRecord other = new GenericData.Record(ofBytes);
    FramedValue cut = framed(whole());

    assertThatThrownBy(() -> values.completed(update(after), null, NOT_KNOWN))
        .isInstanceOf(MalformedEventException.class)
        .hasMessageContainingAll("left out \"note\"", NOT_KNOWN)
        .hasMessageNotContaining("REPLICA IDENTITY");
    assertUnknown(after, framed(little), "had no such column");
    assertUnknown(after, framed(other), "another type");
    assertUnknown(after, framed(after), "left out before, too");
    assertUnknown(
        after,
        new FramedValue(cut.schemaId(), cut.buffer(), cut.offset(), cut.length() - 1),
        "the record before cannot be read");
    Schema needed = record("{\"name\": \"note\", \"type\": \"string\"}");
    GenericRecord mustHave = new GenericData.Record(needed);
    mustHave.put("note", PLACEHOLDER);
    GenericRecord none = whole();
    none.put("note", null);
    assertUnknown(mustHave, framed(none), "does not fit the column's type now");
  }

  /** What it refuses is an answer: to ask again would be to ask for ever. */
  @Test
  void namesAFieldIfTheRegistryHasLostTheSchemaBefore() {
    GenericRecord after = whole();
    after.put("note", PLACEHOLDER);
    FramedValue known = framed(whole());

    assertUnknown(
        after,
        new FramedValue(99, known.buffer(), known.offset(), known.length()),
        "the registry does not know the schema");
  }

  /** It says nothing about the event, which is to be completed when the registry is back. */
  @Test
  void passesOnThatTheRegistryIsAway() {
    GenericRecord after = whole();
    after.put("note", PLACEHOLDER);
    ChangeEvent event = update(after);
    FramedValue known = framed(whole());
    FramedValue before = new FramedValue(AWAY, known.buffer(), known.offset(), known.length());

    SchemaRegistry without =
        new ForwardingRegistry(registry) {
          @Override
          public Schema byId(int id) {
            return id == AWAY ? FailingRegistry.away().byId(id) : super.byId(id);
          }
        };

    assertThatThrownBy(
            () ->
                new UnavailableValues(without, RecordFormat.FLAT)
                    .completed(event, before, NOT_KNOWN))
        .isInstanceOf(RegistryException.Unavailable.class);
  }

  private void assertUnknown(GenericRecord after, FramedValue before, String why) {
    assertThatThrownBy(() -> values.completed(update(after), before, NOT_KNOWN))
        .isInstanceOf(MalformedEventException.class)
        .hasMessageContainingAll("left out \"note\"", why, "REPLICA IDENTITY FULL");
  }

  @Test
  void leavesBytesThatAreNoRecordToWhoeverDecodesThem() throws MalformedEventException {
    FramedValue whole = framed(withPlaceholders());
    ChangeEvent cut =
        new ChangeEvent(
            Op.READ,
            1,
            Origin.Unordered.INSTANCE,
            new FramedValue(whole.schemaId(), whole.buffer(), whole.offset(), whole.length() - 1));

    assertThat(values.completed(cut, framed(whole()), NOT_KNOWN)).isSameAs(cut);
  }
}
