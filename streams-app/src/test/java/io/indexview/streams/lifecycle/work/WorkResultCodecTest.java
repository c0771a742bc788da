package io.indexview.streams.lifecycle.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.control.BuildRequest;
import io.indexview.schemas.control.PublishedGeneration;
import java.util.List;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class WorkResultCodecTest {
  private static final PublishedGeneration PUBLISHED =
      new PublishedGeneration(
          "by-org",
          3,
          "{\"name\":\"by-org\"}",
          "people",
          "indexview.changes.people",
          "indexview.view.kv.by-org.3",
          new PublishedGeneration.SchemaIds(1, 2, 3),
          1,
          1_000,
          BuildRequest.FIRST,
          false);

  static List<WorkResult> results() {
    return List.of(
        new WorkResult.Done("by-org", 3, "remove-rows|by-org|3"),
        new WorkResult.Refused("by-org", 4, "freeze|by-org|4", "key: unknown field \"org\""),
        new WorkResult.Frozen("freeze|by-org|3", PUBLISHED, "{\"number\":3}", 4),
        new WorkResult.Waiting("by-org", 3, "ready|by-org|3|1", "the first sweep"),
        new WorkResult.TopicFound("by-org", 3, "indexview.view.kv.by-org.3"),
        new WorkResult.RowRejected("by-org", 3, 0, 17, new RejectedRow("ab12", 2, 9, "too large")),
        new WorkResult.RowSuperseded("by-org", 3, "ab12", 9),
        new WorkResult.SinkFellBehind("by-org", 3, "8 days behind"),
        new WorkResult.SchemaChecked("by-org", 3, "records lack \"org\""),
        new WorkResult.RecordSetBroken("people", 5_000, "partition 1 was trimmed"),
        new WorkResult.RecordSetWhole("people", 6_000));
  }

  @ParameterizedTest
  @MethodSource("results")
  void comesBackFromTheTopic(WorkResult result) {
    GenericRecord record = WorkResultCodec.toAvro(result, 7_000);

    assertThat(WorkResultCodec.isIn(record)).isTrue();
    assertThat(GenericData.get().validate(record.getSchema(), record)).isTrue();
    assertThat(WorkResultCodec.of(record)).isEqualTo(result);
    assertThat(record.get("view")).isEqualTo(result.view());
    assertThat(record.get("generation")).isEqualTo(result.generation());
  }

  @Test
  void keysTellResultsApartThatDoNotReplaceEachOther() {
    assertThat(results().stream().map(WorkResultCodec::key)).doesNotHaveDuplicates();
  }

  @Test
  void namesTheKindThatItDoesNotKnow() {
    GenericRecord record = WorkResultCodec.toAvro(results().get(0), 0);
    GenericRecord work = (GenericRecord) record.get("work");
    work.put("kind", "teleported");
    work.put("result", "{\"kind\":\"teleported\"}");

    assertThatThrownBy(() -> WorkResultCodec.of(record))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("teleported");
  }
}
