package io.indexview.views.encoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.LocalDate;
import java.util.Date;
import java.util.List;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.util.Utf8;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FieldTypeTest {
  private static final LocalDate DAY = LocalDate.of(1960, 2, 29);
  private static final Instant TIME = Instant.parse("1960-02-29T23:59:59.999Z");

  @Test
  void takesTextInAnyForm() {
    assertThat(FieldType.STRING.normalise(new Utf8("é"))).isEqualTo("é");
    assertThat(FieldType.STRING.normalise("é")).isEqualTo("é");
  }

  @Test
  void takesEnumsAsSymbolsAndAsText() {
    Schema schema = SchemaBuilder.enumeration("State").symbols("OPEN");
    assertThat(FieldType.ENUM.normalise(new GenericData.EnumSymbol(schema, "OPEN")))
        .isEqualTo("OPEN");
    assertThat(FieldType.ENUM.normalise("OPEN")).isEqualTo("OPEN");
  }

  @Test
  void takesDatesFromAvroConnectAndJava() {
    assertThat(FieldType.DATE.normalise((int) DAY.toEpochDay())).isEqualTo(DAY);
    assertThat(FieldType.DATE.normalise(new Date(DAY.toEpochDay() * 86_400_000L))).isEqualTo(DAY);
    assertThat(FieldType.DATE.normalise(DAY)).isEqualTo(DAY);
  }

  @Test
  void takesTimestampsFromAvroConnectAndJava() {
    long millis = TIME.toEpochMilli();
    assertThat(FieldType.TIMESTAMP_MILLIS.normalise(millis)).isEqualTo(TIME);
    assertThat(FieldType.TIMESTAMP_MILLIS.normalise(new Date(millis))).isEqualTo(TIME);
    assertThat(FieldType.TIMESTAMP_MILLIS.normalise(TIME.plusNanos(1))).isEqualTo(TIME);
    assertThat(FieldType.TIMESTAMP_MICROS.normalise(millis * 1000)).isEqualTo(TIME);
  }

  @ParameterizedTest
  @ValueSource(
      longs = {0, -1, 1, -1_000_000, Long.MIN_VALUE, Long.MAX_VALUE, -62_135_596_800_000_001L})
  void givesTimesBackAsAvroHasThem(long micros) {
    FieldType type = FieldType.TIMESTAMP_MICROS;
    assertThat(type.toAvro(type.normalise(micros))).isEqualTo(micros);
  }

  @Test
  void makesEqualNumbersOne() {
    assertThat(FieldType.DOUBLE.normalise(-0.0)).isEqualTo(0.0);
    assertThat(FieldType.FLOAT.normalise(-0.0f)).isEqualTo(0.0f);
    double otherNan = Double.longBitsToDouble(0xfff8000000000001L);
    assertThat(Double.doubleToRawLongBits((Double) FieldType.DOUBLE.normalise(otherNan)))
        .isEqualTo(Double.doubleToRawLongBits(Double.NaN));
  }

  @Test
  void widensIntToLong() {
    assertThat(FieldType.LONG.normalise(5)).isEqualTo(5L);
  }

  @Test
  void refusesValuesOfOtherTypes() {
    for (FieldType type : FieldType.values()) {
      assertThatThrownBy(() -> type.normalise(List.of()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(type.name());
    }
  }

  @Test
  void refusesHalfASurrogatePair() {
    for (String text : List.of("a\ud83d", "\ude00", "\ud83dx", "\ude00\ud83d")) {
      assertThatThrownBy(() -> FieldType.STRING.normalise(text))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("surrogate");
    }
  }

  @Test
  void knowsTheTypesThatSort() {
    Schema intSchema = Schema.create(Schema.Type.INT);
    Schema longSchema = Schema.create(Schema.Type.LONG);
    assertThat(FieldType.of(intSchema)).contains(FieldType.INT);
    assertThat(FieldType.of(longSchema)).contains(FieldType.LONG);
    assertThat(FieldType.of(LogicalTypes.date().addToSchema(Schema.create(Schema.Type.INT))))
        .contains(FieldType.DATE);
    assertThat(
            FieldType.of(
                LogicalTypes.timestampMicros().addToSchema(Schema.create(Schema.Type.LONG))))
        .contains(FieldType.TIMESTAMP_MICROS);
    assertThat(FieldType.of(LogicalTypes.uuid().addToSchema(Schema.create(Schema.Type.STRING))))
        .contains(FieldType.STRING);
    assertThat(FieldType.of(LogicalTypes.timeMillis().addToSchema(Schema.create(Schema.Type.INT))))
        .isEmpty();
    assertThat(FieldType.of(Schema.create(Schema.Type.BYTES))).isEmpty();
    assertThat(FieldType.of(Schema.createMap(intSchema))).isEmpty();
  }

  @Test
  void leavesOtherNumbersAsTheyAre() {
    assertThat(FieldType.DOUBLE.normalise(1.5)).isEqualTo(1.5);
    assertThat(FieldType.FLOAT.normalise(-1.5f)).isEqualTo(-1.5f);
    assertThat(FieldType.FLOAT.normalise(Float.intBitsToFloat(0x7fc00001))).isEqualTo(Float.NaN);
  }
}
