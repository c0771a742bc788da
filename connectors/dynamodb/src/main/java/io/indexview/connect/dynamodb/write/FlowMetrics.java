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

/** The flows of tables as metrics of a task, with the table as a tag. */
public final class FlowMetrics implements TableFlows.Listener {
  private static final String TAG = "table";

  private final PluginMetrics metrics;
  private final Map<TableFlow, List<MetricName>> names = new HashMap<>();

  public FlowMetrics(PluginMetrics metrics) {
    this.metrics = metrics;
  }

  @Override
  public void added(TableFlow flow) {
    names.put(flow, new ArrayList<>());
    gauge(
        flow, "applied-rows-total", "Rows that are as their writes want it", f -> f.appliedRows());
    gauge(
        flow, "held-off-rows-total", "Rows whose writes newer rows held off", f -> f.heldOffRows());
    gauge(
        flow,
        "failed-requests-total",
        "Requests that were not taken, or not whole, for the time being",
        f -> f.failures());
    gauge(
        flow,
        "write-units-total",
        "Write capacity units used, as the store told; by their sizes for rows held off",
        TableFlow::units);
    gauge(flow, "requests-in-flight", "Requests in flight", f -> f.requestsInFlight());
    gauge(
        flow,
        "requests-in-flight-limit",
        "Requests that may be in flight now",
        f -> f.requestLimit());
  }

  private void gauge(
      TableFlow flow, String name, String description, ToDoubleFunction<TableFlow> value) {
    LinkedHashMap<String, String> tags = new LinkedHashMap<>(Map.of(TAG, flow.table()));
    MetricName metric = metrics.metricName(name, description, tags);
    Measurable measurable = (config, now) -> value.applyAsDouble(flow);
    metrics.addMetric(metric, measurable);
    names.get(flow).add(metric);
  }

  @Override
  public void removed(TableFlow flow) {
    names.remove(flow).forEach(metrics::removeMetric);
  }
}
