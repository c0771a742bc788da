package io.indexview.connect.common.source;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.SourceState.SnapshotNeeded;
import io.indexview.schemas.control.StoredValues;
import io.indexview.schemas.serde.ControlSchemas;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.source.SourceRecord;

/** Builds the records of source-states: how complete a source is, and that it is alive. */
public final class SourceStates {
  private static final Schema SCAN =
      ControlSchemas.SOURCE_STATE.getField("lastScan").schema().getTypes().get(1);
  private static final Schema NEEDED =
      ControlSchemas.SOURCE_STATE.getField("snapshotNeeded").schema().getTypes().get(1);
  private static final Schema FEED =
      ControlSchemas.SOURCE_STATE.getField("changeFeed").schema().getTypes().get(1);
  private static final Schema REQUESTS =
      ControlSchemas.SOURCE_STATE.getField("scanRequests").schema().getTypes().get(1);
  private static final Schema FEED_END = FEED.getField("ends").schema().getElementType();
  private static final Schema OFFSETS = SCAN.getField("offsets").schema().getElementType();

  private final String topic;
  private final Duration tombstoneRetention;
  private final StoredValues values;
  private final String refusesScans;
  private final ConnectData connectData = new ConnectData();

  /**
   * @param topic the source-states topic
   * @param tombstoneRetention by which the source's index judges events; null: it has none
   * @param values how the records are written in the KV store; null: they are not in one
   * @param refusesScans why no scan is made that is asked for; empty: it is
   */
  public SourceStates(
      String topic, Duration tombstoneRetention, StoredValues values, String refusesScans) {
    this.topic = topic;
    this.tombstoneRetention = tombstoneRetention;
    this.values = values;
    this.refusesScans = refusesScans;
  }

  /** The record of a source partition whose scans nothing keeps from being complete. */
  public SourceRecord record(
      Map<String, ?> sourcePartition,
      Map<String, ?> sourceOffset,
      SourcePartition part,
      String topicId,
      Scans scans,
      long heartbeatAt) {
    return record(
        sourcePartition,
        sourceOffset,
        part,
        topicId,
        scans,
        heartbeatAt,
        null,
        null,
        null,
        null,
        null,
        0);
  }

  /**
   * One record.
   *
   * @param sourcePartition its name in Connect's offsets
   * @param sourceOffset what Connect stores once the record is acknowledged
   * @param topicId Kafka's id of the primary-change topic that the scans are of; null before the
   *     first
   * @param scans those that are complete
   * @param heartbeatAt ms since the epoch
   * @param publishedUntil all that was sent to the source's queue before is in Kafka, ms since the
   *     epoch; 0: it does not know yet; null: it has none
   * @param problem what keeps the scan that is being made, or was made last, from being complete;
   *     null: nothing does
   * @param snapshotNeeded null: it is not
   * @param lastSnapshotNeeded the last one, also when its snapshot is complete; null: it never was
   * @param changeFeed null: the source does not follow changes of its store
   * @param answeredScanRequest see {@link ScanAnswers#answered}
   */
  @SuppressWarnings("checkstyle:ParameterNumber")
  public SourceRecord record(
      Map<String, ?> sourcePartition,
      Map<String, ?> sourceOffset,
      SourcePartition part,
      String topicId,
      Scans scans,
      long heartbeatAt,
      Long publishedUntil,
      String problem,
      SnapshotNeeded snapshotNeeded,
      SnapshotNeeded lastSnapshotNeeded,
      ChangeFeedState changeFeed,
      long answeredScanRequest) {
    GenericRecord state = new GenericData.Record(ControlSchemas.SOURCE_STATE);
    state.put("source", part.source());
    state.put("topic", part.topic());
    state.put("topicId", topicId);
    state.put("sourcePartition", part.sourcePartition());
    state.put("sourcePartitions", part.sourcePartitions());
    state.put("lastScan", scan(scans.last()));
    state.put("lastForced", scan(scans.lastForced()));
    state.put("heartbeatAt", heartbeatAt);
    state.put("publishedUntil", publishedUntil);
    state.put("problem", problem);
    state.put("snapshotNeeded", needed(snapshotNeeded));
    state.put("lastSnapshotNeeded", needed(lastSnapshotNeeded));
    state.put(
        "tombstoneRetentionMs", tombstoneRetention == null ? null : tombstoneRetention.toMillis());
    if (values != null) {
      values.putInto(state);
    }
    state.put("changeFeed", changeFeed(changeFeed));
    GenericRecord requests = new GenericData.Record(REQUESTS);
    requests.put("answered", answeredScanRequest);
    requests.put("refused", refusesScans);
    state.put("scanRequests", requests);
    SchemaAndValue value = connectData.of(state);
    return new SourceRecord(
        sourcePartition,
        sourceOffset,
        topic,
        Topics.CONTROL_PARTITION,
        org.apache.kafka.connect.data.Schema.STRING_SCHEMA,
        part.key(),
        value.schema(),
        value.value(),
        heartbeatAt);
  }

  private static GenericRecord changeFeed(ChangeFeedState feed) {
    if (feed == null) {
      return null;
    }
    GenericRecord record = new GenericData.Record(FEED);
    record.put("provenUntil", feed.provenUntil());
    record.put("problem", feed.problem());
    record.put(
        "ends",
        new TreeMap<>(feed.ends())
            .entrySet().stream()
                .map(
                    end -> {
                      GenericRecord offset = new GenericData.Record(FEED_END);
                      offset.put("partition", end.getKey());
                      offset.put("end", end.getValue());
                      return offset;
                    })
                .toList());
    return record;
  }

  private static GenericRecord needed(SnapshotNeeded needed) {
    if (needed == null) {
      return null;
    }
    GenericRecord record = new GenericData.Record(NEEDED);
    record.put("since", needed.sinceMs());
    record.put("reason", needed.reason());
    return record;
  }

  private static GenericRecord scan(Scan scan) {
    if (scan == null) {
      return null;
    }
    GenericRecord record = new GenericData.Record(SCAN);
    record.put("number", scan.number());
    record.put("startedAt", scan.startedAt());
    record.put("endedAt", scan.endedAt());
    record.put("records", scan.records());
    record.put("forced", scan.forced());
    record.put("request", scan.request());
    record.put("scope", scan.scope() == null ? null : scan.scope().toAvro());
    record.put("offsets", offsets(scan));
    return record;
  }

  private static List<GenericRecord> offsets(Scan scan) {
    return new TreeSet<>(scan.begins().keySet())
        .stream()
            .map(
                partition -> {
                  GenericRecord offsets = new GenericData.Record(OFFSETS);
                  offsets.put("partition", partition);
                  offsets.put("begin", scan.begins().get(partition));
                  offsets.put("end", scan.ends().get(partition));
                  return offsets;
                })
            .toList();
  }

  /**
   * What a source says of the changes of its store that it follows between two scans.
   *
   * @param provenUntil every change that was made before is on the topic, ms since the epoch; null:
   *     no time is known
   * @param ends offset of each partition before which these changes are; empty: no time is known
   * @param problem why changes are not followed now, for people; null: they are
   */
  public record ChangeFeedState(Long provenUntil, Map<Integer, Long> ends, String problem) {
    public ChangeFeedState {
      ends = Map.copyOf(ends);
    }
  }
}
