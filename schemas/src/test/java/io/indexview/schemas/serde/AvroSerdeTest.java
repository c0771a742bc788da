package io.indexview.schemas.serde;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.fixtures.FailingRegistry;
import io.indexview.schemas.fixtures.ForwardingRegistry;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.RegistryConfig;
import io.indexview.schemas.registry.RegistryException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.avro.util.Utf8;
import org.apache.kafka.common.errors.SerializationException;
import org.junit.jupiter.api.Test;

class AvroSerdeTest {
  private static final String TOPIC = "people";
  private static final Schema PERSON =
      SchemaBuilder.record("Person")
          .fields()
          .requiredString("name")
          .optionalLong("cost")
          .name("tags")
          .type()
          .array()
          .items()
          .stringType()
          .noDefault()
          .endRecord();

  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
  private final AvroSerde serde = AvroSerde.forValues(registry);

  @Test
  void readsWhatItWrote() {
    GenericRecord person = person("Ann", 7L);

    byte[] message = serde.serializer().serialize(TOPIC, person);

    assertThat(WireFormat.schemaId(message)).isEqualTo(1);
    assertThat(serde.deserializer().deserialize(TOPIC, message)).isEqualTo(person);
  }

  @Test
  void keepsNull() {
    assertThat(serde.serializer().serialize(TOPIC, null)).isNull();
    assertThat(serde.deserializer().deserialize(TOPIC, (byte[]) null)).isNull();
    assertThat(registry.subjects()).isEmpty();
  }

  @Test
  void registersUnderTheTopicAndWhetherItIsKeyOrValue() {
    serde.serializer().serialize(TOPIC, person("Ann", null));
    AvroSerde.forKeys(registry).serializer().serialize(TOPIC, person("Ann", null));

    assertThat(registry.subjects())
        .containsExactly(Subjects.value(TOPIC), Subjects.key(TOPIC))
        .containsExactly("people-value", "people-key");
  }

  @Test
  void asksTheRegistryOncePerSchemaInstanceAndTopic() {
    CountingRegistry counting = new CountingRegistry();
    AvroSerde counted = AvroSerde.forValues(counting);
    for (int i = 0; i < 3; i++) {
      byte[] message = counted.serializer().serialize(TOPIC, person("Ann", (long) i));
      counted.deserializer().deserialize(TOPIC, message);
    }
    assertThat(counting.registered).hasValue(1);
    assertThat(counting.read).hasValue(1);

    counted.serializer().serialize("other", person("Ann", null));
    assertThat(counting.registered).hasValue(2);
  }

  @Test
  void staysRightWhenEveryRecordBringsItsOwnSchemaInstance() {
    for (int i = 0; i < 2_500; i++) {
      Schema copy = new Schema.Parser().parse(PERSON.toString());
      GenericRecord person = person(copy, "p" + i, null);
      byte[] message = serde.serializer().serialize(TOPIC, person);
      assertThat(WireFormat.schemaId(message)).isEqualTo(1);
    }
    assertThat(registry.versions("people-value")).hasSize(1);
  }

  @Test
  void resolvesToTheReaderSchema() {
    Schema ours =
        SchemaBuilder.record("Person")
            .fields()
            .requiredString("name")
            .name("org")
            .type()
            .stringType()
            .stringDefault("none")
            .endRecord();
    byte[] message = serde.serializer().serialize(TOPIC, person("Ann", 7L));

    GenericRecord read =
        AvroSerde.forValues(registry, ours).deserializer().deserialize(TOPIC, message);

    assertThat(read.getSchema()).isEqualTo(ours);
    assertThat(read.get("org")).hasToString("none");
  }

  @Test
  void isSafeForSeveralThreads() {
    List<Object> names =
        IntStream.range(0, 2_000)
            .parallel()
            .mapToObj(i -> serde.serializer().serialize(TOPIC, person("p" + i, (long) i)))
            .map(message -> serde.deserializer().deserialize(TOPIC, message).get("name"))
            .toList();

    assertThat(names)
        .isEqualTo(IntStream.range(0, 2_000).mapToObj(i -> new Utf8("p" + i)).toList());
  }

  @Test
  void refusesARecordThatDoesNotFitItsSchemaAndWritesTheNext() {
    GenericRecord bad = person("Ann", null);
    bad.put("cost", "not a number");

    assertThatThrownBy(() -> serde.serializer().serialize(TOPIC, bad))
        .isInstanceOf(SerializationException.class)
        .hasMessageContaining(TOPIC);
    byte[] next = serde.serializer().serialize(TOPIC, person("Bob", 1L));
    assertThat(serde.deserializer().deserialize(TOPIC, next)).isEqualTo(person("Bob", 1L));
  }

  @Property(tries = 500)
  void takesAnyWrongBytesForASerializationError(@ForAll byte[] bytes) {
    serde.serializer().serialize(TOPIC, person("Ann", null));

    readOrRefuse(bytes);
    readOrRefuse(WireFormat.frame(1, bytes));
  }

  private void readOrRefuse(byte[] message) {
    try {
      GenericRecord read = serde.deserializer().deserialize(TOPIC, message);
      assertThat(read.getSchema()).isEqualTo(PERSON);
    } catch (SerializationException e) {
      assertThat(e).hasMessageContaining(TOPIC);
    }
  }

  @Test
  void refusesBytesAfterTheRecord() {
    byte[] message = serde.serializer().serialize(TOPIC, person("Ann", null));
    byte[] longer = Arrays.copyOf(message, message.length + 1);

    assertThatThrownBy(() -> serde.deserializer().deserialize(TOPIC, longer))
        .isInstanceOf(SerializationException.class)
        .hasMessageContaining("bytes are left");
  }

  @Test
  void refusesASchemaIdThatTheRegistryDoesNotHave() {
    assertThatThrownBy(
            () -> serde.deserializer().deserialize(TOPIC, WireFormat.frame(9, new byte[3])))
        .isInstanceOf(SerializationException.class)
        .hasMessageContaining("schema id 9")
        .hasCauseInstanceOf(RegistryException.NotFound.class);
  }

  @Test
  void doesNotBlameTheBytesWhenTheRegistryDoesNotAnswer() {
    AvroDeserializer cut = new AvroDeserializer(FailingRegistry.away());

    assertThatThrownBy(() -> cut.deserialize(TOPIC, WireFormat.frame(1, new byte[3])))
        .isInstanceOf(RegistryException.Unavailable.class);
  }

  @Test
  void readsARecordThatMayBeNull() {
    Schema optional = Schema.createUnion(Schema.create(Schema.Type.NULL), PERSON);
    MessageWriter writer = new MessageWriter(registry, false);

    byte[] message = writer.write(TOPIC, optional, person("Ann", 1L));

    assertThat(serde.deserializer().deserialize(TOPIC, message)).isEqualTo(person("Ann", 1L));
  }

  @Test
  void refusesASchemaThatIsNoRecord() {
    registry.register("people-value", Schema.create(Schema.Type.STRING));

    assertThatThrownBy(
            () -> serde.deserializer().deserialize(TOPIC, WireFormat.frame(1, new byte[1])))
        .isInstanceOf(SerializationException.class)
        .hasMessageContaining("STRING");
  }

  @Test
  void isConfiguredByTheKeysOfTheRegistry() {
    try (AvroSerde configured = new AvroSerde()) {
      configured.configure(Map.of(RegistryConfig.URL_CONFIG, "mock://avro-serde-test"), true);

      byte[] message = configured.serializer().serialize(TOPIC, person("Ann", 1L));

      assertThat(configured.deserializer().deserialize(TOPIC, message))
          .isEqualTo(person("Ann", 1L));
      assertThat(InMemorySchemaRegistry.shared("avro-serde-test").subjects())
          .containsExactly("people-key");
    }
  }

  private static GenericRecord person(String name, Long cost) {
    return person(PERSON, name, cost);
  }

  private static GenericRecord person(Schema schema, String name, Long cost) {
    return new GenericRecordBuilder(schema)
        .set("name", new Utf8(name))
        .set("cost", cost)
        .set("tags", List.of(new Utf8("a"), new Utf8("b")))
        .build();
  }

  private static final class CountingRegistry extends ForwardingRegistry {
    private final AtomicInteger registered = new AtomicInteger();
    private final AtomicInteger read = new AtomicInteger();

    private CountingRegistry() {
      super(new InMemorySchemaRegistry());
    }

    @Override
    public int register(String subject, Schema schema) {
      registered.incrementAndGet();
      return super.register(subject, schema);
    }

    @Override
    public Schema byId(int id) {
      read.incrementAndGet();
      return super.byId(id);
    }
  }
}
