package io.indexview.views.encoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.avro.util.Utf8;
import org.junit.jupiter.api.Test;

class PlainValuesTest {
  private static final Schema BYTES = Schema.create(Schema.Type.BYTES);
  private static final Schema DECIMAL =
      LogicalTypes.decimal(9, 2).addToSchema(Schema.create(Schema.Type.BYTES));

  @Test
  void makesAllFormsOfBytesOne() {
    Schema fixed = Schema.createFixed("F", null, "test", 2);
    ByteBuffer expected = ByteBuffer.wrap(new byte[] {1, 2});

    assertThat(PlainValues.of(BYTES, new byte[] {1, 2})).isEqualTo(expected);
    assertThat(PlainValues.of(BYTES, ByteBuffer.wrap(new byte[] {0, 1, 2}, 1, 2)))
        .isEqualTo(expected);
    assertThat(PlainValues.of(fixed, new GenericData.Fixed(fixed, new byte[] {1, 2})))
        .isEqualTo(expected);
  }

  @Test
  void readsDecimalsFromAvroAndConnect() {
    BigDecimal expected = new BigDecimal("-12.34");

    assertThat(PlainValues.of(DECIMAL, expected)).isEqualTo(expected);
    assertThat(PlainValues.of(DECIMAL, ByteBuffer.wrap(expected.unscaledValue().toByteArray())))
        .isEqualTo(expected);
  }

  @Test
  void readsTimesOfDayFromAvroAndConnect() {
    Schema time = LogicalTypes.timeMillis().addToSchema(Schema.create(Schema.Type.INT));

    assertThat(PlainValues.of(time, 1500)).isEqualTo(1500);
    assertThat(PlainValues.of(time, new Date(1500))).isEqualTo(1500);

    Schema micros = LogicalTypes.timeMicros().addToSchema(Schema.create(Schema.Type.LONG));
    assertThat(PlainValues.of(micros, 1500L)).isEqualTo(1500L);
    assertThatThrownBy(() -> PlainValues.of(micros, "text"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void readsMapsByTextKeys() {
    Schema schema = SchemaBuilder.map().values().nullable().stringType();

    assertThat(PlainValues.of(schema, Map.of(new Utf8("a"), new Utf8("b"))))
        .isEqualTo(Map.of("a", "b"));
  }

  @Test
  void findsTheTypeOfAValueAmongSeveral() {
    Schema day = LogicalTypes.date().addToSchema(Schema.create(Schema.Type.INT));
    Schema schema = Schema.createUnion(day, Schema.create(Schema.Type.STRING));

    assertThat(PlainValues.of(schema, 1)).isEqualTo(LocalDate.of(1970, 1, 2));
    assertThat(PlainValues.of(schema, new Utf8("a"))).isEqualTo("a");
    assertThatThrownBy(() -> PlainValues.of(schema, 1.5))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("java.lang.Double is none of");
  }

  @Test
  void readsNestedRecordsAsRecordsAndAsMaps() {
    Schema inner = SchemaBuilder.record("I").fields().optionalString("x").endRecord();
    Schema schema = SchemaBuilder.array().items(inner);
    Object record = new GenericRecordBuilder(inner).set("x", new Utf8("a")).build();

    assertThat(PlainValues.of(schema, List.of(record)))
        .isEqualTo(List.of(Map.of("x", "a")))
        .isEqualTo(PlainValues.of(schema, List.of(Map.of("x", "a"))));
  }

  @Test
  void refusesValuesOfOtherTypes() {
    for (Schema schema :
        List.of(
            BYTES,
            DECIMAL,
            SchemaBuilder.map().values().stringType(),
            SchemaBuilder.array().items().stringType(),
            SchemaBuilder.record("R").fields().endRecord())) {
      assertThatThrownBy(() -> PlainValues.of(schema, "text"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("java.lang.String");
    }
  }

  @Test
  void supportsAllButUnionsOfSeveralTypes() {
    Schema recursive =
        new Schema.Parser()
            .parse(
                """
                {"type": "record", "name": "Tree", "fields": [
                  {"name": "child", "type": ["null", "Tree"]}]}
                """);
    Schema several =
        Schema.createUnion(Schema.create(Schema.Type.INT), Schema.create(Schema.Type.STRING));

    assertThat(PlainValues.supports(recursive)).isTrue();
    assertThat(PlainValues.supports(several)).isFalse();
    assertThat(PlainValues.supports(Schema.createUnion(Schema.create(Schema.Type.NULL)))).isFalse();
    Schema deep = Schema.createMap(Schema.createArray(several));
    assertThat(PlainValues.supports(deep)).isFalse();
    assertThat(PlainValues.supports(Schema.createUnion(Schema.create(Schema.Type.NULL), deep)))
        .isFalse();
    Schema inner =
        SchemaBuilder.record("I").fields().name("x").type(several).noDefault().endRecord();
    Schema outer = SchemaBuilder.record("O").fields().name("i").type(inner).noDefault().endRecord();
    assertThat(PlainValues.supports(outer)).isFalse();
  }
}
