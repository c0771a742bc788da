package io.indexview.connect.common.source;

import io.indexview.schemas.control.SourceState.SnapshotNeeded;
import io.indexview.schemas.serde.ControlSchemas;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.source.SourceRecord;

/** Builds the records of source-states: how complete a source is, and that it is alive. */
public final class SourceStates {
  private static final Schema LOOK =
      ControlSchemas.SOURCE_STATE.getField("lastLook").schema().getTypes().get(1);
  private static final Schema NEEDED =
      ControlSchemas.SOURCE_STATE.getField("snapshotNeeded").schema().getTypes().get(1);
  private static final Schema OFFSETS = LOOK.getField("offsets").schema().getElementType();

  private final String topic;
  private final ConnectData connectData = new ConnectData();

  /**
   * @param topic the source-states topic
   */
  public SourceStates(String topic) {
    this.topic = topic;
  }

  /** The record of a slice whose looks nothing keeps from being complete. */
  public SourceRecord record(
      Map<String, ?> sourcePartition,
      Map<String, ?> sourceOffset,
      SourceSlice slice,
      String topicId,
      Looks looks,
      long heartbeatAt) {
    return record(sourcePartition, sourceOffset, slice, topicId, looks, heartbeatAt, null, null);
  }

  /**
   * One record.
   *
   * @param sourcePartition of the slice, for Connect's offsets
   * @param sourceOffset what Connect stores once the record is acknowledged
   * @param topicId Kafka's id of the primary-change topic that the looks are of; null before the
   *     first
   * @param looks those that are complete
   * @param heartbeatAt ms since the epoch
   * @param problem what keeps the look that is being made, or was made last, from being complete;
   *     null: nothing does
   * @param snapshotNeeded null: it is not
   */
  @SuppressWarnings("checkstyle:ParameterNumber")
  public SourceRecord record(
      Map<String, ?> sourcePartition,
      Map<String, ?> sourceOffset,
      SourceSlice slice,
      String topicId,
      Looks looks,
      long heartbeatAt,
      String problem,
      SnapshotNeeded snapshotNeeded) {
    GenericRecord state = new GenericData.Record(ControlSchemas.SOURCE_STATE);
    state.put("source", slice.source());
    state.put("topic", slice.topic());
    state.put("topicId", topicId);
    state.put("slice", slice.slice());
    state.put("slices", slice.slices());
    state.put("lastLook", look(looks.last()));
    state.put("lastForced", look(looks.lastForced()));
    state.put("heartbeatAt", heartbeatAt);
    state.put("problem", problem);
    state.put("snapshotNeeded", snapshotNeeded == null ? null : needed(snapshotNeeded));
    SchemaAndValue value = connectData.of(state);
    return new SourceRecord(
        sourcePartition,
        sourceOffset,
        topic,
        null,
        org.apache.kafka.connect.data.Schema.STRING_SCHEMA,
        slice.key(),
        value.schema(),
        value.value(),
        heartbeatAt);
  }

  private static GenericRecord needed(SnapshotNeeded needed) {
    GenericRecord record = new GenericData.Record(NEEDED);
    record.put("since", needed.sinceMs());
    record.put("reason", needed.reason());
    return record;
  }

  private static GenericRecord look(Look look) {
    if (look == null) {
      return null;
    }
    GenericRecord record = new GenericData.Record(LOOK);
    record.put("number", look.number());
    record.put("startedAt", look.startedAt());
    record.put("endedAt", look.endedAt());
    record.put("records", look.records());
    record.put("forced", look.forced());
    record.put("request", look.request());
    record.put("scope", look.scope() == null ? null : look.scope().toAvro());
    record.put("offsets", offsets(look));
    return record;
  }

  private static List<GenericRecord> offsets(Look look) {
    return new TreeSet<>(look.begins().keySet())
        .stream()
            .map(
                partition -> {
                  GenericRecord offsets = new GenericData.Record(OFFSETS);
                  offsets.put("partition", partition);
                  offsets.put("begin", look.begins().get(partition));
                  offsets.put("end", look.ends().get(partition));
                  return offsets;
                })
            .toList();
  }
}
