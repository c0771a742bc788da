package io.indexview.views.derive;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.DebeziumTypes;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.views.Samples;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewGeneration;
import java.util.List;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;

class RowSchemasTest {
  private static final Schema SHIFT =
      new Schema.Parser()
          .parse(
              """
              {"type": "record", "name": "Value", "namespace": "shop.public.shifts", "connect.name": "shop.public.shifts.Value", "fields": [
                {"name": "id", "type": "long"},
                {"name": "starts", "type": ["null", {"type": "long", "connect.name": "io.debezium.time.MicroTime"}], "default": null},
                {"name": "placed", "type": {"type": "long", "connect.name": "io.debezium.time.MicroTimestamp", "logicalType": "timestamp-micros"}},
                {"name": "calls", "type": {"type": "array", "items": {"type": "long", "connect.name": "io.debezium.time.MicroTime"}}},
                {"name": "pause", "type": {"type": "record", "name": "Pause", "fields": [
                  {"name": "length", "type": {"type": "long", "connect.name": "io.debezium.time.MicroDuration"}}]}},
                {"name": "other", "type": ["null", "Pause"], "default": null}
              ]}
              """);

  /** Sinks of Connect take the names for types, and views promise those of the numbers. */
  @Test
  void leavesOutTheNamesByWhichConnectTellsTypes() {
    ViewGeneration generation =
        Samples.freeze(
            new RecordSet("shifts", "shop.public.shifts", RecordFormat.FLAT, List.of(), SHIFT),
            """
            key: [id]
            include: [starts, placed, calls, pause, other]
            layout: key-value
            target: kv""");

    RowSchemas rows = RowSchemas.of(generation);

    assertThat(rows.value().toString()).doesNotContain(DebeziumTypes.CONNECT_NAME);
    assertThat(rows.value().getField("starts").hasDefaultValue()).isTrue();
    assertThat(rows.value().getField("placed").schema().getLogicalType())
        .isEqualTo(LogicalTypes.timestampMicros());
    assertThat(rows.value().getField("pause").schema())
        .isEqualTo(rows.value().getField("other").schema().getTypes().get(1));
    assertThat(generation.recordSet().schema()).isEqualTo(SHIFT);
  }
}
