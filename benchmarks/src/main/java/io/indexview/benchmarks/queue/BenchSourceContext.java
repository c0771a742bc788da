package io.indexview.benchmarks.queue;

import java.util.Collection;
import java.util.Map;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.common.metrics.internals.PluginMetricsImpl;
import org.apache.kafka.connect.source.SourceTaskContext;
import org.apache.kafka.connect.storage.OffsetStorageReader;

/** What a worker is to a task that keeps no offsets. */
final class BenchSourceContext implements SourceTaskContext, OffsetStorageReader {
  private final Metrics metrics = new Metrics();

  /** What the task tells of itself. */
  double metric(String name) {
    return metrics.metrics().entrySet().stream()
        .filter(entry -> entry.getKey().name().equals(name))
        .mapToDouble(entry -> ((Number) entry.getValue().metricValue()).doubleValue())
        .findFirst()
        .orElseThrow();
  }

  @Override
  public Map<String, String> configs() {
    return Map.of();
  }

  @Override
  public OffsetStorageReader offsetStorageReader() {
    return this;
  }

  @Override
  public PluginMetrics pluginMetrics() {
    return new PluginMetricsImpl(metrics, Map.of());
  }

  @Override
  public <T> Map<String, Object> offset(Map<String, T> partition) {
    return null;
  }

  @Override
  public <T> Map<Map<String, T>, Map<String, Object>> offsets(
      Collection<Map<String, T>> partitions) {
    return Map.of();
  }
}
