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

  /** What a source partition says of itself. What is not set it does not say. */
  public static final class Report {
    private final SourcePartition part;
    private final Scans scans;
    private final long heartbeatAt;
    private Optional<String> topicId = Optional.empty();
    private OptionalLong publishedUntil = OptionalLong.empty();
    private Optional<String> problem = Optional.empty();
    private Optional<SnapshotNeeded> snapshotNeeded = Optional.empty();
    private Optional<SnapshotNeeded> lastSnapshotNeeded = Optional.empty();
    private Optional<ChangeFeed> changeFeed = Optional.empty();
    private long answeredScanRequest;

    /**
     * @param scans those that are complete
     * @param heartbeatAt ms since the epoch
     */
    public Report(SourcePartition part, Scans scans, long heartbeatAt) {
      this.part = part;
      this.scans = scans;
      this.heartbeatAt = heartbeatAt;
    }

    /**
     * @param id Kafka's id of the primary-change topic that the scans are of; empty before the
     *     first
     */
    public Report topicId(Optional<String> id) {
      topicId = id;
      return this;
    }

    /**
     * @param time all that was sent to the source's queue before is in Kafka, ms since the epoch;
     *     0: it does not know yet
     */
    public Report publishedUntil(long time) {
      publishedUntil = OptionalLong.of(time);
      return this;
    }

    /**
     * @param reason what keeps the scan that is being made, or was made last, from being complete;
     *     empty: nothing does
     */
    public Report problem(Optional<String> reason) {
      problem = reason;
      return this;
    }

    /**
     * @param needed empty: it is not
     * @param last the last one, also when its snapshot is complete; empty: it never was
     */
    public Report snapshotNeeded(Optional<SnapshotNeeded> needed, Optional<SnapshotNeeded> last) {
      snapshotNeeded = needed;
      lastSnapshotNeeded = last;
      return this;
    }

    /**
     * @param feed empty: the source does not follow changes of its store
     */
    public Report changeFeed(Optional<ChangeFeed> feed) {
      changeFeed = feed;
      return this;
    }

    /**
     * @param number see {@link ScanAnswers#answered}
     */
    public Report answeredScanRequest(long number) {
      answeredScanRequest = number;
      return this;
    }
  }

  /**
   * One record.
   *
   * @param sourcePartition its name in Connect's offsets
   * @param sourceOffset what Connect stores once the record is acknowledged
   */
  public SourceRecord record(
      Map<String, ?> sourcePartition, Map<String, ?> sourceOffset, Report report) {
    SourceState state =
        new SourceState(
            report.part.source(),
            report.part.topic(),
            report.topicId,
            report.part.sourcePartition(),
            report.part.sourcePartitions(),
            Optional.ofNullable(report.scans.last()),
            Optional.ofNullable(report.scans.lastAdHocSnapshot()),
            report.heartbeatAt,
            report.publishedUntil,
            report.problem,
            report.snapshotNeeded,
            report.lastSnapshotNeeded,
            tombstoneRetention,
            values,
            report.changeFeed,
            Optional.of(new ScanRequests(report.answeredScanRequest, refusesScans)));
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
        report.heartbeatAt);
  }
}
