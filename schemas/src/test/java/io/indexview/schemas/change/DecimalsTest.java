package io.indexview.schemas.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.SchemaBuilder.FieldAssembler;
import org.apache.avro.generic.GenericData;
import org.junit.jupiter.api.Test;

class DecimalsTest {
  private static final Schema CENTS =
      LogicalTypes.decimal(9, 2).addToSchema(Schema.create(Schema.Type.BYTES));
  private static final Schema FIXED_CENTS =
      LogicalTypes.decimal(9, 2).addToSchema(Schema.createFixed("Cents", null, null, 4));
  private static final Schema ANY_SCALE =
      debezium().requiredInt("scale").requiredBytes("value").endRecord();

  private static FieldAssembler<Schema> debezium() {
    return SchemaBuilder.record("io.debezium.data.VariableScaleDecimal").fields();
  }

  private static ByteBuffer bytes(int... bytes) {
    ByteBuffer buffer = ByteBuffer.allocate(bytes.length);
    for (int one : bytes) {
      buffer.put((byte) one);
    }
    return buffer.flip();
  }

  @Test
  void knowsDecimalsOfBothKinds() {
    assertThat(Decimals.areOf(CENTS)).isTrue();
    assertThat(Decimals.areOf(FIXED_CENTS)).isTrue();
    assertThat(Decimals.areOf(ANY_SCALE)).isTrue();
    assertThat(Decimals.areOf(Schema.create(Schema.Type.BYTES))).isFalse();

    assertThat(Decimals.isOfAnyScale(ANY_SCALE)).isTrue();
    assertThat(Decimals.isOfAnyScale(CENTS)).isFalse();
  }

  @Test
  void takesOtherRecordsForNoDecimals() {
    List<Schema> others =
        List.of(
            SchemaBuilder.record("Other")
                .fields()
                .requiredInt("scale")
                .requiredBytes("value")
                .endRecord(),
            debezium().requiredInt("scale").requiredBytes("value").requiredInt("more").endRecord(),
            debezium().requiredInt("scale").endRecord(),
            debezium().requiredLong("scale").requiredBytes("value").endRecord(),
            debezium().requiredInt("scale").requiredString("value").endRecord(),
            SchemaBuilder.fixed("io.debezium.data.VariableScaleDecimal").size(2));

    assertThat(others).noneMatch(Decimals::isOfAnyScale).noneMatch(Decimals::areOf);
  }

  @Test
  void readsNumbersOfOneScale() {
    ByteBuffer digits = bytes(7, 0x00, 0xc8).position(1);

    assertThat(Decimals.of(CENTS, digits)).isEqualTo(new BigDecimal("2.00"));
    assertThat(digits.remaining()).isEqualTo(2);
    assertThat(
            Decimals.of(
                FIXED_CENTS, new GenericData.Fixed(FIXED_CENTS, new byte[] {-1, -1, -1, -1})))
        .isEqualTo(new BigDecimal("-0.01"));
  }

  @Test
  void readsNumbersThatBringTheirScale() {
    GenericData.Record number = new GenericData.Record(ANY_SCALE);
    number.put("scale", 3);
    number.put("value", bytes(0x07, 0xd0));

    assertThat(Decimals.of(ANY_SCALE, number)).isEqualTo(new BigDecimal("2.000"));
  }

  @Test
  void refusesNumbersWithoutDigits() {
    assertThatThrownBy(() -> Decimals.of(CENTS, bytes()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a decimal has no byte");
  }
}
