package io.indexview.connect.common.avro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.ChangeEventReader;
import io.indexview.schemas.change.EventReader;
import io.indexview.schemas.change.FramedValue.ValueSchemas;
import io.indexview.schemas.change.MalformedEventException;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.PrimaryKeys;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.change.json.JsonEventReader;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.RegistryConfig;
import io.indexview.schemas.registry.SchemaRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.json.JsonConverter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Events in the forms that Debezium's documentation gives of its connectors mean the same whichever
 * converter wrote them: Avro, JSON with schemas, JSON without.
 */
class DebeziumEnvelopesTest {
  private static final String TOPIC = "server.db.t";
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final String CUSTOMERS =
      """
      {"type":"int32","optional":false,"field":"id"},{"type":"string","optional":false,"field":"first_name"},
      {"type":"string","optional":false,"field":"email"}""";
  private static final String ANNE =
      """
      {"id":1004,"first_name":"Anne","email":"annek@noanswer.org"}""";
  private static final String ANNE_MARIE =
      """
      {"id":1004,"first_name":"Anne Marie","email":"annek@noanswer.org"}""";
  private static final String ID =
      """
      {"type":"int32","optional":false,"field":"id"}""";

  private static final String POSTGRESQL =
      """
      {"version":"3.6.0.Final","connector":"postgresql","name":"server","ts_ms":1767268800000,"snapshot":"%s","db":"postgres",
       "sequence":"[\\"24023119\\",\\"24023128\\"]","schema":"public","table":"customers","txId":555,"lsn":24023128,"xmin":null}""";
  private static final String MYSQL =
      """
      {"version":"3.6.0.Final","connector":"mysql","name":"server","ts_ms":1767268800000,"snapshot":"%s","db":"inventory",
       "sequence":null,"table":"customers","server_id":223344,"gtid":null,"file":"mysql-bin.000003","pos":484,"row":0,"thread":7,"query":null}""";

  /**
   * An event.
   *
   * @param columns the fields of the table, as Connect's schema in JSON
   * @param keyColumns of the key
   * @param source with a place for {@code snapshot}
   * @param text the key as text
   * @param record null: there is none
   */
  private record Sample(
      String name,
      String columns,
      String keyColumns,
      String key,
      String source,
      String snapshot,
      String op,
      String before,
      String after,
      String text,
      String record) {
    static Sample of(String source, String snapshot, String op, String before, String after) {
      return new Sample(
          source.contains("mysql") ? "mysql" : "postgresql",
          CUSTOMERS,
          ID,
          "{\"id\":1004}",
          source,
          snapshot,
          op,
          before,
          after,
          "1004",
          after.equals("null") ? null : after);
    }

    @Override
    public String toString() {
      return "%s %s %s %s".formatted(name, op, snapshot, text);
    }

    private String payload() {
      return """
      {"before":%s,"after":%s,"source":%s,"transaction":null,"op":"%s","ts_ms":1767268800100,"ts_us":1767268800100000}"""
          .formatted(before, after, source.formatted(snapshot), op);
    }

    byte[] value(boolean schemas) {
      String row =
          "{\"type\":\"struct\",\"fields\":[%s],\"optional\":true,\"name\":\"server.db.t.Value\",\"field\":\"%s\"}";
      String schema =
          """
          {"type":"struct","fields":[%s,%s,{"type":"struct","fields":[{"type":"string","optional":false,"field":"connector"},
           {"type":"string","optional":true,"field":"snapshot"}],"optional":false,"name":"io.debezium.connector.Source","field":"source"},
           {"type":"string","optional":false,"field":"op"},{"type":"int64","optional":true,"field":"ts_ms"}],
           "optional":false,"name":"server.db.t.Envelope","version":1}"""
              .formatted(row.formatted(columns, "before"), row.formatted(columns, "after"));
      return utf8(
          schemas ? "{\"schema\":%s,\"payload\":%s}".formatted(schema, payload()) : payload());
    }

    byte[] key(boolean schemas) {
      return utf8(
          schemas
              ? "{\"schema\":{\"type\":\"struct\",\"fields\":[%s],\"optional\":false,\"name\":\"server.db.t.Key\"},\"payload\":%s}"
                  .formatted(keyColumns, key)
              : key);
    }
  }

  /** Snapshots of every kind, changes, and keys of every kind. */
  static Stream<Sample> events() {
    Stream<Sample> changes =
        Stream.of(POSTGRESQL, MYSQL)
            .flatMap(
                source ->
                    Stream.concat(
                        Stream.of(
                                "true",
                                "first",
                                "first_in_data_collection",
                                "last_in_data_collection",
                                "last",
                                "incremental")
                            .map(snapshot -> Sample.of(source, snapshot, "r", "null", ANNE)),
                        Stream.of(
                            Sample.of(source, "false", "c", "null", ANNE),
                            Sample.of(source, "false", "u", ANNE, ANNE_MARIE),
                            Sample.of(source, "false", "u", "null", ANNE_MARIE),
                            Sample.of(source, "false", "d", ANNE, "null"))));
    return Stream.concat(
        changes,
        Stream.of(orderLines(), everyType(), decimalKey(false), decimalKey(true), binaryKey()));
  }

  private static Sample orderLines() {
    return keyed(
        "mysql key of two columns",
        """
        {"type":"int32","optional":false,"field":"order_number"},{"type":"string","optional":false,"field":"line"}""",
        """
        {"order_number":10001,"line":"a/1"}""",
        "10001/a%2F1");
  }

  private static Sample decimalKey(boolean isOptional) {
    return keyed(
        "mysql DECIMAL(10,0) key" + (isOptional ? " that may be null" : ""),
        """
        {"type":"bytes","optional":%s,"name":"org.apache.kafka.connect.data.Decimal","version":1,
         "parameters":{"scale":"0","connect.decimal.precision":"10"},"field":"id"}"""
            .formatted(isOptional),
        """
        {"id":"AMg="}""",
        "200");
  }

  private static Sample binaryKey() {
    return keyed(
        "mysql BINARY(2) key",
        """
        {"type":"bytes","optional":false,"field":"id"}""",
        """
        {"id":"AMg="}""",
        "00c8");
  }

  private static Sample keyed(String name, String columns, String row, String text) {
    return new Sample(name, columns, columns, row, MYSQL, "false", "c", "null", row, text, row);
  }

  /** MySQL's flavours of types; a row as they are sent. */
  private static Sample everyType() {
    String columns =
        ID
            + """
            ,{"type":"int16","optional":true,"field":"active"},
            {"type":"int64","optional":true,"field":"hits"},
            {"type":"int32","optional":true,"name":"io.debezium.time.Date","version":1,"field":"born"},
            {"type":"int64","optional":true,"name":"io.debezium.time.Timestamp","version":1,"field":"seen"},
            {"type":"int64","optional":true,"name":"io.debezium.time.MicroTime","version":1,"field":"alarm"},
            {"type":"string","optional":true,"name":"io.debezium.time.ZonedTimestamp","version":1,"field":"changed"},
            {"type":"int32","optional":true,"name":"io.debezium.time.Year","version":1,"field":"vintage"},
            {"type":"string","optional":true,"name":"io.debezium.data.Enum","version":1,"parameters":{"allowed":"S,M,L"},"field":"size"},
            {"type":"string","optional":true,"name":"io.debezium.data.EnumSet","version":1,"parameters":{"allowed":"a,b"},"field":"marks"},
            {"type":"string","optional":true,"name":"io.debezium.data.Json","version":1,"field":"extra"},
            {"type":"float","optional":true,"field":"ratio"},{"type":"double","optional":true,"field":"weight"},
            {"type":"bytes","optional":true,"name":"io.debezium.data.Bits","version":1,"parameters":{"length":"9"},"field":"flags"},
            {"type":"bytes","optional":true,"name":"org.apache.kafka.connect.data.Decimal","version":1,
             "parameters":{"scale":"2","connect.decimal.precision":"5"},"default":"AA==","field":"price"},
            {"type":"string","optional":true,"field":"gone"}""";
    String row =
        """
        {"id":7,"active":1,"hits":9007199254740993,"born":20455,"seen":1767268800000,"alarm":43200000000,
         "changed":"2026-01-01T12:00:00Z","vintage":2026,"size":"M","marks":"a,b","extra":"{\\"k\\": 1}",
         "ratio":0.25,"weight":0.1,"flags":"/wE=","price":"MDk=","gone":null}""";
    return new Sample(
        "mysql types", columns, ID, "{\"id\":7}", MYSQL, "false", "c", "null", row, "7", row);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private final String scope = UUID.randomUUID().toString();

  @ParameterizedTest
  @MethodSource("events")
  void envelopesMeanTheSameInEveryEncoding(Sample sample) throws Exception {
    InMemorySchemaRegistry withAvro = InMemorySchemaRegistry.shared(scope);
    Read avro =
        read(
            new ChangeEventReader(withAvro, RecordFormat.ENVELOPE),
            withAvro,
            RecordFormat.ENVELOPE,
            avro(sample.key(true), true),
            avro(sample.value(true), false));
    SchemaRegistry registry = new InMemorySchemaRegistry();
    Read withSchemas =
        read(
            json(registry, null),
            registry,
            RecordFormat.ENVELOPE,
            sample.key(true),
            sample.value(true));

    assertThat(withSchemas.event().op().code()).isEqualTo(sample.op());
    assertThat(withSchemas.text()).isEqualTo(sample.text()).isEqualTo(avro.text());
    assertThat(withSchemas.event().op()).isEqualTo(avro.event().op());
    assertThat(String.valueOf(withSchemas.record())).isEqualTo(String.valueOf(avro.record()));
    assertThat(withSchemas.record() == null).isEqualTo(sample.record() == null);
    if (sample.record() == null) {
      return;
    }
    JsonNode row = JSON.readTree(sample.record());
    assertThat(withSchemas.record().getSchema().getFields())
        .extracting(Schema.Field::name)
        .containsExactlyElementsOf(() -> row.fieldNames());
    SchemaRegistry plain = new InMemorySchemaRegistry();
    Read without =
        read(
            json(plain, withSchemas.record().getSchema()),
            plain,
            RecordFormat.ENVELOPE,
            sample.key(false),
            sample.value(false));
    assertThat(without.record()).isEqualTo(withSchemas.record());
    assertThat(JsonEventReader.snapshot(sample.value(false))).contains(sample.snapshot());
  }

  private static JsonEventReader json(SchemaRegistry registry, Schema schema) {
    return new JsonEventReader(registry, TOPIC, RecordFormat.ENVELOPE, Optional.ofNullable(schema));
  }

  private record Read(String text, ChangeEvent event, GenericRecord record) {}

  private static Read read(
      EventReader reader, SchemaRegistry registry, RecordFormat format, byte[] key, byte[] value)
      throws MalformedEventException, IOException {
    ChangeEvent event = reader.read(value, 1).orElseThrow();
    GenericRecord record = null;
    if (event.value() != null) {
      Schema schema = new ValueSchemas(registry).writerSchema(event.value().schemaId(), format);
      record =
          new GenericDatumReader<GenericRecord>(schema)
              .read(
                  null,
                  DecoderFactory.get()
                      .binaryDecoder(
                          event.value().buffer(),
                          event.value().offset(),
                          event.value().length(),
                          null));
    }
    return new Read(new PrimaryKeys(registry).text(reader.key(key)), event, record);
  }

  /** What the Avro converter makes of it. */
  private byte[] avro(byte[] json, boolean isKey) {
    try (JsonConverter from = new JsonConverter();
        AvroConverter to = new AvroConverter()) {
      from.configure(Map.of(), isKey);
      to.configure(Map.of(RegistryConfig.URL_CONFIG, "mock://" + scope), isKey);
      SchemaAndValue data = from.toConnectData(TOPIC, json);
      return to.fromConnectData(TOPIC, data.schema(), data.value());
    }
  }

  /** The documents of MongoDB's connector, and what its transformation makes of them. */
  @ParameterizedTest
  @MethodSource("documents")
  void refusesDocumentsThatAreText(boolean schemas) {
    String payload =
        """
        {"before":null,"after":"{\\"_id\\": {\\"$numberLong\\": \\"1004\\"},\\"first_name\\": \\"Anne\\"}","updateDescription":null,
         "source":{"version":"3.6.0.Final","connector":"mongodb","name":"fulfillment","snapshot":"false","db":"inventory","rs":"rs0",
          "collection":"customers","ord":31,"lsid":null,"txnNumber":null},"op":"c","ts_ms":1767268800100}""";
    String schema =
        """
        {"type":"struct","fields":[{"type":"string","optional":true,"name":"io.debezium.data.Json","version":1,"field":"before"},
         {"type":"string","optional":true,"name":"io.debezium.data.Json","version":1,"field":"after"},
         {"type":"string","optional":true,"field":"op"}],"optional":false,"name":"fulfillment.inventory.customers.Envelope"}""";
    byte[] value =
        utf8(schemas ? "{\"schema\":%s,\"payload\":%s}".formatted(schema, payload) : payload);

    assertThatThrownBy(() -> json(new InMemorySchemaRegistry(), null).read(value, 1))
        .isInstanceOf(MalformedEventException.class)
        .hasMessageContaining("ExtractNewDocumentState")
        .hasMessageContaining("format=flat");
  }

  static List<Boolean> documents() {
    return List.of(true, false);
  }

  /**
   * A document that MongoDB's transformation made a record of, under the key that it makes of an
   * ObjectId, and under the one that the connector gives it.
   */
  @ParameterizedTest
  @ValueSource(strings = {"596e275826f08b2730779e1f", "{\"$oid\": \"596e275826f08b2730779e1f\"}"})
  void readsDocumentsThatAreRecords(String id) throws Exception {
    String fields =
        """
        {"type":"string","optional":true,"field":"_id"},{"type":"string","optional":true,"field":"first_name"},
        {"type":"int64","optional":true,"name":"org.apache.kafka.connect.data.Timestamp","version":1,"field":"joined"},
        {"type":"double","optional":true,"field":"score"},{"type":"int64","optional":true,"field":"visits"},
        {"type":"array","items":{"type":"string","optional":true},"optional":true,"field":"tags"},
        {"type":"struct","fields":[{"type":"string","optional":true,"field":"city"}],"optional":true,
         "name":"fulfillment.inventory.customers.address","field":"address"}""";
    String record =
        """
        {"_id":"596e275826f08b2730779e1f","first_name":"Anne","joined":1500392280000,"score":4.5,"visits":7,
         "tags":["new","vip"],"address":{"city":"Berlin"}}""";
    String withSchema =
        "{\"schema\":{\"type\":\"struct\",\"fields\":[%s],\"optional\":false,\"name\":\"%s\"},\"payload\":%s}";
    byte[] value = utf8(withSchema.formatted(fields, "fulfillment.inventory.customers", record));
    String plainKey = JSON.writeValueAsString(Map.of("id", id));
    byte[] key =
        utf8(
            withSchema.formatted(
                "{\"type\":\"string\",\"optional\":true,\"field\":\"id\"}", "key", plainKey));

    InMemorySchemaRegistry withAvro = InMemorySchemaRegistry.shared(scope);
    EventReader ofAvro = new ChangeEventReader(withAvro, RecordFormat.FLAT);
    Read avro = read(ofAvro, withAvro, RecordFormat.FLAT, avro(key, true), avro(value, false));
    SchemaRegistry registry = new InMemorySchemaRegistry();
    EventReader ofJson = flat(registry, null);
    Read json = read(ofJson, registry, RecordFormat.FLAT, key, value);
    SchemaRegistry plain = new InMemorySchemaRegistry();
    Read without =
        read(
            flat(plain, json.record().getSchema()),
            plain,
            RecordFormat.FLAT,
            utf8(plainKey),
            utf8(record));

    assertThat(json.text()).isEqualTo(id).isEqualTo(avro.text()).isEqualTo(without.text());
    assertThat(json.record().toString())
        .isEqualTo(avro.record().toString())
        .isEqualTo(without.record().toString());
    assertThat(json.record().get("address")).hasToString("{\"city\": \"Berlin\"}");
    for (EventReader reader : List.of(ofAvro, ofJson)) {
      assertThat(reader.read(null, 1).orElseThrow().op()).isEqualTo(Op.DELETE);
    }
  }

  private static JsonEventReader flat(SchemaRegistry registry, Schema schema) {
    return new JsonEventReader(registry, TOPIC, RecordFormat.FLAT, Optional.ofNullable(schema));
  }
}
