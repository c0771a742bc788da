package io.indexview.schemas.change;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.fixtures.FailingRegistry;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.RegistryException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrimaryKeysTest {
  private static final Schema STRING = Schema.create(Schema.Type.STRING);
  private static final Schema PAIR =
      SchemaBuilder.record("Key").fields().requiredString("a").requiredString("b").endRecord();

  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
  private final PrimaryKeys keys = new PrimaryKeys(registry);

  @ParameterizedTest
  @ValueSource(strings = {"/Corporate/people/10012", "bucket/a file ü.txt", "", "x"})
  void takesPlainTextAsItIs(String key) throws MalformedEventException {
    byte[] bytes = key.getBytes(UTF_8);

    assertThat(keys.stateKey(bytes)).isSameAs(bytes);
    assertThat(keys.text(bytes)).isEqualTo(key);
  }

  @Test
  void meansOneRecordWhenOnlyTheSchemaIdsDiffer() throws MalformedEventException {
    Schema documented = SchemaBuilder.record("K").doc("v2").fields().requiredLong("id").endRecord();
    Schema plain = SchemaBuilder.record("K").fields().requiredLong("id").endRecord();
    byte[] first = key(plain, record(plain, 5L));
    byte[] second = key(documented, record(documented, 5L));

    assertThat(first).isNotEqualTo(second);
    assertThat(keys.stateKey(first)).isEqualTo(keys.stateKey(second)).containsExactly(10);
    assertThat(keys.text(first)).isEqualTo(keys.text(second)).isEqualTo("5");
  }

  @Test
  void makesTheKeyAgainFromWhatTheStateHolds() throws MalformedEventException {
    byte[] framed = key(STRING, "a");
    byte[] plain = "a".getBytes(UTF_8);

    assertThat(PrimaryKeys.key(keys.schemaId(framed), keys.stateKey(framed))).isEqualTo(framed);
    assertThat(PrimaryKeys.key(keys.schemaId(plain), keys.stateKey(plain))).isEqualTo(plain);
  }

  @Test
  void printsFramedKeys() throws MalformedEventException {
    Schema bytes = Schema.create(Schema.Type.BYTES);

    assertThat(keys.text(key(STRING, "a/b%"))).isEqualTo("a/b%");
    assertThat(keys.text(key(bytes, ByteBuffer.wrap(new byte[] {1, (byte) 0xfe}))))
        .isEqualTo("01fe");
    assertThat(keys.text(key(PAIR, record(PAIR, "x", "y")))).isEqualTo("x/y");
  }

  @Test
  void printsDecimalsAndFixedBytes() throws MalformedEventException {
    Schema cents = LogicalTypes.decimal(9, 2).addToSchema(Schema.create(Schema.Type.BYTES));
    Schema fixed = Schema.createFixed("F", null, null, 2);

    assertThat(keys.text(key(cents, ByteBuffer.wrap(new byte[] {0x04, (byte) 0xb0}))))
        .isEqualTo("12");
    assertThat(keys.text(key(fixed, new GenericData.Fixed(fixed, new byte[] {1, -1}))))
        .isEqualTo("01ff");
    assertMalformed(key(cents, ByteBuffer.allocate(0)), "a decimal has no byte");
    byte[] digits = new byte[16_385];
    digits[0] = 1;
    assertMalformed(key(cents, ByteBuffer.wrap(digits)), "a decimal of more than 16384 bytes");
  }

  @Test
  void printsColumnsThatMayBeNullAsOthers() throws MalformedEventException {
    Schema none = Schema.create(Schema.Type.NULL);
    Schema cents = LogicalTypes.decimal(9, 2).addToSchema(Schema.create(Schema.Type.BYTES));
    Schema anyScale =
        SchemaBuilder.record("io.debezium.data.VariableScaleDecimal")
            .fields()
            .requiredInt("scale")
            .requiredBytes("value")
            .endRecord();
    Schema key =
        SchemaBuilder.record("Key")
            .fields()
            .name("price")
            .type(Schema.createUnion(none, cents))
            .noDefault()
            .name("weight")
            .type(Schema.createUnion(anyScale, none))
            .noDefault()
            .name("tag")
            .type(Schema.createUnion(none, STRING))
            .noDefault()
            .endRecord();
    ByteBuffer twelve = ByteBuffer.wrap(new byte[] {0x04, (byte) 0xb0});
    GenericRecord weight = record(anyScale, 1, ByteBuffer.wrap(new byte[] {15}));

    assertThat(keys.text(key(key, record(key, twelve, weight, "x")))).isEqualTo("12/1.5/x");
    assertMalformed(key(key, record(key, null, weight, "x")), "key field \"price\" is null");
  }

  @Test
  void givesNumbersOfOneScaleOneText() {
    assertThat(PrimaryKeys.text(new BigDecimal("1.00"), false)).isEqualTo("1");
    assertThat(PrimaryKeys.text(new BigDecimal("1.00"), true)).isEqualTo("1.00");
    assertThat(PrimaryKeys.text(new BigDecimal("1E+1000"), false)).hasSize(1_001);
    assertThat(PrimaryKeys.text(new BigDecimal("1E+1001"), false)).isEqualTo("1E+1001");
  }

  /** The shortest framed key is of a record without fields, which all records would share. */
  @Test
  void refusesAKeyThatIsItsSchemaAlone() {
    Schema empty = SchemaBuilder.record("Empty").fields().endRecord();

    assertMalformed(key(empty, record(empty)), "without fields");
  }

  @Test
  void printsDifferentKeysDifferently() throws MalformedEventException {
    assertThat(keys.text(key(PAIR, record(PAIR, "a/b", "c")))).isEqualTo("a%2Fb/c");
    assertThat(keys.text(key(PAIR, record(PAIR, "a", "b/c")))).isEqualTo("a/b%2Fc");
    assertThat(keys.text(key(PAIR, record(PAIR, "a%2Fb", "c")))).isEqualTo("a%252Fb/c");
  }

  @Test
  void refusesABinaryKeyThatOnlyLooksFramed() {
    byte[] longSerializer = {0, 0, 0, 0, 0, 0, 0, 5};

    assertThatThrownBy(() -> keys.stateKey(longSerializer))
        .isInstanceOf(MalformedEventException.class)
        .hasMessageContaining("no schema of id 0");
  }

  @Test
  void refusesAKeyWhoseSchemaCannotBeUsed() {
    RegistryException.Rejected rejected = new RegistryException.Rejected("its type is JSON", null);

    assertThatThrownBy(
            () -> new PrimaryKeys(FailingRegistry.with(rejected)).stateKey(key(STRING, "a")))
        .isInstanceOf(MalformedEventException.class)
        .hasMessageEndingWith("its type is JSON")
        .hasCause(rejected);
  }

  @Test
  void refusesKeysWithoutText() {
    Schema nullable = SchemaBuilder.record("N").fields().optionalString("id").endRecord();
    Schema nested = SchemaBuilder.record("P").fields().name("k").type(PAIR).noDefault().endRecord();

    assertMalformed(null, "null");
    assertMalformed(new byte[] {(byte) 0xff, 1}, "neither UTF-8");
    assertMalformed(key(nullable, record(nullable, (Object) null)), "\"id\" is null");
    assertMalformed(key(nested, record(nested, record(PAIR, "a", "b"))), "\"k\"");
    assertMalformed(Arrays.copyOf(key(PAIR, record(PAIR, "aaaa", "bbbb")), 8), "not what schema");
  }

  private void assertMalformed(byte[] key, String part) {
    assertThatThrownBy(() -> keys.text(key))
        .isInstanceOf(MalformedEventException.class)
        .hasMessageContaining(part);
  }

  private byte[] key(Schema schema, Object datum) {
    return Messages.frame(registry.register("s" + schema.hashCode(), schema), schema, datum);
  }

  private static GenericRecord record(Schema schema, Object... fields) {
    GenericRecord record = new GenericData.Record(schema);
    for (int i = 0; i < fields.length; i++) {
      record.put(i, fields[i]);
    }
    return record;
  }
}
