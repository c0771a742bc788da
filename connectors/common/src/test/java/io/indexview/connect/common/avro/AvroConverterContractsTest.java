package io.indexview.connect.common.avro;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.RegistryConfig;
import io.indexview.schemas.serde.AvroSerde;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.views.definition.ViewGeneration;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.avro.util.Utf8;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.Struct;
import org.junit.jupiter.api.Test;

/** What the sinks and the streams app rely on when records pass a Connect worker. */
class AvroConverterContractsTest {
  private static final String TOPIC = "people";

  private final String scope = UUID.randomUUID().toString();
  private final InMemorySchemaRegistry registry = InMemorySchemaRegistry.shared(scope);

  @Test
  void keepsRecordNamesAndFieldsOfTheEnvelope() {
    GenericRecord envelope = envelope();

    GenericRecord passed = passThroughConnect(envelope);

    assertThat(passed.getSchema().getFullName()).isEqualTo("test.Envelope");
    Schema source = passed.getSchema().getField("source").schema();
    assertThat(source.getFullName()).isEqualTo("io.indexview.schemas.Source");
    Schema order = source.getField("order").schema().getTypes().get(1);
    assertThat(order.getFullName()).isEqualTo("io.indexview.schemas.Order");
    assertThat(GenericData.get().compare(passed, envelope, envelope.getSchema())).isZero();
  }

  @Test
  void keepsEnumsAndDefaultsOfTheControlRecords() {
    Schema schema = ControlSchemas.VIEW_STATE;
    GenericRecord state =
        new GenericRecordBuilder(schema)
            .set("view", text("by-org"))
            .set("state", new GenericData.EnumSymbol(schema.getField("state").schema(), "READY"))
            .set("servingGeneration", 1)
            .set("changedAt", 5L)
            .build();

    GenericRecord passed = passThroughConnect(state);

    Schema enumeration = passed.getSchema().getField("state").schema();
    assertThat(enumeration.getType()).isEqualTo(Schema.Type.ENUM);
    assertThat(enumeration.getEnumSymbols())
        .isEqualTo(schema.getField("state").schema().getEnumSymbols());
    assertThat(GenericData.get().compare(passed, state, schema)).isZero();
  }

  @Test
  void handsThePropertiesOfAKeySchemaToSinks() throws IOException {
    String json = "{\"view\":\"by-org\",\"generation\":1,\"text\":\"ü\"}";
    Schema keySchema =
        SchemaBuilder.record("ByOrgKey")
            .namespace("io.indexview.view")
            .prop("connect.parameters", Map.of(ViewGeneration.PARAMETER, json))
            .fields()
            .requiredString("org")
            .requiredString("_primaryKey")
            .endRecord();
    GenericRecord key =
        new GenericRecordBuilder(keySchema)
            .set("org", text("Support"))
            .set("_primaryKey", text("/Corporate/people/1"))
            .build();
    byte[] message = AvroSerde.forKeys(registry).serializer().serialize(TOPIC, key);

    try (AvroConverter converter = converter(true)) {
      SchemaAndValue row = converter.toConnectData(TOPIC, message);

      assertThat(row.schema().parameters()).containsEntry(ViewGeneration.PARAMETER, json);
      assertThat(row.schema().name()).isEqualTo("io.indexview.view.ByOrgKey");
      assertThat(((Struct) row.value()).getString("org")).isEqualTo("Support");
    }
  }

  /** Read by a sink's converter, written again by a source's: as a record of the same schema. */
  private GenericRecord passThroughConnect(GenericRecord record) {
    AvroSerde serde = AvroSerde.forValues(registry);
    byte[] message = serde.serializer().serialize(TOPIC, record);
    try (AvroConverter converter = converter(false)) {
      SchemaAndValue data = converter.toConnectData(TOPIC, message);
      byte[] again = converter.fromConnectData(TOPIC, data.schema(), data.value());
      return serde.deserializer().deserialize(TOPIC, again);
    }
  }

  private AvroConverter converter(boolean isKey) {
    AvroConverter converter = new AvroConverter();
    converter.configure(Map.of(RegistryConfig.URL_CONFIG, "mock://" + scope), isKey);
    return converter;
  }

  private static GenericRecord envelope() {
    Schema person =
        SchemaBuilder.record("Person")
            .namespace("test")
            .fields()
            .requiredString("name")
            .optionalLong("cost")
            .endRecord();
    Schema optional = Schema.createUnion(List.of(Schema.create(Schema.Type.NULL), person));
    Schema envelope =
        SchemaBuilder.record("Envelope")
            .namespace("test")
            .fields()
            .requiredString("op")
            .requiredLong("ts_ms")
            .name("source")
            .type(ControlSchemas.SOURCE)
            .noDefault()
            .name("before")
            .type(optional)
            .withDefault(null)
            .name("after")
            .type(optional)
            .withDefault(null)
            .endRecord();
    return new GenericRecordBuilder(envelope)
        .set("op", text("u"))
        .set("ts_ms", 12L)
        .set("source", source())
        .set(
            "after",
            new GenericRecordBuilder(person).set("name", text("Ann")).set("cost", 7L).build())
        .build();
  }

  private static GenericRecord source() {
    Schema order = ControlSchemas.SOURCE.getField("order").schema().getTypes().get(1);
    Schema base = order.getField("base").schema().getTypes().get(1);
    return new GenericRecordBuilder(ControlSchemas.SOURCE)
        .set("version", text("1"))
        .set("connector", text("kvstore"))
        .set("name", text("people-store"))
        .set("snapshot", text("false"))
        .set(
            "order",
            new GenericRecordBuilder(order)
                .set("epoch", text("1/rg1"))
                .set("sequence", ByteBuffer.wrap(new byte[] {0, 0, -1}))
                .set("base", new GenericRecordBuilder(base).set("present", true).build())
                .build())
        .build();
  }

  private static Utf8 text(String value) {
    return new Utf8(value);
  }
}
