package io.indexview.schemas.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.change.FramedValue.ValueSchemas;
import io.indexview.schemas.fixtures.FailingRegistry;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.WireFormat;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChangeEventReaderTest {
  private static final SourceVersion VERSION = new SourceVersion("1-rg1", new byte[] {0, 7});

  private final SchemaRegistry registry = new InMemorySchemaRegistry();
  private final EnvelopeWriter writer =
      new EnvelopeWriter(
          Messages.PERSON, new EnvelopeWriter.SourceInfo("kvstore", "people-source", "0.1.0"));
  private final int envelopeId = registry.register("people-value", writer.schema());
  private final ChangeEventReader reader = new ChangeEventReader(registry, RecordFormat.ENVELOPE);

  static Stream<Origin> origins() {
    return Stream.of(
        Origin.Unordered.INSTANCE,
        new Origin.Versioned(VERSION),
        new Origin.SnapshotRead("1-rg1", new byte[] {9}, Origin.Base.ABSENT, false),
        new Origin.SnapshotRead("1-rg1", new byte[] {9}, Origin.Base.of(VERSION, false), false),
        new Origin.SnapshotRead("1-rg1", new byte[] {9}, Origin.Base.of(VERSION, true), true),
        new Origin.SnapshotRead("s3", null, Origin.Base.of(null, true), false));
  }

  @ParameterizedTest
  @MethodSource("origins")
  void readsWhatTheWriterWrote(Origin origin) throws MalformedEventException {
    GenericRecord ann = Messages.person("Ann", 41);
    byte[] message = Messages.frame(envelopeId, writer.write(Op.UPDATE, 5_000, 4_000, origin, ann));

    ChangeEvent event = reader.read(message, 6_000).orElseThrow();

    assertThat(event.op()).isEqualTo(Op.UPDATE);
    assertThat(event.timestampMs()).isEqualTo(6_000);
    assertThat(event.origin()).isEqualTo(origin);
    assertThat(event.value().buffer()).isSameAs(message);
    assertThat(event.value().schemaId()).isEqualTo(envelopeId);
    assertThat(decode(event.value(), RecordFormat.ENVELOPE)).isEqualTo(ann);
  }

  @ParameterizedTest
  @MethodSource("origins")
  void readsDeletes(Origin origin) throws MalformedEventException {
    byte[] message = Messages.frame(envelopeId, writer.write(Op.DELETE, 5_000, 0, origin, null));

    assertThat(reader.read(message, 6_000))
        .contains(new ChangeEvent(Op.DELETE, 6_000, origin, null));
  }

  @Test
  void refusesARecordThatIsNestedTooDeeply() throws MalformedEventException {
    Schema node =
        new Schema.Parser()
            .parse(
                """
                {"type": "record", "name": "Node", "fields": [
                  {"name": "name", "type": "string"}, {"name": "next", "type": ["null", "Node"]}]}
                """);
    EnvelopeWriter nodes =
        new EnvelopeWriter(node, new EnvelopeWriter.SourceInfo("kvstore", "nodes", "0.1.0"));
    int id = registry.register("nodes-value", nodes.schema());
    GenericRecord last = new GenericData.Record(node);
    last.put("name", "last-node");
    byte[] flat =
        Messages.frame(id, nodes.write(Op.CREATE, 1, 0, new Origin.Versioned(VERSION), last));
    String text = new String(flat, StandardCharsets.ISO_8859_1);
    String name = "\u0012last-node";
    String deep = text.replace(name, (name + "\u0002").repeat(100_000) + name);

    assertThatThrownBy(() -> reader.read(deep.getBytes(StandardCharsets.ISO_8859_1), 1))
        .isInstanceOf(MalformedEventException.class)
        .hasMessageContaining("nested too deeply");
    assertThat(reader.read(flat, 1)).isPresent();
  }

  @Test
  void readsManyMessagesOfSeveralSchemas() throws MalformedEventException {
    int debeziumId = registry.register("orders-value", Messages.DEBEZIUM);
    for (int i = 0; i < 50; i++) {
      GenericRecord person = Messages.person("p" + i, i);
      byte[] ours =
          Messages.frame(
              envelopeId, writer.write(Op.CREATE, 1, 0, new Origin.Versioned(VERSION), person));
      byte[] foreign = Messages.frame(debeziumId, Messages.debezium("u", person, person));

      for (byte[] message : List.of(ours, foreign)) {
        FramedValue value = reader.read(message, 1).orElseThrow().value();
        assertThat(decode(value, RecordFormat.ENVELOPE).get("name")).hasToString("p" + i);
      }
    }
  }

  @Test
  void readsDebeziumsOwnEnvelopeAsUnordered() throws MalformedEventException {
    int id = registry.register("orders-value", Messages.DEBEZIUM);
    GenericRecord old = Messages.person("Bob", 1);
    GenericRecord now = Messages.person("Bobby", 2);

    ChangeEvent update = reader.read(Messages.frame(id, Messages.debezium("u", old, now)), 9).get();
    ChangeEvent delete =
        reader.read(Messages.frame(id, Messages.debezium("d", old, null)), 9).get();

    assertThat(update.origin()).isEqualTo(Origin.Unordered.INSTANCE);
    assertThat(decode(update.value(), RecordFormat.ENVELOPE).get("name")).hasToString("Bobby");
    assertThat(delete).isEqualTo(new ChangeEvent(Op.DELETE, 9, Origin.Unordered.INSTANCE, null));
  }

  @Test
  void takesATombstoneForADeletionWhereItIsSaidToBeOne() throws MalformedEventException {
    assertThat(reader.read(null, 1)).isEmpty();
    assertThat(new ChangeEventReader(registry, RecordFormat.ENVELOPE, true).read(null, 1))
        .contains(new ChangeEvent(Op.DELETE, 1, Origin.Unordered.INSTANCE, null));
  }

  @ParameterizedTest
  @ValueSource(strings = {"t", "m", "x", ""})
  void namesTheOpWhenItIsNoChangeOfARecord(String op) {
    int id = registry.register("orders-value", Messages.DEBEZIUM);

    assertMalformed(Messages.frame(id, Messages.debezium(op, null, null)), "op \"" + op + "\"");
  }

  @Test
  void leavesKeysAsTheyAre() {
    byte[] key = {1, 2};

    assertThat(reader.key(key)).isSameAs(key);
    assertThat(reader.encoding()).isEqualTo("avro");
  }

  @Test
  void refusesAnUpdateWithoutAfter() {
    int id = registry.register("orders-value", Messages.DEBEZIUM);

    assertMalformed(
        Messages.frame(id, Messages.debezium("u", null, null)), "op \"u\" with \"after\" null");
  }

  @Test
  void refusesAChangeEventWithoutASequence() {
    GenericRecord event =
        writer.write(Op.UPDATE, 1, 0, new Origin.Versioned(VERSION), Messages.person("Ann", 1));
    ((GenericRecord) ((GenericRecord) event.get("source")).get("order")).put("sequence", null);

    assertMalformed(Messages.frame(envelopeId, event), "source.order.sequence is null");
  }

  @Test
  void refusesASchemaThatIsNoEnvelope() {
    int id = registry.register("flat-value", Messages.PERSON);

    assertMalformed(
        Messages.frame(id, Messages.person("Ann", 1)),
        "schema id " + id,
        "\"op\"",
        "\"after\"",
        "flat");
  }

  @Test
  void refusesBytesThatAreNotFramedOrCutOrTooLong() {
    byte[] whole =
        Messages.frame(
            envelopeId,
            writer.write(Op.UPDATE, 1, 0, Origin.Unordered.INSTANCE, Messages.person("Ann", 1)));

    assertMalformed("{\"op\":\"c\"}".getBytes(StandardCharsets.UTF_8), "0x7b");
    assertMalformed(new byte[] {0, 0}, "too few");
    assertMalformed(Arrays.copyOf(whole, whole.length + 1), "not what schema " + envelopeId);
    for (int length = WireFormat.HEADER_LENGTH; length < whole.length; length++) {
      assertMalformed(Arrays.copyOf(whole, length), "not what schema " + envelopeId);
    }
  }

  @Test
  void refusesAnIdThatTheRegistryDoesNotKnow() {
    assertMalformed(WireFormat.frame(77, new byte[] {1}), "no schema of id 77");
    assertThatThrownBy(
            () ->
                new ChangeEventReader(registry, RecordFormat.FLAT)
                    .read(WireFormat.frame(77, new byte[] {1}), 1))
        .isInstanceOf(MalformedEventException.class)
        .hasMessageContaining("no schema of id 77");
  }

  @ParameterizedTest
  @MethodSource("formats")
  void passesOnThatTheRegistryIsUnavailable(RecordFormat format) {
    RegistryException.Unavailable down = new RegistryException.Unavailable("down", null);
    assertThatThrownBy(
            () ->
                new ChangeEventReader(FailingRegistry.with(down), format)
                    .read(WireFormat.frame(1, new byte[] {1}), 1))
        .isSameAs(down);
  }

  @ParameterizedTest
  @MethodSource("formats")
  void refusesAnIdWhoseSchemaCannotBeUsed(RecordFormat format) {
    RegistryException.Rejected rejected =
        new RegistryException.Rejected("its type is PROTOBUF", null);

    assertThatThrownBy(
            () ->
                new ChangeEventReader(FailingRegistry.with(rejected), format)
                    .read(WireFormat.frame(77, new byte[] {1}), 1))
        .isInstanceOf(MalformedEventException.class)
        .hasMessage("value: schema id 77: its type is PROTOBUF")
        .hasCause(rejected);
  }

  static Stream<RecordFormat> formats() {
    return Stream.of(RecordFormat.values());
  }

  @Test
  void readsFlatValues() throws MalformedEventException {
    int id = registry.register("flat-value", Messages.PERSON);
    GenericRecord ann = Messages.person("Ann", 41);
    ChangeEventReader flat = new ChangeEventReader(registry, RecordFormat.FLAT);

    ChangeEvent event = flat.read(Messages.frame(id, ann), 3).orElseThrow();

    assertThat(event.op()).isEqualTo(Op.READ);
    assertThat(event.origin()).isEqualTo(Origin.Unordered.INSTANCE);
    assertThat(decode(event.value(), RecordFormat.FLAT)).isEqualTo(ann);
    assertThat(flat.read(null, 3))
        .contains(new ChangeEvent(Op.DELETE, 3, Origin.Unordered.INSTANCE, null));
  }

  /** Its rows would stay for ever. */
  @ParameterizedTest
  @ValueSource(strings = {"[\"null\", \"string\"]", "\"string\"", "\"boolean\""})
  void takesARewrittenDeletionForADeletion(String type) throws MalformedEventException {
    Schema schema =
        new Schema.Parser()
            .parse(
                """
                {"type": "record", "name": "Row", "fields": [
                  {"name": "tags", "type": {"type": "array", "items": "string"}},
                  {"name": "__deleted", "type": %s}, {"name": "note", "type": "string"}]}
                """
                    .formatted(type));
    int id = registry.register("rows-value", schema);
    ChangeEventReader flat = new ChangeEventReader(registry, RecordFormat.FLAT);

    for (boolean deleted : new boolean[] {true, false}) {
      GenericRecord row = new GenericData.Record(schema);
      row.put("tags", List.of("a", "b"));
      row.put("__deleted", type.contains("boolean") ? (Object) deleted : String.valueOf(deleted));
      row.put("note", "true");
      byte[] message = Messages.frame(id, row);

      assertThat(flat.read(message, 3).orElseThrow().op()).isEqualTo(deleted ? Op.DELETE : Op.READ);
      assertThat(flat.read(Arrays.copyOf(message, WireFormat.HEADER_LENGTH + 3), 3))
          .hasValueSatisfying(event -> assertThat(event.op()).isEqualTo(Op.READ));
    }
  }

  @Test
  void takesAForeignOrderFieldForNoOrder() throws MalformedEventException {
    Schema source = SchemaBuilder.record("Src").fields().requiredString("order").endRecord();
    Schema schema =
        SchemaBuilder.record("E")
            .fields()
            .name("after")
            .type(Messages.PERSON)
            .noDefault()
            .name("source")
            .type(source)
            .noDefault()
            .requiredString("op")
            .endRecord();
    GenericRecord event = new GenericData.Record(schema);
    GenericRecord block = new GenericData.Record(source);
    block.put("order", "17/3");
    event.put("op", "c");
    event.put("source", block);
    event.put("after", Messages.person("Ann", 1));
    int id = registry.register("foreign-value", schema);

    assertThat(reader.read(Messages.frame(id, event), 1).orElseThrow().origin())
        .isEqualTo(Origin.Unordered.INSTANCE);
  }

  private void assertMalformed(byte[] message, String... parts) {
    assertThatThrownBy(() -> reader.read(message, 1))
        .isInstanceOf(MalformedEventException.class)
        .hasMessageContainingAll(parts);
  }

  private GenericRecord decode(FramedValue value, RecordFormat format) {
    return Messages.decode(
        value, new ValueSchemas(registry).writerSchema(value.schemaId(), format));
  }
}
