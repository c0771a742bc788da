package io.indexview.connect.dynamodb;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.common.metrics.internals.PluginMetricsImpl;
import org.apache.kafka.connect.sink.ErrantRecordReporter;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTaskContext;

/** What the worker is to a task: remembers what it was asked for. */
final class FakeSinkContext implements SinkTaskContext {
  private final boolean reports;
  private final List<String> rejected = new ArrayList<>();
  private int commitRequests;
  private long timeout = -1;

  /**
   * @param reports whether the connector has a dead-letter topic
   */
  FakeSinkContext(boolean reports) {
    this.reports = reports;
  }

  List<String> rejected() {
    return rejected;
  }

  int commitRequests() {
    return commitRequests;
  }

  long nextLook() {
    return timeout;
  }

  @Override
  public ErrantRecordReporter errantRecordReporter() {
    return reports
        ? (SinkRecord record, Throwable error) -> {
          rejected.add(error.getMessage());
          return CompletableFuture.completedFuture(null);
        }
        : null;
  }

  @Override
  public void requestCommit() {
    commitRequests++;
  }

  @Override
  public void timeout(long timeoutMs) {
    timeout = timeoutMs;
  }

  @Override
  public Map<String, String> configs() {
    return Map.of();
  }

  @Override
  public void offset(Map<TopicPartition, Long> offsets) {
    throw new UnsupportedOperationException("a task never rewinds");
  }

  @Override
  public void offset(TopicPartition partition, long offset) {
    throw new UnsupportedOperationException("a task never rewinds");
  }

  @Override
  public Set<TopicPartition> assignment() {
    return Set.of();
  }

  @Override
  public void pause(TopicPartition... partitions) {
    throw new UnsupportedOperationException("a task never pauses");
  }

  @Override
  public void resume(TopicPartition... partitions) {
    throw new UnsupportedOperationException("a task never pauses");
  }

  @Override
  public PluginMetrics pluginMetrics() {
    return new PluginMetricsImpl(new Metrics(), Map.of());
  }
}
