package io.indexview.schemas.change.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.EnvelopeSchemas;
import io.indexview.schemas.change.MalformedEventException;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.SchemaRegistry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonEventReaderTest {
  private static final String TOPIC = "shop.public.orders";
  private static final long TIME = 5;
  private static final Schema ORDER =
      new Schema.Parser()
          .parse(
              """
              {"type": "record", "name": "Order", "namespace": "shop", "fields": [
                {"name": "id", "type": "long"},
                {"name": "customer", "type": "string"},
                {"name": "ordered", "type": ["null", {"type": "int", "logicalType": "date"}], "default": null},
                {"name": "total", "type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}]},
                {"name": "pieces", "type": "int", "default": 1},
                {"name": "ratio", "type": ["null", "double"]},
                {"name": "state", "type": ["null", {"type": "enum", "name": "State", "symbols": ["NEW", "PAID"]}]},
                {"name": "digest", "type": ["null", {"type": "fixed", "name": "Digest", "size": 2}]},
                {"name": "lines", "type": ["null", {"type": "array", "items": {"type": "record", "name": "Line", "fields": [
                  {"name": "pieces", "type": "int"}]}}]}
              ]}
              """);

  private final SchemaRegistry registry = new InMemorySchemaRegistry();

  private JsonEventReader reader() {
    return new JsonEventReader(registry, TOPIC, RecordFormat.ENVELOPE, Optional.empty());
  }

  private JsonEventReader ofOrders() {
    return new JsonEventReader(registry, TOPIC, RecordFormat.ENVELOPE, Optional.of(ORDER));
  }

  private GenericRecord decode(ChangeEvent event) throws IOException {
    Schema schema = EnvelopeSchemas.writerSchema(registry.byId(event.value().schemaId()));
    return new GenericDatumReader<GenericRecord>(schema)
        .read(
            null,
            DecoderFactory.get()
                .binaryDecoder(
                    event.value().buffer(), event.value().offset(), event.value().length(), null));
  }

  @Test
  void readsARowByTheSchemaBesideIt() throws Exception {
    ChangeEvent event =
        reader()
            .read(ConnectMessages.withSchema("u", "null", ConnectMessages.ROW), TIME)
            .orElseThrow();

    assertThat(event.op()).isEqualTo(Op.UPDATE);
    assertThat(event.timestampMs()).isEqualTo(TIME);
    assertThat(event.origin()).isEqualTo(Origin.Unordered.INSTANCE);
    GenericRecord row = decode(event);
    assertThat(row.get("id")).isEqualTo(17L);
    assertThat(row.get("customer")).hasToString("Ann");
    assertThat(row.get("ordered")).isEqualTo(20_455);
    assertThat(row.get("placed")).isEqualTo(1_767_268_800_123_456L);
    assertThat(row.get("total")).isEqualTo(ByteBuffer.wrap(new byte[] {0, (byte) 200}));
    assertThat(((GenericRecord) row.get("weight")).get("scale")).isEqualTo(1);
    assertThat(row.get("tare")).isNull();
    assertThat(row.get("ratio")).isEqualTo(0.1);
    assertThat(row.get("paid")).isEqualTo(true);
    assertThat(row.get("tags")).hasToString("[a, null]");
    assertThat(row.get("attributes")).hasToString("{k=v}");
    assertThat(row.get("priority")).isEqualTo(5);
  }

  @Test
  void registersTheRecordWithTypesThatViewsKnow() throws Exception {
    reader().read(ConnectMessages.withSchema("c", "null", ConnectMessages.ROW), TIME);

    Schema row =
        EnvelopeSchemas.writerSchema(registry.latest(TOPIC + "-value").orElseThrow().schema());
    assertThat(row.getFullName()).isEqualTo("shop.public.orders.Value");
    assertThat(type(row, "ordered").getLogicalType()).isEqualTo(LogicalTypes.date());
    assertThat(type(row, "placed").getLogicalType()).isEqualTo(LogicalTypes.timestampMicros());
    assertThat(type(row, "total").getLogicalType()).isEqualTo(LogicalTypes.decimal(10, 2));
    assertThat(type(row, "weight").getFullName())
        .isEqualTo("io.debezium.data.VariableScaleDecimal");
    assertThat(type(row, "tare")).isSameAs(type(row, "weight"));
    assertThat(row.getField("priority").defaultVal()).isEqualTo(3);
  }

  private static Schema type(Schema record, String field) {
    return record.getField(field).schema().getTypes().get(1);
  }

  /** Jackson says so by a NumberFormatException that quotes it. */
  @Test
  void refusesANumberWithTooLargeAnExponent() {
    byte[] row = "{\"id\": 1e99999999999}".getBytes(StandardCharsets.UTF_8);
    byte[] envelope =
        "{\"op\": \"c\", \"after\": {\"id\": 1e99999999999}}".getBytes(StandardCharsets.UTF_8);
    JsonEventReader flat =
        new JsonEventReader(registry, TOPIC, RecordFormat.FLAT, Optional.of(ORDER));

    for (ThrowingCallable reading :
        List.<ThrowingCallable>of(
            () -> ofOrders().read(envelope, TIME),
            () -> flat.read(row, TIME),
            () -> flat.key(row))) {
      assertThatThrownBy(reading)
          .isInstanceOf(MalformedEventException.class)
          .hasMessageContaining("too large an exponent")
          .hasMessageContaining("converter")
          .hasMessageNotContaining("1e9");
    }
    assertThatThrownBy(() -> flat.read(row, TIME)).hasMessageStartingWith("value: ");
    assertThatThrownBy(() -> flat.key(row)).hasMessageStartingWith("key: ");
  }

  @Test
  void readsMessagesWithSchemaAndWithoutInTurns() throws Exception {
    JsonEventReader reader = ofOrders();
    for (int i = 0; i < 3; i++) {
      GenericRecord row =
          decode(
              reader
                  .read(ConnectMessages.withSchema("c", "null", ConnectMessages.ROW), TIME)
                  .orElseThrow());
      assertThat(row.getSchema().getName()).isEqualTo("Value");

      row = decode(reader.read(ConnectMessages.plain("u", "null", order("")), TIME).orElseThrow());
      assertThat(row.getSchema().getName()).isEqualTo("Order");
      assertThat(row.get("pieces")).isEqualTo(1);
      assertThat(row.get("ordered")).isNull();
    }
  }

  @Test
  void takesANewSchemaInMidStream() throws Exception {
    JsonEventReader reader = reader();
    reader.read(ConnectMessages.withSchema("c", "null", ConnectMessages.ROW), TIME);
    String columns =
        "{\"type\":\"int64\",\"optional\":false,\"field\":\"id\"},{\"type\":\"string\",\"optional\":true,\"field\":\"added\"}";

    ChangeEvent event =
        reader
            .read(
                ConnectMessages.withSchema(
                    columns,
                    ConnectMessages.payload("u", "false", "null", "{\"id\":17,\"added\":\"x\"}")),
                TIME)
            .orElseThrow();

    assertThat(decode(event).get("added")).hasToString("x");
  }

  @Test
  void saysWhenTheRegistryRefusesASchema() throws Exception {
    JsonEventReader reader = reader();
    reader.read(ConnectMessages.withSchema("c", "null", ConnectMessages.ROW), TIME);

    assertThatThrownBy(
            () ->
                reader.read(
                    ConnectMessages.withSchema(
                        "{\"type\":\"string\",\"optional\":false,\"field\":\"id\"}",
                        ConnectMessages.payload("u", "false", "null", "{\"id\":\"17\"}")),
                    TIME))
        .isInstanceOf(MalformedEventException.class)
        .hasMessageContaining("subject " + TOPIC + "-value")
        .hasMessageContaining("change the subject's compatibility");
  }

  @Test
  void takesADeletionWithASchemaThatTheRegistryRefuses() throws Exception {
    JsonEventReader reader = reader();
    reader.read(ConnectMessages.withSchema("c", "null", ConnectMessages.ROW), TIME);

    Optional<ChangeEvent> event =
        reader.read(
            ConnectMessages.withSchema(
                "{\"type\":\"string\",\"optional\":false,\"field\":\"id\"}",
                ConnectMessages.payload("d", "false", "{\"id\":\"17\"}", "null")),
            TIME);

    assertThat(event).map(ChangeEvent::op).contains(Op.DELETE);
  }

  /** An order, with some members in place of others. */
  private static String order(String members) {
    return "{\"id\":17,\"customer\":\"Ann\"%s}".formatted(members);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "total":"AMg="        | total  | 2.00
          "total":2.0           | total  | 2.00
          "total":-3            | total  | -3.00
          """)
  void readsDecimalsInEveryForm(String member, String field, String expected) throws Exception {
    GenericRecord row =
        decode(
            ofOrders()
                .read(ConnectMessages.plain("c", "null", order("," + member)), TIME)
                .orElseThrow());

    ByteBuffer digits = (ByteBuffer) row.get(field);
    assertThat(new java.math.BigDecimal(new java.math.BigInteger(digits.array()), 2))
        .hasToString(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"NaN", "Infinity", "-Infinity"})
  void readsWhatIsNoNumberAsJsonConverterWritesIt(String text) throws Exception {
    GenericRecord row =
        decode(
            ofOrders()
                .read(
                    ConnectMessages.plain("c", "null", order(",\"ratio\":\"" + text + "\"")), TIME)
                .orElseThrow());

    assertThat(row.get("ratio")).isEqualTo(Double.valueOf(text));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "pieces":2147483648       | field "pieces" is out of the range of int
          "pieces":1.5              | field "pieces" is a number with a fraction; it must be a whole number
          "pieces":"1"              | field "pieces" is a text; it must be a whole number
          "pieces":null             | field "pieces" is null; it must be a whole number
          "ratio":1e400             | field "ratio" is out of the range
          "ratio":"0.5"             | field "ratio" is a text; it must be a number
          "total":"2.00"            | field "total" is no number and no base64 of a decimal's digits; with decimal.handling.mode=string
          "total":2.001             | field "total" has more than 2 digits behind the point
          "total":123456789.00      | field "total" is out of the range of its type, a decimal of 10 digits
          "total":1e999999999       | field "total" is out of the range of its type
          "total":1e-999999999      | field "total" has more than 2 digits behind the point
          "state":"LOST"            | field "state" is a text; it must be one of NEW, PAID
          "digest":"AAAA"           | field "digest" must have 2 bytes
          "digest":"?"              | field "digest" is no base64
          "lines":[{"pieces":1},{}] | field "lines[1].pieces" is missing
          "customer":7              | field "customer" is a whole number; it must be a text
          """)
  void namesWhatDoesNotFit(String member, String message) {
    byte[] value =
        ConnectMessages.plain(
            "c",
            "null",
            order("," + member).replace("\"customer\":\"Ann\",\"customer\"", "\"customer\""));

    assertThatThrownBy(() -> ofOrders().read(value, TIME))
        .isInstanceOf(MalformedEventException.class)
        .hasMessageContaining(message);
  }

  @Test
  void namesEverythingThatDoesNotFitAtOnce() {
    assertThatThrownBy(
            () ->
                ofOrders()
                    .read(
                        ConnectMessages.plain(
                            "c", "null", "{\"customer\":7,\"pieces\":true,\"extra\":1}"),
                        TIME))
        .hasMessageContaining("field \"id\" is missing")
        .hasMessageContaining("field \"customer\" is a whole number")
        .hasMessageContaining("field \"pieces\" is true or false");
  }

  @Test
  void needsASchemaFromSomewhere() throws Exception {
    JsonEventReader reader = reader();

    assertThatThrownBy(() -> reader.read(ConnectMessages.plain("c", "null", order("")), TIME))
        .hasMessageContaining("set schema.file of the record set")
        .hasMessageContaining("value.converter.schemas.enable=true");
    // A deletion needs none.
    assertThat(reader.read(ConnectMessages.plain("d", order(""), "null"), TIME))
        .hasValueSatisfying(event -> assertThat(event.op()).isEqualTo(Op.DELETE));
  }

  @Test
  void registersTheSchemaOfAValueThatNobodyReads() throws Exception {
    reader().register(ConnectMessages.withSchema("c", "null", ConnectMessages.ROW));
    assertThat(registry.latest(TOPIC + "-value")).isPresent();

    ofOrders().register(ConnectMessages.plain("c", "null", order("")));
    assertThat(registry.latest(TOPIC + "-" + EnvelopeSchemas.fullName(ORDER))).isPresent();

    byte[] plain = ConnectMessages.plain("c", "null", order(""));
    assertThatThrownBy(() -> reader().register(plain))
        .isInstanceOf(MalformedEventException.class)
        .hasMessageContaining("set schema.file of the record set");
  }

  @Test
  void saysWhyDocumentsAreNoRecords() {
    byte[] document =
        ConnectMessages.utf8(
            """
            {"schema":{"type":"struct","name":"Envelope","fields":[
               {"type":"struct","fields":[],"optional":true,"field":"source"},
               {"type":"string","optional":true,"field":"after"},
               {"type":"string","field":"op"}]},
             "payload":{"source":{},"after":"{}","op":"c"}}
            """);

    assertThatThrownBy(() -> reader().read(document, TIME))
        .isInstanceOf(MalformedEventException.class)
        .hasMessageContaining("as of Debezium's connector for MongoDB");
  }

  @Test
  void readsKeys() throws Exception {
    assertThat(reader().key(null)).isNull();
    assertThat(reader().key(ConnectMessages.utf8("{\"id\":17}")))
        .isEqualTo(ConnectMessages.utf8("17"));
    assertThat(reader().encoding()).isEqualTo("json");
  }

  @Test
  void takesTombstonesForDeletions() throws Exception {
    ChangeEvent deletion = new ChangeEvent(Op.DELETE, TIME, Origin.Unordered.INSTANCE, null);

    assertThat(reader().read(null, TIME)).contains(deletion);
    assertThat(reader().read(ConnectMessages.utf8("{\"schema\":null,\"payload\":null}"), TIME))
        .contains(deletion);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"op":"t","source":{"table":"orders"},"ts_ms":1}                                | a truncate names no record
          {"op":"m","source":{"table":""},"message":{"prefix":"p","content":"AA=="}}      | a logical decoding message is no change
          {"op":"x","after":null}                                                         | op "x" is none of c, u, d, r
          {"op":"c","after":null}                                                         | "after" null: only a delete
          {"op":"u","after":null,"updateDescription":{"updatedFields":"{}"}}              | ExtractNewDocumentState
          {"ts_ms":1767268800000}                                                         | it is a heartbeat of Debezium
          {"status":"BEGIN","id":"571:53195829","event_count":null,"data_collections":null,"ts_ms":1} | it is transaction metadata
          {"source":{},"databaseName":"inventory","ddl":"CREATE TABLE t (id int)","tableChanges":[]}  | it is a schema change of Debezium
          {"id":17,"customer":"Ann"}                                                      | is this a flat topic (format=flat)?
          [1,2]                                                                           | the JSON is no object
          {"op":"c",                                                                      | no JSON; with encoding=json
          {"op":"c","after":{}} {}                                                        | no JSON; with encoding=json
          """)
  void saysWhatAValueIsThatIsNoChange(String value, String message) {
    assertThatThrownBy(() -> ofOrders().read(ConnectMessages.utf8(value), TIME))
        .isInstanceOf(MalformedEventException.class)
        .hasMessageContaining(message);
  }

  @Test
  void saysThatAvroIsNoJson() {
    assertThatThrownBy(() -> reader().read(new byte[] {0, 0, 0, 0, 7, 2}, TIME))
        .hasMessageContaining("perhaps Avro");
  }

  @Test
  void refusesAColumnThatNoViewCanName() {
    byte[] value =
        ConnectMessages.withSchema(
            "{\"type\":\"int64\",\"optional\":false,\"field\":\"order-id\"}",
            ConnectMessages.payload("c", "false", "null", "{\"order-id\":17}"));

    assertThatThrownBy(() -> reader().read(value, TIME))
        .hasMessageContaining("field \"order-id\"")
        .hasMessageContaining("field.name.adjustment.mode=avro");
  }

  @Test
  void readsFlatValues() throws Exception {
    JsonEventReader flat =
        new JsonEventReader(registry, TOPIC, RecordFormat.FLAT, Optional.of(ORDER));

    ChangeEvent event = flat.read(ConnectMessages.utf8(order("")), TIME).orElseThrow();

    assertThat(event.op()).isEqualTo(Op.READ);
    assertThat(registry.byId(event.value().schemaId())).isEqualTo(ORDER);
    assertThat(flat.read(null, TIME).orElseThrow().op()).isEqualTo(Op.DELETE);
  }

  @ParameterizedTest
  @CsvSource({"'\"true\"', DELETE", "true, DELETE", "'\"false\"', READ", "false, READ"})
  void takesARewrittenDeletionForADeletion(String deleted, Op op) throws Exception {
    JsonEventReader flat =
        new JsonEventReader(registry, TOPIC, RecordFormat.FLAT, Optional.of(ORDER));
    byte[] row = ConnectMessages.utf8(order(",\"__deleted\":" + deleted));

    assertThat(flat.read(row, TIME).orElseThrow().op()).isEqualTo(op);
  }

  @ParameterizedTest
  @CsvSource({
    "first, first",
    "last_in_data_collection, last_in_data_collection",
    "incremental, incremental"
  })
  void tellsWhichPartOfASnapshotAnEventIs(String snapshot, String expected) {
    String payload = ConnectMessages.payload("r", snapshot, "null", ConnectMessages.ROW);

    assertThat(JsonEventReader.snapshot(ConnectMessages.utf8(payload))).contains(expected);
    assertThat(
            JsonEventReader.snapshot(ConnectMessages.withSchema(ConnectMessages.COLUMNS, payload)))
        .contains(expected);
  }

  /** A view would be READY too early if an event within a snapshot were taken for another. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'op':'r','after':{'id':1e99999999999},'source':{'snapshot':'true'}}",
        "{'source':{'id':1e99999999999,'snapshot':true},'op':'r','after':{'id':1}}",
        "{'source':{'of':{'snapshot':'last'},'snapshot':'true'},'op':'r','after':{'id':1}}"
      })
  void tellsOfASnapshotWhateverElseTheEventHolds(String envelope) {
    assertThat(JsonEventReader.snapshot(ConnectMessages.utf8(envelope.replace('\'', '"'))))
        .hasValue("true");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "{'id':1}",
        "{'source':'true'}",
        "{'source':{'of':{'snapshot':'true'}}}",
        "{'source':{'snapshot':null}}",
        "\0\1"
      })
  void tellsOfNoSnapshotWhereThereIsNone(String value) {
    assertThat(JsonEventReader.snapshot(ConnectMessages.utf8(value.replace('\'', '"')))).isEmpty();
  }

  @Test
  void refusesASchemaOfWhichJsonDoesNotTellTheType() {
    Schema union =
        new Schema.Parser()
            .parse(
                """
                {"type": "record", "name": "R", "fields": [
                  {"name": "a", "type": {"type": "array", "items": ["int", "string"]}}]}
                """);

    assertThat(JsonEventReader.problem(union))
        .hasValueSatisfying(
            problem -> assertThat(problem).contains("field \"a\"", "JSON does not say which"));
    assertThat(JsonEventReader.problem(ORDER)).isEmpty();
  }
}
