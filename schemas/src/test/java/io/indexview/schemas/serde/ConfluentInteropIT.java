package io.indexview.schemas.serde;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.RegistryConfig;
import io.indexview.schemas.registry.RegistryHttpServer;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.io.JsonEncoder;
import org.apache.avro.util.Utf8;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Same bytes and same REST API as Confluent's own client, at one registry. */
class ConfluentInteropIT {
  private static final String TOPIC = "people";
  private static final String SUBJECT = Subjects.value(TOPIC);

  private RegistryHttpServer server;
  private SchemaRegistry ours;
  private ConfluentClient theirs;
  private AvroSerde serde;

  @BeforeEach
  void start() throws Exception {
    server = new RegistryHttpServer(new InMemorySchemaRegistry());
    ours = SchemaRegistries.create(Map.of(RegistryConfig.URL_CONFIG, server.url()));
    theirs = new ConfluentClient(server.url());
    serde = AvroSerde.forValues(ours);
  }

  @AfterEach
  void stop() throws Exception {
    theirs.close();
    ours.close();
    server.close();
  }

  @Test
  void readsWhatTheOtherWrote() throws Exception {
    GenericRecord event = event();
    String schema = event.getSchema().toString();

    byte[] ourBytes = serde.serializer().serialize(TOPIC, event);
    byte[] theirBytes = theirs.write(SUBJECT, schema, json(event));

    assertThat(theirBytes).isEqualTo(ourBytes);
    assertThat(fromJson(event.getSchema(), theirs.read(ourBytes))).isEqualTo(event);
    assertThat(serde.deserializer().deserialize(TOPIC, theirBytes)).isEqualTo(event);
  }

  @Test
  void readsWhatTheOtherRegisteredFirst() throws Exception {
    GenericRecord event = event();

    byte[] theirBytes = theirs.write(SUBJECT, event.getSchema().toString(), json(event));

    assertThat(serde.deserializer().deserialize(TOPIC, theirBytes)).isEqualTo(event);
    assertThat(serde.serializer().serialize(TOPIC, event)).isEqualTo(theirBytes);
  }

  @Test
  void agreesWithTheOtherOnIdsAndCompatibility() throws Exception {
    Schema v1 = SchemaBuilder.record("P").fields().requiredString("name").endRecord();
    Schema v2 =
        SchemaBuilder.record("P").fields().requiredString("name").optionalInt("x").endRecord();
    Schema breaking = SchemaBuilder.record("P").fields().requiredInt("x").endRecord();

    int id = ours.register(SUBJECT, v1);

    assertThat(theirs.idOf(SUBJECT, v1.toString())).isEqualTo(id);
    assertThat(theirs.latest(SUBJECT)).isEqualTo(id);
    for (Schema schema : new Schema[] {v1, v2, breaking}) {
      assertThat(theirs.isCompatible(SUBJECT, schema.toString()))
          .isEqualTo(ours.isCompatible(SUBJECT, schema))
          .isEqualTo(schema != breaking);
    }
  }

  /** The largest of our contracts with every kind of part set, and characters beyond ASCII. */
  private static GenericRecord event() {
    Schema sourceSchema = ControlSchemas.SOURCE;
    Schema order = sourceSchema.getField("order").schema().getTypes().get(1);
    Schema base = order.getField("base").schema().getTypes().get(1);
    return new GenericRecordBuilder(sourceSchema)
        .set("version", text("1.0"))
        .set("connector", text("kvstore"))
        .set("name", text("Zürich 東京 🗝"))
        .set("ts_ms", Long.MAX_VALUE)
        .set("snapshot", text("false"))
        .set(
            "order",
            new GenericRecordBuilder(order)
                .set("epoch", text("1-7"))
                .set("sequence", ByteBuffer.wrap(new byte[] {0, -1, 127, -128}))
                .set(
                    "base",
                    new GenericRecordBuilder(base).set("present", true).set("epoch", null).build())
                .build())
        .build();
  }

  private static CharSequence text(String value) {
    return new Utf8(value);
  }

  private static String json(GenericRecord event) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    JsonEncoder encoder = EncoderFactory.get().jsonEncoder(event.getSchema(), out);
    new GenericDatumWriter<>(event.getSchema()).write(event, encoder);
    encoder.flush();
    return out.toString(StandardCharsets.UTF_8);
  }

  private static GenericRecord fromJson(Schema schema, String json) throws IOException {
    return new GenericDatumReader<GenericRecord>(schema)
        .read(null, DecoderFactory.get().jsonDecoder(schema, json));
  }
}
