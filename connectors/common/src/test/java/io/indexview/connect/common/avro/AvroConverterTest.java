package io.indexview.connect.common.avro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import com.sun.net.httpserver.HttpServer;
import io.indexview.connect.common.worker.PluginVersion;
import io.indexview.schemas.Topics;
import io.indexview.schemas.fixtures.LogLines;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.RegistryConfig;
import io.indexview.schemas.serde.AvroSerde;
import io.indexview.schemas.serde.WireFormat;
import io.indexview.views.definition.RecordEvolution;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.UUID;
import org.apache.avro.LogicalTypes;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Time;
import org.apache.kafka.connect.data.Timestamp;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.storage.Converter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class AvroConverterTest {
  private static final String TOPIC = "people";
  private static final Schema ADDRESS =
      SchemaBuilder.struct().name("test.Address").field("city", Schema.STRING_SCHEMA).build();
  private static final Schema PERSON =
      SchemaBuilder.struct()
          .name("test.Person")
          .field("name", Schema.STRING_SCHEMA)
          .field("cost", Schema.INT64_SCHEMA)
          .field("size", Schema.INT32_SCHEMA)
          .field("ratio", Schema.FLOAT64_SCHEMA)
          .field("live", Schema.BOOLEAN_SCHEMA)
          .field("photo", Schema.BYTES_SCHEMA)
          .field("email", Schema.OPTIONAL_STRING_SCHEMA)
          .field("phone", Schema.OPTIONAL_STRING_SCHEMA)
          .field("address", ADDRESS)
          .field("tags", SchemaBuilder.array(Schema.STRING_SCHEMA).build())
          .field("counts", SchemaBuilder.map(Schema.STRING_SCHEMA, Schema.INT64_SCHEMA).build())
          .field("born", org.apache.kafka.connect.data.Date.SCHEMA)
          .field("seen", Timestamp.SCHEMA)
          .field("alarm", Time.SCHEMA)
          .field("price", Decimal.builder(2).parameter("connect.decimal.precision", "10").build())
          .build();

  private final String scope = UUID.randomUUID().toString();
  private final InMemorySchemaRegistry registry = InMemorySchemaRegistry.shared(scope);
  private final AvroConverter converter = new AvroConverter();

  AvroConverterTest() {
    converter.configure(Map.of(RegistryConfig.URL_CONFIG, "mock://" + scope), false);
  }

  @AfterEach
  void close() {
    converter.close();
  }

  @Test
  void writesDebeziumsDatesAndTimestampsAsAvroTellsThem() {
    Schema placed =
        SchemaBuilder.int64().name("io.debezium.time.MicroTimestamp").version(1).optional().build();
    Schema row =
        SchemaBuilder.struct()
            .name("shop.orders.Value")
            .field("ordered", SchemaBuilder.int32().name("io.debezium.time.Date").build())
            .field("placed", placed)
            .field("calls", SchemaBuilder.array(placed).build())
            .build();
    Schema envelope =
        SchemaBuilder.struct().name("shop.orders.Envelope").field("after", row).build();
    Struct after = new Struct(row).put("ordered", 20_000).put("placed", 3L).put("calls", List.of());

    byte[] message =
        converter.fromConnectData(TOPIC, envelope, new Struct(envelope).put("after", after));

    org.apache.avro.Schema written =
        registry.byId(WireFormat.schemaId(message)).getField("after").schema();
    assertThat(written.getField("ordered").schema().getLogicalType())
        .isEqualTo(LogicalTypes.date());
    assertThat(written.getField("placed").schema().getTypes().get(1).getLogicalType())
        .isEqualTo(LogicalTypes.timestampMicros());
    assertThat(written).isEqualTo(AvroConverter.written(row));
  }

  /** As of a column that is given another precision: nobody else could tell. */
  @ParameterizedTest
  @CsvSource({
    "INT64, io.debezium.time.MicroTime, INT32, io.debezium.time.Time",
    "INT64, io.debezium.time.Timestamp, INT64, io.debezium.time.NanoTimestamp",
    "INT64, io.debezium.time.NanoTimestamp, INT64, io.debezium.time.MicroTimestamp"
  })
  void namesDebeziumsTimesSoThatAnotherUnitIsNoticed(
      Schema.Type before, String nameBefore, Schema.Type after, String nameAfter) {
    List<RecordEvolution.Gap> gaps =
        RecordEvolution.gaps(
            AvroConverter.written(shift(after, nameAfter)),
            AvroConverter.written(shift(before, nameBefore)),
            field -> true);

    assertThat(gaps).extracting(RecordEvolution.Gap::field).containsExactly("starts");
    assertThat(gaps).extracting(RecordEvolution.Gap::misread).containsExactly(true);
  }

  private static Schema shift(Schema.Type type, String name) {
    Schema starts = SchemaBuilder.type(type).name(name).version(1).optional().build();
    return SchemaBuilder.struct().name("shop.shifts.Value").field("starts", starts).build();
  }

  /** As those of the tables of one connector; told by what is allocated. */
  @Test
  void seesToASchemaOnceThoughSchemasTakeTurns() {
    Schema other =
        SchemaBuilder.struct().name("test.Other").field("id", Schema.INT64_SCHEMA).build();
    Struct little = new Struct(other).put("id", 7L);

    long alone = allocated(() -> converter.fromConnectData(TOPIC, PERSON, person()));
    long both =
        allocated(
            () -> {
              converter.fromConnectData(TOPIC, PERSON, person());
              converter.fromConnectData("others", other, little);
            });

    assertThat(both).isLessThan(2 * alone);
  }

  /** In bytes, the least of several times. */
  private static long allocated(Runnable work) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 20; i++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      work.run();
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    return least;
  }

  @ParameterizedTest
  @CsvSource({"my-shop.public.orders.Value, id", "shop.public.orders.Value, order-id"})
  void saysWhatHelpsWhereANameIsNoneOfAvro(String record, String field) {
    Schema schema = SchemaBuilder.struct().name(record).field(field, Schema.INT64_SCHEMA).build();
    Struct row = new Struct(schema).put(field, 7L);

    assertThatThrownBy(() -> converter.fromConnectData(TOPIC, schema, row))
        .isInstanceOf(DataException.class)
        .hasMessageContainingAll(TOPIC, "-", "name.adjustment.mode=avro");
  }

  @Test
  void refusesADecimalOfNoBytes() {
    org.apache.avro.Schema price =
        new org.apache.avro.Schema.Parser()
            .parse("{\"type\": \"bytes\", \"logicalType\": \"decimal\", \"precision\": 4}");
    int id = registry.register("prices-value", price);

    assertThatThrownBy(() -> converter.toConnectData(TOPIC, WireFormat.frame(id, new byte[] {0})))
        .isInstanceOf(DataException.class)
        .hasMessageContaining(TOPIC);
  }

  /** Connect's own tolerance of errors knows exceptions alone. */
  @Test
  void refusesRecordsThatAreNestedTooDeeply() {
    org.apache.avro.Schema node =
        new org.apache.avro.Schema.Parser()
            .parse(
                """
                {"type": "record", "name": "Node", "fields": [
                  {"name": "next", "type": ["null", "Node"]}]}
                """);
    int id = registry.register("nodes-value", node);
    int refused = 0;
    for (int depth = 1; depth < 1 << 20; depth += 1 + depth / 4) {
      byte[] nested = new byte[depth];
      Arrays.fill(nested, 0, depth - 1, (byte) 2);
      try {
        assertThat(converter.toConnectData(TOPIC, WireFormat.frame(id, nested)).value())
            .isInstanceOf(Struct.class);
      } catch (DataException e) {
        assertThat(e).hasMessageContainingAll(TOPIC, "nested too deeply");
        refused++;
      }
    }
    assertThat(refused).isPositive();
  }

  @Test
  void readsBackEveryKindOfField() {
    Struct person = person();

    SchemaAndValue read = roundTrip(PERSON, person);

    assertThat(read.schema().name()).isEqualTo("test.Person");
    Struct value = (Struct) read.value();
    value.validate();
    for (String field :
        List.of(
            "name", "cost", "size", "ratio", "live", "email", "phone", "tags", "counts", "born",
            "seen", "alarm", "price")) {
      assertThat(value.get(field)).as(field).isEqualTo(person.get(field));
    }
    assertThat(value.getStruct("address").get("city")).isEqualTo("Zürich");
    assertThat(value.getBytes("photo")).isEqualTo(new byte[] {1, 0, -1});
    for (String logical : List.of("born", "seen", "alarm", "price")) {
      assertThat(read.schema().field(logical).schema().name())
          .isEqualTo(PERSON.field(logical).schema().name());
    }
  }

  @Test
  void writesPlainAvroThatOthersRead() {
    byte[] message = converter.fromConnectData(TOPIC, PERSON, person());

    GenericRecord record = AvroSerde.forValues(registry).deserializer().deserialize(TOPIC, message);

    assertThat(record.getSchema().getFullName()).isEqualTo("test.Person");
    assertThat(record.getSchema().toString()).doesNotContain("connect.");
    assertThat(record.getSchema().getField("born").schema().getLogicalType().getName())
        .isEqualTo("date");
    assertThat(record.get("name")).hasToString("Ann");
    assertThat(record.get("seen")).isEqualTo(1_500_000_000_123L);
    assertThat(registry.subjects()).containsExactly("people-value");
  }

  @ParameterizedTest
  @MethodSource("plainValues")
  void readsBackValuesThatAreNoRecords(SchemaAndValue value) {
    SchemaAndValue read = roundTrip(value.schema(), value.value());

    assertThat(read.value()).isEqualTo(value.value());
    assertThat(read.schema().type()).isEqualTo(value.schema().type());
    assertThat(read.schema().isOptional()).isEqualTo(value.schema().isOptional());
  }

  static List<SchemaAndValue> plainValues() {
    return List.of(
        new SchemaAndValue(Schema.STRING_SCHEMA, "/Corporate/people/1"),
        new SchemaAndValue(Schema.OPTIONAL_STRING_SCHEMA, "x"),
        new SchemaAndValue(Schema.INT64_SCHEMA, 7L),
        new SchemaAndValue(SchemaBuilder.array(Schema.INT32_SCHEMA).build(), List.of(1, 2)),
        new SchemaAndValue(
            SchemaBuilder.struct()
                .name("test.Optional")
                .optional()
                .field("a", Schema.STRING_SCHEMA)
                .build(),
            new Struct(
                    SchemaBuilder.struct()
                        .name("test.Optional")
                        .optional()
                        .field("a", Schema.STRING_SCHEMA)
                        .build())
                .put("a", "b")));
  }

  @Test
  void keepsNull() {
    assertThat(converter.fromConnectData(TOPIC, PERSON, null)).isNull();
    assertThat(converter.fromConnectData(TOPIC, null, null)).isNull();
    assertThat(converter.toConnectData(TOPIC, null)).isEqualTo(SchemaAndValue.NULL);
    assertThat(registry.subjects()).isEmpty();
  }

  @Test
  void registersKeysUnderTheirOwnSubject() throws IOException {
    try (AvroConverter keys = new AvroConverter()) {
      keys.configure(Map.of(RegistryConfig.URL_CONFIG, "mock://" + scope), true);
      keys.fromConnectData(TOPIC, ADDRESS, new Struct(ADDRESS).put("city", "Bern"));
    }
    assertThat(registry.subjects()).containsExactly("people-key");
  }

  @Test
  void givesOneSchemaInstanceForAllMessagesOfASchema() {
    byte[] message = converter.fromConnectData(TOPIC, PERSON, person());

    assertThat(converter.toConnectData(TOPIC, message).schema())
        .isSameAs(converter.toConnectData(TOPIC, message).schema());
  }

  @Test
  void blamesWrongBytesAndNamesTheTopic() {
    converter.fromConnectData(TOPIC, PERSON, person());
    byte[][] wrong = {
      new byte[0], {1, 2, 3, 4, 5, 6}, WireFormat.frame(99, new byte[4]), {0, 0, 0, 0, 1, -1, -1}
    };

    for (byte[] bytes : wrong) {
      assertThatThrownBy(() -> converter.toConnectData(TOPIC, bytes))
          .isInstanceOf(DataException.class)
          .hasMessageContaining("topic " + TOPIC);
    }
  }

  /** As a dead letter it would be passed over, which says that readers are shown it. */
  @Test
  void waitsForTheSchemaOfAViewsState() throws IOException {
    String states = new Topics("eu.prod").viewStates();
    byte[] message = WireFormat.frame(99, new byte[4]);
    List<String> lines;
    try (LogLines log = LogLines.warnings(AvroConverter.class)) {
      assertThatThrownBy(() -> converter.toConnectData(states, message))
          .isInstanceOf(RetriableException.class)
          .hasMessageContaining("schema id 99");
      lines = log.get();
    }

    assertThat(lines)
        .singleElement()
        .asString()
        .contains("topic " + states, "schema id 99", "with its ids");
    assertThatThrownBy(() -> converter.toConnectData(states, new byte[] {1, 2, 3, 4, 5, 6}))
        .isInstanceOf(DataException.class);
  }

  @Test
  void blamesDataThatDoesNotFitAndNamesTheTopic() {
    assertThatThrownBy(() -> converter.fromConnectData(TOPIC, Schema.STRING_SCHEMA, 7))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("topic " + TOPIC);
  }

  @Test
  void blamesASchemaThatBreaksItsSubject() {
    converter.fromConnectData(TOPIC, ADDRESS, new Struct(ADDRESS).put("city", "Bern"));
    Schema breaking =
        SchemaBuilder.struct().name("test.Address").field("zip", Schema.STRING_SCHEMA).build();

    assertThatThrownBy(
            () -> converter.fromConnectData(TOPIC, breaking, new Struct(breaking).put("zip", "1")))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("people-value");
  }

  @Test
  void isRetriedWhenTheRegistryDoesNotAnswer() throws IOException {
    try (Socket nobody = new Socket();
        AvroConverter cut = new AvroConverter()) {
      // Its port is nobody else's, and it does not listen.
      nobody.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      cut.configure(
          Map.of(
              RegistryConfig.URL_CONFIG,
              "http://127.0.0.1:" + nobody.getLocalPort(),
              RegistryConfig.RETRIES_CONFIG,
              "0"),
          false);

      assertThatThrownBy(() -> cut.toConnectData(TOPIC, WireFormat.frame(1, new byte[4])))
          .isInstanceOf(RetriableException.class);
      assertThatThrownBy(() -> cut.fromConnectData(TOPIC, PERSON, person()))
          .isInstanceOf(RetriableException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 401, 403, 302, 404, 501})
  void isRetriedWhenTheRegistryRefusesTheConverter(int status) throws IOException {
    HttpServer refusing = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    refusing.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    refusing.start();
    try (AvroConverter refused = new AvroConverter()) {
      refused.configure(
          Map.of(RegistryConfig.URL_CONFIG, "http://127.0.0.1:" + refusing.getAddress().getPort()),
          false);

      assertThatThrownBy(() -> refused.toConnectData(TOPIC, WireFormat.frame(1, new byte[4])))
          .isInstanceOf(RetriableException.class);
      assertThatThrownBy(() -> refused.fromConnectData(TOPIC, PERSON, person()))
          .isInstanceOf(RetriableException.class);
    } finally {
      refusing.stop(0);
    }
  }

  @Test
  void saysOnceAMinuteWhomRecordsWaitFor() throws IOException {
    List<String> lines;
    try (LogLines log = LogLines.warnings(AvroConverter.class);
        AvroConverter cut = new AvroConverter()) {
      cut.configure(
          Map.of(
              RegistryConfig.URL_CONFIG, "http://127.0.0.1:1", RegistryConfig.RETRIES_CONFIG, "0"),
          false);
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> cut.toConnectData(TOPIC, WireFormat.frame(1, new byte[4])))
            .isInstanceOf(RetriableException.class);
      }
      lines = log.get();
    }

    assertThat(lines).hasSize(1);
    assertThat(lines.get(0))
        .contains("topic people", "http://127.0.0.1:1", RegistryConfig.URL_CONFIG, "retry.timeout");
  }

  @Test
  void refusesToStartWithoutARegistry() throws IOException {
    try (AvroConverter bare = new AvroConverter()) {
      assertThatThrownBy(() -> bare.configure(Map.of(), false))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining(RegistryConfig.URL_CONFIG);
    }
  }

  @Test
  void isFoundByWorkersWithItsVersion() {
    assertThat(ServiceLoader.load(Converter.class)).hasAtLeastOneElementOfType(AvroConverter.class);
    assertThat(converter.version()).isEqualTo(PluginVersion.get());
    assertThat(converter.config().names()).contains(RegistryConfig.URL_CONFIG);
  }

  private SchemaAndValue roundTrip(Schema schema, Object value) {
    return converter.toConnectData(TOPIC, converter.fromConnectData(TOPIC, schema, value));
  }

  private static Struct person() {
    return new Struct(PERSON)
        .put("name", "Ann")
        .put("cost", 7L)
        .put("size", 3)
        .put("ratio", 0.5)
        .put("live", true)
        .put("photo", ByteBuffer.wrap(new byte[] {1, 0, -1}))
        .put("email", "ann@example.org")
        .put("phone", null)
        .put("address", new Struct(ADDRESS).put("city", "Zürich"))
        .put("tags", List.of("a", "b"))
        .put("counts", Map.of("x", 1L))
        .put("born", new Date(86_400_000L))
        .put("seen", new Date(1_500_000_000_123L))
        .put("alarm", new Date(3_600_000L))
        .put("price", new BigDecimal("12.50"));
  }
}
