package io.indexview.schemas.change;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;

class DebeziumTypesTest {
  private static final Schema ORDER =
      new Schema.Parser()
          .parse(
              """
              {"type": "record", "name": "Value", "namespace": "shop.public.orders", "fields": [
                {"name": "ordered", "type": ["null", {"type": "int", "connect.version": 1, "connect.name": "io.debezium.time.Date"}], "default": null},
                {"name": "placed", "type": {"type": "long", "connect.version": 1, "connect.name": "io.debezium.time.MicroTimestamp"}},
                {"name": "paid", "type": {"type": "long", "connect.version": 1, "connect.name": "io.debezium.time.Timestamp"}},
                {"name": "at", "type": {"type": "long", "connect.version": 1, "connect.name": "io.debezium.time.MicroTime"}},
                {"name": "reference", "type": {"type": "string", "connect.version": 1, "connect.name": "io.debezium.data.Uuid"}},
                {"name": "sent", "type": {"type": "long", "logicalType": "timestamp-millis", "connect.name": "io.debezium.time.Timestamp"}},
                {"name": "calls", "type": {"type": "array", "items": {"type": "long", "connect.name": "io.debezium.time.Timestamp"}}}
              ]}
              """);

  @Test
  void tellsDatesAndTimestampsAsAvroDoes() {
    Schema typed = DebeziumTypes.withLogicalTypes(ORDER);

    assertThat(type(typed, "ordered").getTypes().get(1).getLogicalType())
        .isEqualTo(LogicalTypes.date());
    assertThat(type(typed, "placed").getLogicalType()).isEqualTo(LogicalTypes.timestampMicros());
    assertThat(type(typed, "paid").getLogicalType()).isEqualTo(LogicalTypes.timestampMillis());
    assertThat(type(typed, "calls").getElementType().getLogicalType())
        .isEqualTo(LogicalTypes.timestampMillis());
    assertThat(typed.getFullName()).isEqualTo(ORDER.getFullName());
  }

  @Test
  void leavesOtherTypesAsTheyAre() {
    Schema typed = DebeziumTypes.withLogicalTypes(ORDER);

    for (String other : new String[] {"at", "reference", "sent"}) {
      assertThat(type(typed, other)).as(other).isEqualTo(type(ORDER, other));
    }
  }

  @Test
  void givesBackASchemaThatKnowsNothingOfDebezium() {
    Schema plain = Schema.create(Schema.Type.LONG);

    assertThat(DebeziumTypes.withLogicalTypes(plain)).isSameAs(plain);
  }

  @Test
  void knowsTimesByTheirNames() {
    assertThat(DebeziumTypes.isTime("io.debezium.time.ZonedTimestamp")).isTrue();
    assertThat(DebeziumTypes.isTime("io.debezium.data.Uuid")).isFalse();
  }

  private static Schema type(Schema record, String field) {
    return record.getField(field).schema();
  }
}
