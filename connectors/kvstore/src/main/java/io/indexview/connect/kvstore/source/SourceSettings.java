package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.source.SourcePartition;
import io.indexview.connect.common.source.SourceStates;
import io.indexview.connect.kvstore.config.CaptureFragment.CaptureMode;
import io.indexview.connect.kvstore.config.KvRecordSet;
import io.indexview.connect.kvstore.source.StoreScan.ScanPlan;
import io.indexview.connect.kvstore.source.index.BegunScan;
import io.indexview.schemas.control.StoredValues;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.avro.SchemaNormalization;

/**
 * How a record set is published.
 *
 * @param statesTopic the source-states topic
 */
record SourceSettings(
    KvRecordSet recordSet,
    SourcePartition sourcePartition,
    String statesTopic,
    String deadLetterTopic,
    ScanSettings scan,
    CaptureSettings capture,
    Duration heartbeatInterval) {
  /** Records that the store sends at a time, at most. */
  static final int MAX_FETCH_SIZE = 500;

  /**
   * @param batchSize records that one poll returns at most
   * @param maxRecordsPerSecond see {@link ReadRateLimiter}
   * @param maxBytesPerSecond see {@link ReadRateLimiter}
   * @param chunkRows index rows that a scan holds in memory
   */
  record ScanSettings(
      String incarnation,
      ScanPauses pauses,
      int concurrency,
      int batchSize,
      long maxRecordsPerSecond,
      long maxBytesPerSecond,
      int chunkRows) {

    /** Creates the limiter that all reads of the record set's store share. */
    ReadRateLimiter rateLimiter() {
      return new ReadRateLimiter(maxRecordsPerSecond, maxBytesPerSecond);
    }
  }

  /**
   * @param delay from when a change is named to when its record is read
   * @param scanInterval longest time between two scans while changes are followed
   */
  record CaptureSettings(CaptureMode mode, Duration delay, Duration scanInterval) {}

  /**
   * Builds the records of source-states.
   *
   * @param tombstoneRetention by which the index judges events
   */
  SourceStates states(Duration tombstoneRetention) {
    return new SourceStates(
        statesTopic,
        Optional.of(tombstoneRetention),
        Optional.of(recordSet.values().published()),
        "");
  }

  /**
   * What a scan is to do.
   *
   * @param first no scan was completed before
   */
  ScanPlan plan(BegunScan begun, boolean first) {
    return new ScanPlan(
        recordSet,
        scan.incarnation(),
        begun.adHoc(),
        first,
        scan.concurrency(),
        Math.min(scan.batchSize(), MAX_FETCH_SIZE),
        scan.chunkRows(),
        begun.startedAt());
  }

  /** Which keys of which store are looked at, as text. */
  String keys() {
    return scan.incarnation() + " " + recordSet.scope();
  }

  /** How their values are read: a digest of format and schemas. */
  String values() {
    StoredValues values = recordSet.values().published();
    String read = values.format() + values.schema() + new TreeMap<>(values.storeSchemas());
    return "%016x"
        .formatted(SchemaNormalization.fingerprint64(read.getBytes(StandardCharsets.UTF_8)));
  }

  /** Both: a scan goes on from one that was begun if it would have read the same. */
  String scope() {
    return keys() + " " + values();
  }
}
