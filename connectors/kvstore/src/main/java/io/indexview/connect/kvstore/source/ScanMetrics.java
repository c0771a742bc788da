package io.indexview.connect.kvstore.source;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.apache.kafka.common.metrics.Measurable;
import org.apache.kafka.common.metrics.PluginMetrics;

/** The progress of scans as metrics of a task: one of each kind for each record set. */
final class ScanMetrics {
  private static final String TAG = "record-set";

  private final PluginMetrics metrics;
  private final ScanProgress progress;

  private ScanMetrics(PluginMetrics metrics, ScanProgress progress) {
    this.metrics = metrics;
    this.progress = progress;
  }

  /**
   * Adds the metrics of a record set.
   *
   * @param metrics of the task; they end with it
   */
  static void add(PluginMetrics metrics, ScanProgress progress) {
    ScanMetrics ofRecordSet = new ScanMetrics(metrics, progress);
    ofRecordSet.addNow();
    ofRecordSet.addSoFar();
  }

  /** Adds the gauges of the scan under way, or of the last one when none is. */
  private void addNow() {
    gauge("scan-records", "Records that the scan has seen", p -> p.counts().records());
    gauge("scan-records-per-second", "Records that the scan sees", ScanProgress::recordsPerSecond);
    gauge(
        "scan-position",
        "Share of the records that the scan under way has seen, by the last count",
        ScanProgress::position);
    gauge(
        "skipped-table-rows",
        "Rows of the store's tables that the scan passed over",
        p -> p.counts().tableRows());
    gauge(
        "skipped-large-objects",
        "Large objects that the scan passed over",
        p -> p.counts().largeObjects());
    gauge(
        "last-scan-age-ms",
        "Time since the end of the last complete scan",
        ScanProgress::lastScanAge);
    gauge(
        "proven-age-ms",
        "Time since when every change is known to be on the topic",
        ScanProgress::provenAge);
  }

  private void addSoFar() {
    gauge("scans-total", "Complete scans of this task", ScanProgress::scans);
    gauge("events-total", "Differences that complete scans published", ScanProgress::events);
    gauge(
        "changed-keys-read-total",
        "Keys that were read as changes of the store named them",
        ScanProgress::changedKeys);
    gauge(
        "undecodable-records-total",
        "Records that went to the dead-letter topic",
        ScanProgress::undecodableRecords);
  }

  private void gauge(String name, String description, ToDoubleFunction<ScanProgress> value) {
    LinkedHashMap<String, String> tags = new LinkedHashMap<>(Map.of(TAG, progress.recordSet()));
    Measurable measurable = (config, now) -> value.applyAsDouble(progress);
    metrics.addMetric(metrics.metricName(name, description, tags), measurable);
  }
}
