package io.indexview.connect.common.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.apicurio.registry.utils.converter.avro.AvroData;
import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.ChangeEventReader;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.WireFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.Struct;
import org.junit.jupiter.api.Test;

class EnvelopeStructsTest {
  private static final Schema PERSON =
      SchemaBuilder.record("Person")
          .namespace("test")
          .fields()
          .requiredString("name")
          .optionalLong("cost")
          .endRecord();
  private static final SourceVersion V5 = new SourceVersion("1/rg1", new byte[] {0, 5});
  private static final SourceVersion V6 = new SourceVersion("1/rg1", new byte[] {0, 6});

  private final EnvelopeStructs envelopes = new EnvelopeStructs(PERSON, "kvstore", "people-store");

  @Test
  void isReadBackAsTheChangeEventThatItWas() throws Exception {
    ChangeEvent event =
        roundTrip(envelopes.event(Op.UPDATE, 10, 9, new Origin.Versioned(V5), person()));

    assertThat(event.op()).isEqualTo(Op.UPDATE);
    assertThat(event.origin()).isEqualTo(new Origin.Versioned(V5));
    assertThat(event.value()).isNotNull();
  }

  @Test
  void keepsBaseAndAdHocWhenObserved() throws Exception {
    Origin.SnapshotRead observed =
        new Origin.SnapshotRead("1/rg1", V6.sequence(), Origin.Base.of(V5, true), true);
    ChangeEvent event = roundTrip(envelopes.event(Op.DELETE, 10, 0, observed, null));

    assertThat(event.value()).isNull();
    assertThat(event.origin()).isInstanceOf(Origin.SnapshotRead.class);
    Origin.SnapshotRead read = (Origin.SnapshotRead) event.origin();
    assertThat(read.version()).isEqualTo(V6);
    assertThat(read.base()).isEqualTo(Origin.Base.of(V5, true));
    assertThat(read.adHoc()).isTrue();
  }

  @Test
  void keepsAnAbsentBaseAbsent() throws Exception {
    Origin.SnapshotRead observed =
        new Origin.SnapshotRead("1/rg1", V5.sequence(), Origin.Base.ABSENT, false);
    ChangeEvent event = roundTrip(envelopes.event(Op.READ, 10, 0, observed, person()));

    assertThat(((Origin.SnapshotRead) event.origin()).base()).isEqualTo(Origin.Base.ABSENT);
  }

  @Test
  void namesItsSource() {
    Struct event =
        (Struct) envelopes.event(Op.READ, 10, 0, new Origin.Versioned(V5), person()).value();

    assertThat(event.getStruct("source").getString("name")).isEqualTo("people-store");
    assertThat(event.getStruct("source").getString("connector")).isEqualTo("kvstore");
    assertThat(event.getStruct("source").getString("snapshot")).isEqualTo("true");
  }

  private static GenericRecord person() {
    GenericRecord person = new GenericData.Record(PERSON);
    person.put("name", "Ada");
    return person;
  }

  private static ChangeEvent roundTrip(SchemaAndValue event) throws Exception {
    AvroData avroData = new AvroData(10);
    Schema schema = avroData.fromConnectSchema(event.schema());
    Object avro = avroData.fromConnectData(event.schema(), event.value());
    try (SchemaRegistry registry =
        SchemaRegistries.create(Map.of("schema.registry.url", "mock://envelopes"))) {
      int id = registry.register("people-value", schema);
      Optional<ChangeEvent> read =
          new ChangeEventReader(registry, RecordFormat.ENVELOPE)
              .read(WireFormat.frame(id, encode(schema, avro)), 10);
      return read.orElseThrow();
    }
  }

  private static byte[] encode(Schema schema, Object avro) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
    new GenericDatumWriter<>(schema).write(avro, encoder);
    encoder.flush();
    return bytes.toByteArray();
  }
}
