package io.indexview.kvstore.value;

import static io.indexview.kvstore.value.Values.PERSON;
import static io.indexview.kvstore.value.Values.avro;
import static io.indexview.kvstore.value.Values.decoder;
import static io.indexview.kvstore.value.Values.old;
import static io.indexview.kvstore.value.Values.person;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sleepycat.util.PackedInteger;
import io.indexview.kvstore.value.ValueConfig.ValueFormat;
import io.indexview.kvstore.value.ValueDecoder.UndecodableException;
import io.indexview.schemas.fixtures.FailingRegistry;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.schemas.serde.WireFormat;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ValueDecoderTest {
  private static final List<Schema> HOSTILE_SCHEMAS =
      List.of(
          PERSON,
          new Schema.Parser()
              .parse(
                  """
                  {"type":"record","name":"R","fields":[
                    {"name":"tags","type":{"type":"array","items":"null"}},
                    {"name":"more","type":{"type":"map","values":["null","bytes"]}}]}\
                  """));

  private static Schema schemaOf(ValueFormat format) {
    return switch (format) {
      case STRING -> ControlSchemas.STRING_RECORD;
      case BYTES -> ControlSchemas.BYTES_RECORD;
      default -> PERSON;
    };
  }

  private static ValueDecoder storeAvro() {
    return decoder(
        new ValueConfig(ValueFormat.AVRO_STORE, PERSON, Map.of(1, Values.OLD, 200, PERSON)),
        Values.registry());
  }

  private static byte[] framedByTheStore(int schemaId, byte[] avro) {
    int length = PackedInteger.getWriteSortedIntLength(schemaId);
    byte[] value = new byte[length + avro.length];
    PackedInteger.writeSortedInt(value, 0, schemaId);
    System.arraycopy(avro, 0, value, length, avro.length);
    return value;
  }

  @Test
  void readsPlainAvro() throws UndecodableException {
    GenericRecord ada = person("Ada", 5, "Support");
    assertThat(decoder(ValueFormat.AVRO, PERSON).decode(avro(ada))).isEqualTo(ada);
  }

  @Test
  void readsAvroThatTheStoreFramedWithAnySchemaOfItsCatalog() throws UndecodableException {
    ValueDecoder decoder = storeAvro();

    GenericRecord evolved = decoder.decode(framedByTheStore(1, avro(old("Ada", 5))));
    assertThat(evolved).isEqualTo(person("Ada", 5, "none"));
    assertThat(evolved.getSchema()).isEqualTo(PERSON);
    GenericRecord bob = person("Bob", 1L << 40, "Sales");
    assertThat(decoder.decode(framedByTheStore(200, avro(bob)))).isEqualTo(bob);
  }

  @Test
  void saysWhatIsWrongWithAvroThatTheStoreDidNotFrameSo() {
    ValueDecoder decoder = storeAvro();

    assertThatThrownBy(() -> decoder.decode(framedByTheStore(7, avro(old("Ada", 5)))))
        .isInstanceOf(UndecodableException.class)
        .hasMessageContainingAll("schema 7", "[1, 200]", "store.schemas");
    assertThatThrownBy(() -> decoder.decode(avro(old("Ada", 5))))
        .isInstanceOf(UndecodableException.class)
        .hasMessageContaining("Avro bindings");
  }

  @Test
  void readsAvroWithARegistrysId() throws UndecodableException {
    try (SchemaRegistry registry = Values.registry()) {
      ValueDecoder decoder = decoder(ValueConfig.of(ValueFormat.AVRO_REGISTRY, PERSON), registry);
      int first = registry.register("people-value", Values.OLD);
      byte[] value = WireFormat.frame(first, avro(old("Ada", 5)));

      GenericRecord ada = decoder.decode(value);
      assertThat(ada).isEqualTo(person("Ada", 5, "none"));
      assertThat(ada.getSchema()).isEqualTo(PERSON);

      assertThatThrownBy(() -> decoder.decode(WireFormat.frame(first + 9, avro(old("Ada", 5)))))
          .isInstanceOf(UndecodableException.class)
          .hasMessageContaining(String.valueOf(first + 9));
      assertThatThrownBy(() -> decoder.decode(avro(old("Ada", 5))))
          .isInstanceOf(UndecodableException.class)
          .hasMessageContaining("wire format");
    }
  }

  @Test
  void asksForAnUnknownIdOnceAMinute() {
    AtomicInteger asked = new AtomicInteger();
    SchemaRegistry another =
        new FailingRegistry(
            () -> {
              asked.incrementAndGet();
              return new RegistryException.NotFound("no schema 9");
            });
    ManualClock clock = new ManualClock();
    ValueDecoder decoder =
        ValueDecoder.of(ValueConfig.of(ValueFormat.AVRO_REGISTRY, PERSON), another, clock);
    byte[] value = WireFormat.frame(9, avro(old("Ada", 5)));

    for (int i = 0; i < 5; i++) {
      assertThatThrownBy(() -> decoder.decode(value))
          .isInstanceOf(UndecodableException.class)
          .hasMessageContaining("no schema 9");
    }
    assertThat(asked).hasValue(1);
    clock.setBack(Duration.ofHours(1));
    clock.pass(Duration.ofMinutes(2));
    assertThatThrownBy(() -> decoder.decode(value)).isInstanceOf(UndecodableException.class);
    assertThat(asked).hasValue(2);
  }

  @Test
  void namesTheFieldThatAnotherSchemaDoesNotHave() {
    try (SchemaRegistry registry = Values.registry()) {
      Schema strange =
          SchemaBuilder.record("Person")
              .namespace("test")
              .fields()
              .requiredString("name")
              .endRecord();
      int id = registry.register("people-value", strange);
      GenericRecord record = new GenericData.Record(strange);
      record.put("name", "Ada");

      assertThatThrownBy(
              () ->
                  decoder(ValueConfig.of(ValueFormat.AVRO_REGISTRY, PERSON), registry)
                      .decode(WireFormat.frame(id, avro(record))))
          .isInstanceOf(UndecodableException.class)
          .hasMessageContaining("cost");
    }
  }

  @Test
  void takesARegistryThatDoesNotAnswerForNoFaultOfTheValue() {
    SchemaRegistry away = FailingRegistry.away();
    ValueDecoder decoder = decoder(ValueConfig.of(ValueFormat.AVRO_REGISTRY, PERSON), away);

    assertThatThrownBy(() -> decoder.decode(WireFormat.frame(1, avro(old("Ada", 5)))))
        .isInstanceOf(RegistryException.Unavailable.class);
  }

  @Test
  void readsTextsAndBytesAsRecordsOfOneField() throws UndecodableException {
    byte[] text = "Zoë\u0000".getBytes(StandardCharsets.UTF_8);
    assertThat(decoder(ValueFormat.STRING, ControlSchemas.STRING_RECORD).decode(text).get("value"))
        .hasToString("Zoë\u0000");
    assertThat(decoder(ValueFormat.BYTES, ControlSchemas.BYTES_RECORD).decode(text).get("value"))
        .isEqualTo(ByteBuffer.wrap(text));
    assertThat(decoder(ValueFormat.BYTES, ControlSchemas.BYTES_RECORD).decode(new byte[0]))
        .isNotNull();
    assertThatThrownBy(
            () ->
                decoder(ValueFormat.STRING, ControlSchemas.STRING_RECORD)
                    .decode(new byte[] {'a', (byte) 0xc3}))
        .isInstanceOf(UndecodableException.class)
        .hasMessageContaining("UTF-8");
  }

  @ParameterizedTest
  @EnumSource(
      value = ValueFormat.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"STRING", "BYTES"})
  void refusesCutAndLengthenedValues(ValueFormat format) {
    byte[] value = format == ValueFormat.JSON ? json() : avro(person("Ada", 5, "Support"));
    ValueDecoder decoder = decoder(format, PERSON);
    for (int length = 0; length < value.length; length++) {
      byte[] cut = Arrays.copyOf(value, length);
      assertThatThrownBy(() -> decoder.decode(cut)).isInstanceOf(UndecodableException.class);
    }
    byte[] longer = Arrays.copyOf(value, value.length + 1);
    assertThatThrownBy(() -> decoder.decode(longer)).isInstanceOf(UndecodableException.class);
  }

  private static byte[] json() {
    return "{\"name\":\"Ada\",\"cost\":5}".getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void refusesBytesThatNestWithoutEnd() {
    Schema list =
        new Schema.Parser()
            .parse(
                """
                {"type":"record","name":"L","fields":[{"name":"next","type":["null","L"]}]}\
                """);
    byte[] deep = new byte[800_000];
    Arrays.fill(deep, (byte) 2);
    assertThatThrownBy(() -> decoder(ValueFormat.AVRO, list).decode(deep))
        .isInstanceOf(UndecodableException.class)
        .hasMessageContaining("too deep");
  }

  /** Whatever lies in a store, a scan goes on. */
  @Property
  void givesARecordOfItsSchemaOrSaysThatItCannot(@ForAll ValueFormat format, @ForAll byte[] value) {
    List<Schema> schemas = schemaOf(format) == PERSON ? HOSTILE_SCHEMAS : List.of(schemaOf(format));
    for (Schema schema : schemas) {
      ValueDecoder decoder =
          format == ValueFormat.AVRO_STORE ? storeAvro() : decoder(format, schema);
      Schema expected = format == ValueFormat.AVRO_STORE ? PERSON : schema;
      try {
        GenericRecord record = decoder.decode(value);
        assertThat(GenericData.get().validate(expected, record)).isTrue();
      } catch (UndecodableException e) {
        assertThat(e.getMessage()).isNotBlank();
      }
    }
  }
}
