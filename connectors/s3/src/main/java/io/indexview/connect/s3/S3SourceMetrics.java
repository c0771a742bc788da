package io.indexview.connect.s3;

import java.util.LinkedHashMap;
import java.util.function.DoubleSupplier;
import org.apache.kafka.common.metrics.Measurable;
import org.apache.kafka.common.metrics.PluginMetrics;

/** What a task tells of itself; measured on whatever thread asks. */
final class S3SourceMetrics {
  private final PluginMetrics metrics;

  /**
   * @param metrics of the task; they end with it
   */
  S3SourceMetrics(PluginMetrics metrics) {
    this.metrics = metrics;
  }

  S3SourceMetrics messagesInFlight(DoubleSupplier value) {
    return gauge("messages-in-flight", "Messages received and not deleted", value);
  }

  S3SourceMetrics unusableReceipts(DoubleSupplier value) {
    return gauge(
        "unusable-messages-total",
        "Receipts of messages that could not be read, or not be used yet",
        value);
  }

  S3SourceMetrics skippedEvents(DoubleSupplier value) {
    return gauge(
        "skipped-events-total", "Events that are no creation or removal of an object", value);
  }

  S3SourceMetrics incompleteBuckets(DoubleSupplier value) {
    return gauge(
        "incomplete-buckets",
        "Buckets whose listing cannot be completed; source-states says why",
        value);
  }

  private S3SourceMetrics gauge(String name, String description, DoubleSupplier value) {
    Measurable measurable = (config, now) -> value.getAsDouble();
    metrics.addMetric(metrics.metricName(name, description, new LinkedHashMap<>()), measurable);
    return this;
  }
}
