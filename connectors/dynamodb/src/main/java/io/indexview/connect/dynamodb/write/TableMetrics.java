package io.indexview.connect.dynamodb.write;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.Measurable;
import org.apache.kafka.common.metrics.PluginMetrics;

/** The limiters of tables as metrics of a task, with the table as a tag. */
public final class TableMetrics implements TableLimiters.Listener {
  private static final String TAG = "table";

  private final PluginMetrics metrics;
  private final Map<TableLimiter, List<MetricName>> names = new HashMap<>();

  public TableMetrics(PluginMetrics metrics) {
    this.metrics = metrics;
  }

  @Override
  public void added(TableLimiter limiter) {
    names.put(limiter, new ArrayList<>());
    gauge(
        limiter,
        "applied-rows-total",
        "Rows that are as their writes want it",
        f -> f.appliedRows());
    gauge(
        limiter,
        "held-off-rows-total",
        "Rows whose writes newer rows held off",
        f -> f.heldOffRows());
    gauge(
        limiter,
        "failed-requests-total",
        "Requests that were not taken, or not whole, for the time being",
        f -> f.failures());
    gauge(
        limiter,
        "write-units-total",
        "Write capacity units used, as the store said; by their sizes for rows held off",
        TableLimiter::units);
    gauge(limiter, "requests-in-flight", "Requests in flight", f -> f.requestsInFlight());
    gauge(
        limiter,
        "requests-in-flight-limit",
        "Requests that may be in flight now",
        f -> f.requestLimit());
  }

  private void gauge(
      TableLimiter limiter, String name, String description, ToDoubleFunction<TableLimiter> value) {
    LinkedHashMap<String, String> tags = new LinkedHashMap<>(Map.of(TAG, limiter.table()));
    MetricName metric = metrics.metricName(name, description, tags);
    Measurable measurable = (config, now) -> value.applyAsDouble(limiter);
    metrics.addMetric(metric, measurable);
    names.get(limiter).add(metric);
  }

  @Override
  public void removed(TableLimiter limiter) {
    names.remove(limiter).forEach(metrics::removeMetric);
  }
}
