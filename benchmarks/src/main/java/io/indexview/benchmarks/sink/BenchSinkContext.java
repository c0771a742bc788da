package io.indexview.benchmarks.sink;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.common.metrics.internals.PluginMetricsImpl;
import org.apache.kafka.connect.sink.ErrantRecordReporter;
import org.apache.kafka.connect.sink.SinkTaskContext;

/** A worker that lets its task write and commit, and remembers the first rejection. */
public final class BenchSinkContext implements SinkTaskContext {
  private final AtomicReference<Throwable> rejected = new AtomicReference<>();
  private final PluginMetrics metrics = new PluginMetricsImpl(new Metrics(), Map.of());
  private final Set<TopicPartition> paused = new HashSet<>();
  private Set<TopicPartition> assignment = Set.of();
  private long timeout;

  /**
   * @throws IllegalStateException if a record was rejected
   */
  public void requireNothingRejected() {
    if (rejected.get() != null) {
      throw new IllegalStateException("the sink rejected a row", rejected.get());
    }
  }

  @Override
  public ErrantRecordReporter errantRecordReporter() {
    return (record, error) -> {
      rejected.compareAndSet(null, error);
      return CompletableFuture.completedFuture(null);
    };
  }

  @Override
  public Map<String, String> configs() {
    return Map.of();
  }

  /** Sets the partitions of which the task gets records from now on. */
  public void assign(TopicPartition partition) {
    assignment = Set.of(partition);
    paused.retainAll(assignment);
  }

  /** Whether the task wants no records for the time being. */
  public boolean isPaused() {
    return !paused.isEmpty();
  }

  @Override
  public Set<TopicPartition> assignment() {
    return assignment;
  }

  /** How long the task would have a worker wait for records; milliseconds. */
  public long timeout() {
    return timeout;
  }

  @Override
  public void timeout(long timeoutMs) {
    timeout = timeoutMs;
  }

  @Override
  public void requestCommit() {}

  @Override
  public PluginMetrics pluginMetrics() {
    return metrics;
  }

  @Override
  public void offset(Map<TopicPartition, Long> offsets) {
    throw new UnsupportedOperationException("no seeking");
  }

  @Override
  public void offset(TopicPartition partition, long offset) {
    throw new UnsupportedOperationException("no seeking");
  }

  @Override
  public void pause(TopicPartition... partitions) {
    paused.addAll(List.of(partitions));
  }

  @Override
  public void resume(TopicPartition... partitions) {
    paused.removeAll(List.of(partitions));
  }
}
