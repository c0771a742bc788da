package io.indexview.connect.common.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.apicurio.registry.utils.converter.avro.AvroData;
import io.apicurio.registry.utils.converter.avro.AvroDataConfig;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.schemas.serde.ControlSchemas;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

class ViewStateChangeTest {
  private final StateRecords records = new StateRecords();

  @Test
  void readsEverythingThatAStateSays() {
    ViewState state =
        new ViewState(
            "by-org",
            "uid-1",
            7,
            1_500_000_000_000L,
            State.DEGRADED,
            3,
            "2 records have no rows",
            "people",
            "kv",
            "connect-kv",
            List.of(
                new ViewState.Generation(
                    1,
                    Role.SERVING,
                    2,
                    "{}",
                    OptionalLong.of(10),
                    OptionalLong.of(200),
                    OptionalLong.empty()),
                new ViewState.Generation(
                    2,
                    Role.BUILDING,
                    3,
                    "{}",
                    OptionalLong.empty(),
                    OptionalLong.empty(),
                    OptionalLong.empty())),
            List.of(new ViewState.Progress(0, 5, 10, false)),
            new ViewState.Freshness(OptionalLong.of(1_500_000_000_500L), "the sink"));

    assertThat(ViewStateChange.of(records.of(state))).isEqualTo(ViewStateChange.of(state));
  }

  @Test
  void knowsThatAViewIsGone() {
    for (Optional<String> uid :
        List.of(Optional.of("uid-1"), Optional.of(""), Optional.<String>empty())) {
      ViewStateChange gone = ViewStateChange.gone("by-org", uid);

      assertThat(ViewStateChange.of(records.of(gone))).isEqualTo(gone);
    }
  }

  @Test
  void readsStatesOfTheFirstReleaseMadeByAnotherConverter() throws IOException {
    Schema schema;
    try (InputStream in =
        ControlSchemas.class.getResourceAsStream("/released/0.1.0/ViewStateRecord.avsc")) {
      schema = new Schema.Parser().parse(in);
    }
    GenericRecord old = new GenericData.Record(schema);
    old.put("view", "by-org");
    old.put("state", new GenericData.EnumSymbol(schema.getField("state").schema(), "READY"));
    old.put("changedAt", 5L);
    AvroData plain =
        new AvroData(new AvroDataConfig(Map.of(AvroDataConfig.CONNECT_META_DATA_CONFIG, false)));

    ViewState state = read(plain.toConnectData(schema, old)).state().orElseThrow();

    assertThat(state.state()).isEqualTo(State.READY);
    assertThat(state.version()).isZero();
    assertThat(state.generations()).isEmpty();
  }

  @Test
  void takesAStateOfANewerReleaseForUnknown() {
    assertThat(read(struct("PAUSED", 5L)).state().orElseThrow().state()).isEqualTo(State.UNKNOWN);
  }

  @Test
  void refusesWhatIsNoState() {
    Struct withoutTime = new Struct(SchemaBuilder.struct().field("view", text()).build());
    withoutTime.put("view", "by-org");
    List<SchemaAndValue> values =
        List.of(
            new SchemaAndValue(text(), "READY"),
            new SchemaAndValue(withoutTime.schema(), withoutTime),
            struct("READY", "yesterday"));

    for (SchemaAndValue value : values) {
      assertThatThrownBy(() -> read(value))
          .isInstanceOf(DataException.class)
          .hasMessageStartingWith("indexview.view-states-0@3: no view state: ")
          .hasMessageContaining("AvroConverter");
    }
    assertThatThrownBy(() -> ViewStateChange.of(new SinkRecord("t", 0, null, null, null, null, 0)))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("the key is no text");
  }

  private static org.apache.kafka.connect.data.Schema text() {
    return org.apache.kafka.connect.data.Schema.STRING_SCHEMA;
  }

  private static SchemaAndValue struct(String state, Object changedAt) {
    Struct struct =
        new Struct(
            SchemaBuilder.struct()
                .field("view", text())
                .field("state", text())
                .field(
                    "changedAt",
                    changedAt instanceof Long
                        ? org.apache.kafka.connect.data.Schema.INT64_SCHEMA
                        : text())
                .build());
    struct.put("view", "by-org").put("state", state).put("changedAt", changedAt);
    return new SchemaAndValue(struct.schema(), struct);
  }

  private static ViewStateChange read(SchemaAndValue value) {
    return ViewStateChange.of(
        new SinkRecord(
            "indexview.view-states", 0, text(), "by-org", value.schema(), value.value(), 3));
  }
}
