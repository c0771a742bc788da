package io.indexview.connect.common.sink;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
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
public final class FakeSinkContext implements SinkTaskContext {
  private final boolean reports;
  private final List<String> rejected = new ArrayList<>();
  private final List<SinkRecord> reported = new ArrayList<>();
  private final List<Long> timeouts = new ArrayList<>();
  private final PluginMetrics metrics = new PluginMetricsImpl(new Metrics(), Map.of());
  private int commitRequests;
  private final Set<TopicPartition> paused = new HashSet<>();
  private final Map<TopicPartition, Long> rewound = new HashMap<>();
  private Set<TopicPartition> assignment = Set.of();

  /** Of a connector with a dead-letter topic. */
  public FakeSinkContext() {
    this(true);
  }

  /**
   * @param reports whether the connector has a dead-letter topic
   */
  public FakeSinkContext(boolean reports) {
    this.reports = reports;
  }

  /** Why records were rejected. */
  public List<String> rejected() {
    return rejected;
  }

  /** The records that were rejected. */
  public List<SinkRecord> reported() {
    return reported;
  }

  public int commitRequests() {
    return commitRequests;
  }

  /** When the task wanted to be called again, ms each time. */
  public List<Long> timeouts() {
    return timeouts;
  }

  /** When the task wants to be called again, ms; -1: it did not say. */
  public long nextScan() {
    return timeouts.isEmpty() ? -1 : timeouts.get(timeouts.size() - 1);
  }

  public void assign(Set<TopicPartition> partitions) {
    assignment = partitions;
    paused.retainAll(partitions);
  }

  /** The worker remembers what is paused until partitions are assigned again. */
  public void lose() {
    assignment = Set.of();
  }

  /** Partitions of which the task wants no records for the time being. */
  public Set<TopicPartition> paused() {
    return paused;
  }

  /** From where the task wants its partitions read again. */
  public Map<TopicPartition, Long> rewound() {
    return rewound;
  }

  @Override
  public ErrantRecordReporter errantRecordReporter() {
    return reports
        ? (record, error) -> {
          reported.add(record);
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
    timeouts.add(timeoutMs);
  }

  @Override
  public Set<TopicPartition> assignment() {
    return assignment;
  }

  @Override
  public PluginMetrics pluginMetrics() {
    return metrics;
  }

  @Override
  public Map<String, String> configs() {
    return Map.of();
  }

  @Override
  public void offset(Map<TopicPartition, Long> offsets) {
    rewound.putAll(offsets);
  }

  @Override
  public void offset(TopicPartition partition, long offset) {
    rewound.put(partition, offset);
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
