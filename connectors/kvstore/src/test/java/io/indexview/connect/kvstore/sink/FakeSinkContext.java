package io.indexview.connect.kvstore.sink;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.connect.sink.ErrantRecordReporter;
import org.apache.kafka.connect.sink.SinkTaskContext;

/** Remembers what a task asked for. */
final class FakeSinkContext implements SinkTaskContext {
  final List<String> reports = new ArrayList<>();
  final List<Long> timeouts = new ArrayList<>();
  int commitRequests;
  boolean hasReporter = true;
  Set<TopicPartition> assignment = Set.of();

  @Override
  public Map<String, String> configs() {
    return Map.of();
  }

  @Override
  public void offset(Map<TopicPartition, Long> offsets) {
    throw new UnsupportedOperationException("no seeking");
  }

  @Override
  public void offset(TopicPartition tp, long offset) {
    throw new UnsupportedOperationException("no seeking");
  }

  @Override
  public void timeout(long timeoutMs) {
    timeouts.add(timeoutMs);
  }

  @Override
  public Set<TopicPartition> assignment() {
    return assignment;
  }

  @Override
  public void pause(TopicPartition... partitions) {
    throw new UnsupportedOperationException("no pausing");
  }

  @Override
  public void resume(TopicPartition... partitions) {
    throw new UnsupportedOperationException("no pausing");
  }

  @Override
  public void requestCommit() {
    commitRequests++;
  }

  @Override
  public ErrantRecordReporter errantRecordReporter() {
    if (!hasReporter) {
      return null;
    }
    return (record, error) -> {
      reports.add(error.getMessage());
      return CompletableFuture.completedFuture(null);
    };
  }

  @Override
  public PluginMetrics pluginMetrics() {
    throw new UnsupportedOperationException("no metrics");
  }
}
