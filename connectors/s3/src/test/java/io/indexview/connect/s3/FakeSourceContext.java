package io.indexview.connect.s3;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.common.metrics.internals.PluginMetricsImpl;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTaskContext;
import org.apache.kafka.connect.storage.OffsetStorageReader;

/** What the worker is to a task: keeps offsets. */
final class FakeSourceContext implements SourceTaskContext, OffsetStorageReader {
  private final Map<Map<String, ?>, Map<String, ?>> offsets = new HashMap<>();
  private Metrics metrics = new Metrics();

  double metric(String name) {
    return metrics.metrics().entrySet().stream()
        .filter(entry -> entry.getKey().name().equals(name))
        .mapToDouble(entry -> ((Number) entry.getValue().metricValue()).doubleValue())
        .findFirst()
        .orElseThrow();
  }

  /** Names of all that the task shows. */
  Set<String> shown() {
    return metrics.metrics().keySet().stream()
        .filter(name -> name.tags().containsKey("connector"))
        .map(MetricName::name)
        .collect(Collectors.toSet());
  }

  void store(SourceRecord record) {
    offsets.put(record.sourcePartition(), record.sourceOffset());
  }

  void store(Map<String, ?> partition, Map<String, ?> offset) {
    offsets.put(partition, offset);
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
    // The worker takes away those of a task that ended.
    metrics = new Metrics();
    return new PluginMetricsImpl(metrics, Map.of("connector", "files"));
  }

  @Override
  @SuppressWarnings("unchecked")
  public <T> Map<String, Object> offset(Map<String, T> partition) {
    return (Map<String, Object>) offsets.get(partition);
  }

  @Override
  public <T> Map<Map<String, T>, Map<String, Object>> offsets(
      Collection<Map<String, T>> partitions) {
    Map<Map<String, T>, Map<String, Object>> found = new HashMap<>();
    partitions.forEach(partition -> found.put(partition, offset(partition)));
    return found;
  }
}
