package io.indexview.connect.common.source;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.SourceState.ChangeFeed;
import io.indexview.schemas.control.SourceState.ScanRequests;
import io.indexview.schemas.control.SourceState.SnapshotNeeded;
import io.indexview.schemas.control.StoredValues;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.source.SourceRecord;

/** Builds the records of source-states: how complete a source is, and that it is alive. */
public final class SourceStates {
  private final String topic;
  private final Optional<Duration> tombstoneRetention;
  private final Optional<StoredValues> values;
  private final String refusesScans;
  private final ConnectData connectData = new ConnectData();

  /**
   * @param topic the source-states topic
   * @param tombstoneRetention by which the source's index judges events; empty: it has none
   * @param values how the records are written in the KV store; empty: they are not in one
   * @param refusesScans why no scan is made that is asked for; empty: it is
   */
  public SourceStates(
      String topic,
      Optional<Duration> tombstoneRetention,
      Optional<StoredValues> values,
      String refusesScans) {
    this.topic = topic;
    this.tombstoneRetention = tombstoneRetention;
    this.values = values;
    this.refusesScans = refusesScans;
  }

  /**
   * One record.
   *
   * @param sourcePartition its name in Connect's offsets
   * @param sourceOffset what Connect stores once the record is acknowledged
   * @param topicId Kafka's id of the primary-change topic that the scans are of; empty before the
   *     first
   * @param scans those that are complete
   * @param heartbeatAt ms since the epoch
   * @param publishedUntil all that was sent to the source's queue before is in Kafka, ms since the
   *     epoch; 0: it does not know yet; empty: it has none
   * @param problem what keeps the scan that is being made, or was made last, from being complete;
   *     empty: nothing does
   * @param snapshotNeeded empty: it is not
   * @param lastSnapshotNeeded the last one, also when its snapshot is complete; empty: it never was
   * @param changeFeed empty: the source does not follow changes of its store
   * @param answeredScanRequest see {@link ScanAnswers#answered}
   */
  @SuppressWarnings("checkstyle:ParameterNumber")
  public SourceRecord record(
      Map<String, ?> sourcePartition,
      Map<String, ?> sourceOffset,
      SourcePartition part,
      Optional<String> topicId,
      Scans scans,
      long heartbeatAt,
      OptionalLong publishedUntil,
      Optional<String> problem,
      Optional<SnapshotNeeded> snapshotNeeded,
      Optional<SnapshotNeeded> lastSnapshotNeeded,
      Optional<ChangeFeed> changeFeed,
      long answeredScanRequest) {
    SourceState state =
        new SourceState(
            part.source(),
            part.topic(),
            topicId,
            part.sourcePartition(),
            part.sourcePartitions(),
            Optional.ofNullable(scans.last()),
            Optional.ofNullable(scans.lastForced()),
            heartbeatAt,
            publishedUntil,
            problem,
            snapshotNeeded,
            lastSnapshotNeeded,
            tombstoneRetention,
            values,
            changeFeed,
            Optional.of(new ScanRequests(answeredScanRequest, refusesScans)));
    SchemaAndValue value = connectData.of(state.toAvro());
    return new SourceRecord(
        sourcePartition,
        sourceOffset,
        topic,
        Topics.CONTROL_PARTITION,
        Schema.STRING_SCHEMA,
        state.key(),
        value.schema(),
        value.value(),
        heartbeatAt);
  }
}
