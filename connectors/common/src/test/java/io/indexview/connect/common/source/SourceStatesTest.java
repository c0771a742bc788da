package io.indexview.connect.common.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.apicurio.registry.utils.converter.avro.AvroData;
import io.indexview.connect.common.source.SourceStates.Report;
import io.indexview.schemas.control.KeyScope;
import io.indexview.schemas.control.SourceState.ChangeFeed;
import io.indexview.schemas.control.SourceState.Scan;
import io.indexview.schemas.control.SourceState.SnapshotNeeded;
import io.indexview.schemas.control.StoredValues;
import io.indexview.schemas.serde.ControlSchemas;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;

class SourceStatesTest {
  private static final SourcePartition PARTITION =
      new SourcePartition("people-store", "people", "0", 1);

  private final SourceStates states =
      new SourceStates(
          "indexview.source-states",
          Optional.of(Duration.ofDays(3)),
          Optional.of(new StoredValues("avro_store", "\"record\"", Map.of(2, "\"written\""))),
          "lists once");

  private static SourceRecord record(
      SourceStates states, Optional<String> topicId, Scans scans, long at) {
    return states.record(Map.of(), null, new Report(PARTITION, scans, at).topicId(topicId));
  }

  @Test
  void saysWhatTheLastScanReached() {
    Scan scan =
        new Scan(
            3,
            100,
            200,
            42,
            true,
            7,
            Optional.of(new KeyScope("/people", ".lob")),
            Map.of(1, 5L, 0, 7L),
            Map.of(0, 9L, 1, 8L));
    SourceRecord record =
        states.record(
            Map.of("sourcePartition", "0"),
            Map.of("scan", 3L),
            new Report(PARTITION, Scans.NONE.and(scan), 300).topicId(Optional.of("id")));

    assertThat(record.key()).isEqualTo("people-store|people|0");
    assertThat(record.topic()).isEqualTo("indexview.source-states");
    assertThat(record.sourceOffset()).isEqualTo(Map.of("scan", 3L));
    Struct last = ((Struct) record.value()).getStruct("lastScan");
    assertThat(last.getInt64("number")).isEqualTo(3);
    assertThat(last.getBoolean("adHoc")).isTrue();
    assertThat(last.getInt64("request")).isEqualTo(7);
    assertThat(last.getStruct("scope").getString("prefix")).isEqualTo("/people");
    assertThat(last.getStruct("scope").getString("exceptEnding")).isEqualTo(".lob");
    List<Struct> offsets = last.getArray("offsets");
    assertThat(offsets)
        .extracting(o -> List.of(o.getInt32("partition"), o.getInt64("begin"), o.getInt64("end")))
        .containsExactly(List.of(0, 7L, 9L), List.of(1, 5L, 8L));
  }

  @Test
  void keepsSayingWhatTheLastAdHocSnapshotReached() {
    Scan adHoc = new Scan(3, 100, 200, 42, true, 7, Optional.empty(), Map.of(0, 7L), Map.of(0, 9L));
    Scan later =
        new Scan(4, 300, 400, 42, false, 0, Optional.empty(), Map.of(0, 9L), Map.of(0, 9L));
    Scans scans = Scans.NONE.and(adHoc).and(later);

    Struct state = (Struct) record(states, Optional.empty(), scans, 500).value();

    assertThat(state.getStruct("lastScan").getInt64("number")).isEqualTo(4);
    assertThat(state.getStruct("lastAdHocSnapshot").getInt64("number")).isEqualTo(3);
    assertThat(state.getStruct("lastAdHocSnapshot").getInt64("request")).isEqualTo(7);
    assertThat(scans.answered()).isEqualTo(7);
    assertThat(Scans.NONE.answered()).isZero();
  }

  @Test
  void saysWhatKeepsAScanFromBeingCompleteAndWhatSnapshotsWereNeeded() {
    SourceRecord record =
        states.record(
            Map.of(),
            null,
            new Report(PARTITION, Scans.NONE, 300)
                .publishedUntil(200)
                .problem(Optional.of("object x is locked"))
                .snapshotNeeded(
                    Optional.of(new SnapshotNeeded(40, "the topic was trimmed")),
                    Optional.of(new SnapshotNeeded(30, "an event was lost"))));

    Struct state = (Struct) record.value();
    assertThat(state.getString("problem")).isEqualTo("object x is locked");
    assertThat(state.getInt64("publishedUntil")).isEqualTo(200);
    assertThat(state.getStruct("snapshotNeeded").getInt64("since")).isEqualTo(40);
    assertThat(state.getStruct("lastSnapshotNeeded").getInt64("since")).isEqualTo(30);
  }

  @Test
  void saysHowFarChangesAreFollowed() {
    ChangeFeed feed = new ChangeFeed(OptionalLong.of(250), Map.of(1, 4L, 0, 3L), Optional.empty());

    Struct said =
        ((Struct)
            states
                .record(
                    Map.of(),
                    null,
                    new Report(PARTITION, Scans.NONE, 300)
                        .changeFeed(Optional.of(feed))
                        .answeredScanRequest(6))
                .value());

    assertThat(said.getStruct("scanRequests").getInt64("answered")).isEqualTo(6);
    assertThat(said.getStruct("scanRequests").getString("refused")).isEqualTo("lists once");
    Struct state = said.getStruct("changeFeed");
    assertThat(state.getInt64("provenUntil")).isEqualTo(250);
    assertThat(state.<Struct>getArray("ends"))
        .extracting(end -> List.of((long) end.getInt32("partition"), end.getInt64("end")))
        .containsExactly(List.of(0L, 3L), List.of(1L, 4L));
    assertThat(state.getString("problem")).isNull();
  }

  @Test
  void hasNoScanBeforeTheFirstIsComplete() {
    SourceRecord record = record(states, Optional.empty(), Scans.NONE, 300);

    Struct state = (Struct) record.value();
    assertThat(state.get("lastScan")).isNull();
    assertThat(state.get("topicId")).isNull();
    assertThat(state.getInt64("heartbeatAt")).isEqualTo(300);
  }

  @Test
  void saysForHowLongItsTombstonesCountAndHowValuesAreWrittenIfItHasAny() {
    SourceStates without =
        new SourceStates("indexview.source-states", Optional.empty(), Optional.empty(), "");

    assertThat(((Struct) record(states, Optional.empty(), Scans.NONE, 1).value()))
        .returns(259_200_000L, state -> state.getInt64("tombstoneRetentionMs"))
        .returns("avro_store", state -> state.getString("valueFormat"))
        .returns("\"record\"", state -> state.getString("valueSchema"))
        .returns(Map.of("2", "\"written\""), state -> state.getMap("storeSchemas"));
    assertThat(((Struct) record(without, Optional.empty(), Scans.NONE, 1).value()))
        .returns(null, state -> state.getInt64("tombstoneRetentionMs"))
        .returns(null, state -> state.getString("valueFormat"))
        .returns(null, state -> state.getMap("storeSchemas"));
  }

  @Test
  void becomesTheControlRecordAgainThroughAnyConverter() {
    SourceRecord record = record(states, Optional.of("id"), Scans.NONE, 300);

    GenericRecord avro =
        (GenericRecord) new AvroData(10).fromConnectData(record.valueSchema(), record.value());
    assertThat(avro.getSchema().getFullName()).isEqualTo(ControlSchemas.SOURCE_STATE.getFullName());
    assertThat(avro.get("sourcePartitions")).isEqualTo(1);
    assertThat(GenericData.get().validate(avro.getSchema(), avro)).isTrue();
  }

  @Test
  void countsAcknowledgementsAndTheirEnds() {
    Acknowledgements acknowledgements = new Acknowledgements();
    acknowledgements.sent(3);
    acknowledgements.acknowledged(metadata(0, 10));
    acknowledgements.acknowledged(metadata(0, 9));
    acknowledgements.acknowledged(null);

    assertThat(acknowledgements.outstanding()).isZero();
    assertThat(acknowledgements.dropped()).isEqualTo(1);
    assertThat(acknowledgements.ends()).containsExactly(Map.entry(0, 11L));
  }

  private static RecordMetadata metadata(int partition, long offset) {
    return new RecordMetadata(new TopicPartition("people", partition), offset, 0, 0, 0, 0);
  }
}
