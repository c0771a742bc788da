package io.indexview.connect.kvstore.source;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.apache.kafka.common.metrics.Measurable;
import org.apache.kafka.common.metrics.PluginMetrics;

/** The progress of sweeps as metrics of a task: one of each kind for each record set. */
final class SweepMetrics {
  private static final String TAG = "record-set";

  private final PluginMetrics metrics;
  private final SweepProgress progress;

  private SweepMetrics(PluginMetrics metrics, SweepProgress progress) {
    this.metrics = metrics;
    this.progress = progress;
  }

  /**
   * Adds the metrics of a record set.
   *
   * @param metrics of the task; they end with it
   */
  static void add(PluginMetrics metrics, SweepProgress progress) {
    SweepMetrics ofRecordSet = new SweepMetrics(metrics, progress);
    ofRecordSet.addNow();
    ofRecordSet.addSoFar();
  }

  /** Of the sweep under way, or of the last one when none is. */
  private void addNow() {
    gauge("sweep-records", "Records that the sweep has seen", p -> p.counts().records());
    gauge(
        "sweep-records-per-second", "Records that the sweep sees", SweepProgress::recordsPerSecond);
    gauge(
        "sweep-position",
        "Share of the records that the sweep under way has seen, by the last count",
        SweepProgress::position);
    gauge(
        "skipped-table-rows",
        "Rows of the store's tables that the sweep passed over",
        p -> p.counts().tableRows());
    gauge(
        "skipped-large-objects",
        "Large objects that the sweep passed over",
        p -> p.counts().largeObjects());
    gauge(
        "last-sweep-age-ms",
        "Time since the end of the last complete sweep",
        SweepProgress::lastSweepAge);
  }

  private void addSoFar() {
    gauge("sweeps-total", "Complete sweeps of this task", SweepProgress::sweeps);
    gauge("events-total", "Differences that complete sweeps published", SweepProgress::events);
    gauge(
        "undecodable-records-total",
        "Records that went to the dead-letter topic",
        SweepProgress::undecodableRecords);
  }

  private void gauge(String name, String description, ToDoubleFunction<SweepProgress> value) {
    LinkedHashMap<String, String> tags = new LinkedHashMap<>(Map.of(TAG, progress.recordSet()));
    Measurable measurable = (config, now) -> value.applyAsDouble(progress);
    metrics.addMetric(metrics.metricName(name, description, tags), measurable);
  }
}
