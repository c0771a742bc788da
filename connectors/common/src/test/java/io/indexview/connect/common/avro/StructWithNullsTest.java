package io.indexview.connect.common.avro;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.RegistryConfig;
import io.indexview.schemas.serde.AvroSerde;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Map;
import java.util.UUID;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StructWithNullsTest {
  private static final String TOPIC = "orders";

  private final String scope = UUID.randomUUID().toString();
  private final InMemorySchemaRegistry registry = InMemorySchemaRegistry.shared(scope);
  private final AvroConverter converter = new AvroConverter();

  StructWithNullsTest() {
    converter.configure(Map.of(RegistryConfig.URL_CONFIG, "mock://" + scope), false);
  }

  @AfterEach
  void close() {
    converter.close();
  }

  /** As of a column with a default that takes null: Connect's structs give the default for both. */
  @Test
  void writesANullWhereASchemaHasADefault() {
    Schema state = SchemaBuilder.string().optional().defaultValue("NEW").build();
    Schema line = SchemaBuilder.struct().name("shop.Line").field("state", state).optional().build();
    Schema row =
        SchemaBuilder.struct()
            .name("shop.Row")
            .field("id", Schema.INT64_SCHEMA)
            .field("state", state)
            .field("line", line)
            .field("lines", SchemaBuilder.array(line).build())
            .field("named", SchemaBuilder.map(Schema.STRING_SCHEMA, line).build())
            .field(
                "price",
                Decimal.builder(2).optional().defaultValue(BigDecimal.TEN.setScale(2)).build())
            .build();
    Schema envelope = SchemaBuilder.struct().name("shop.Envelope").field("after", row).build();
    Struct none = new Struct(line).put("state", null);
    Struct paid = new Struct(line).put("state", "PAID");
    Struct after =
        new Struct(row)
            .put("id", 7L)
            .put("state", null)
            .put("line", none)
            .put("lines", Arrays.asList(paid, none, null))
            .put("named", Map.of("none", none, "paid", paid))
            .put("price", null);

    byte[] message =
        converter.fromConnectData(TOPIC, envelope, new Struct(envelope).put("after", after));

    GenericRecord written =
        (GenericRecord)
            AvroSerde.forValues(registry).deserializer().deserialize(TOPIC, message).get("after");
    assertThat(written.get("id")).isEqualTo(7L);
    assertThat(written.get("state")).isNull();
    assertThat(written.get("price")).isNull();
    assertThat(written.get("line")).hasToString("{\"state\": null}");
    assertThat(written.get("lines"))
        .hasToString("[{\"state\": \"PAID\"}, {\"state\": null}, null]");
    assertThat(((Map<?, ?>) written.get("named")).toString())
        .contains("none={\"state\": null}", "paid={\"state\": \"PAID\"}");
  }

  /** A union of several types is a struct, too, with a field for each. */
  @Test
  void keepsNullsWithinUnions() {
    org.apache.avro.Schema schema =
        new org.apache.avro.Schema.Parser()
            .parse(
                """
                {"type": "record", "name": "Row", "fields": [{"name": "held", "type": ["string",
                  {"type": "record", "name": "Line", "fields": [
                    {"name": "state", "type": ["string", "null"], "default": "NEW"}]}]}]}
                """);
    GenericRecord line = new GenericData.Record(schema.getField("held").schema().getTypes().get(1));
    line.put("state", null);
    GenericRecord row = new GenericData.Record(schema);
    row.put("held", line);
    byte[] message = AvroSerde.forValues(registry).serializer().serialize(TOPIC, row);

    SchemaAndValue read = converter.toConnectData(TOPIC, message);
    byte[] again = converter.fromConnectData(TOPIC, read.schema(), read.value());

    assertThat(AvroSerde.forValues(registry).deserializer().deserialize(TOPIC, again))
        .hasToString(row.toString());
  }

  /** The default is a struct of its builder, which is none of the schema's. */
  @Test
  void writesANullWhereTheDefaultIsAStruct() {
    SchemaBuilder amount =
        SchemaBuilder.struct()
            .name("io.debezium.data.VariableScaleDecimal")
            .field("scale", Schema.INT32_SCHEMA)
            .field("value", Schema.BYTES_SCHEMA)
            .optional();
    Struct zero = new Struct(amount).put("scale", 0).put("value", new byte[1]);
    Schema row =
        SchemaBuilder.struct()
            .name("shop.Row")
            .field("amount", amount.defaultValue(zero).build())
            .build();

    byte[] message = converter.fromConnectData(TOPIC, row, new Struct(row).put("amount", null));

    assertThat(AvroSerde.forValues(registry).deserializer().deserialize(TOPIC, message))
        .hasToString("{\"amount\": null}");
  }
}
