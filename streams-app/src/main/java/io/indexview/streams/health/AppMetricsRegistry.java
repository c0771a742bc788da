package io.indexview.streams.health;

import io.indexview.streams.health.AppMetrics.ViewCounters;
import io.indexview.streams.health.RecordSetCounters.Outcome;
import io.indexview.streams.health.ViewMeter.ViewFigures;
import io.indexview.streams.health.ViewStateGauges.Shown;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.Gauge;
import org.apache.kafka.common.metrics.JmxReporter;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.KafkaMetricsContext;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.utils.Time;

/**
 * Lists every metric of the application: its name and description, and how it is read when somebody
 * asks. Each is an attribute of an MBean, and a metric on the {@link MetricsPage} under the same
 * name with the tags as labels. Names of counters end in {@code -total}. Safe for use by several
 * threads.
 */
final class AppMetricsRegistry implements AutoCloseable {
  static final String DOMAIN = "indexview.app";
  static final String CLIENT_ID = "client-id";

  private final Metrics registry;

  private AppMetricsRegistry(Metrics registry) {
    this.registry = registry;
    // Its own metric, how many it has, says nothing to users.
    List.copyOf(registry.metrics().keySet()).forEach(registry::removeMetric);
  }

  static AppMetricsRegistry withoutJmx() {
    return new AppMetricsRegistry(new Metrics());
  }

  /**
   * @param clientId tells the applications of one JVM apart
   */
  static AppMetricsRegistry withJmx(String clientId) {
    return new AppMetricsRegistry(
        new Metrics(
            new MetricConfig().tags(Map.of(CLIENT_ID, clientId)),
            new ArrayList<>(List.of(new JmxReporter())),
            Time.SYSTEM,
            new KafkaMetricsContext(DOMAIN)));
  }

  Collection<KafkaMetric> metrics() {
    return registry.metrics().values();
  }

  void addApp(LongSupplier unreadable, LongSupplier offsetsLeft, IntSupplier registryWaits) {
    new MetricGroup("app-metrics")
        .add(
            "unreadable-control-records-total",
            "Control records that nobody can read, ignored.",
            unreadable::getAsLong)
        .add(
            "registry-waits",
            "Threads and partitions waiting for the schema registry.",
            registryWaits::getAsInt)
        .add(
            "restore-offsets-left",
            "Offsets of changelogs that are still to be restored from.",
            offsetsLeft::getAsLong);
  }

  void addRecordSet(String name, RecordSetCounters counters) {
    MetricGroup group = new MetricGroup("record-set-metrics", "record-set", name);
    for (Outcome outcome : Outcome.values()) {
      group.add(
          "events-total",
          "Change events since the start, by what became of them; again if a commit was aborted.",
          () -> counters.total(outcome),
          "outcome",
          outcome.label());
    }
    group
        .add(
            "tombstones-purged-total",
            "Tombstones dropped after tombstone.retention.ms.",
            counters::purged)
        .add(
            "snapshot-deletions-total",
            "Records deleted because an ad-hoc snapshot published all but them.",
            counters::unnamed)
        .add(
            "state-disk-reads-total",
            "Entries that were not among those on the heap and were asked for in RocksDB.",
            counters::diskReads)
        .add(
            "state-disk-writes-total",
            "Entries that were written to RocksDB from those on the heap.",
            counters::diskWrites);
  }

  MetricGroup addGeneration(String view, int number, ViewCounters counters) {
    String rows = "View rows emitted since the start; again if a commit was aborted.";
    return new MetricGroup("view-metrics", "view", view, "generation", Integer.toString(number))
        .add("rows-total", rows, counters::upserts, "kind", "upsert")
        .add("rows-total", rows, counters::deletes, "kind", "delete")
        .add(
            "degraded-records",
            "Records that the view has no rows of because they cannot be derived.",
            of(counters, ViewFigures::failedRecords))
        .add(
            "view-build-records-done",
            "Records that the generation was built from.",
            of(counters, ViewFigures::recordsDone))
        .add(
            "view-build-records-estimated",
            "Records there are to build from, about.",
            of(counters, ViewFigures::recordsEstimated))
        .add("view-rows", "Rows that stand.", of(counters, ViewFigures::rows))
        .add(
            "view-key-bytes",
            "Bytes of the keys of the rows that stand, as they are published.",
            of(counters, ViewFigures::keyBytes));
  }

  private static Supplier<Long> of(ViewCounters counters, ToLongFunction<ViewFigures> figure) {
    return () -> figure.applyAsLong(counters.figures());
  }

  MetricGroup addViewState(String view, Supplier<Shown> shown) {
    return new MetricGroup("view-state-metrics", "view", view)
        .add(
            "view-state",
            "1: the state that the view is in.",
            () -> shown.get().view().state().name())
        .add(
            "view-reasons",
            "How many different things are wrong with the view.",
            () -> shown.get().reasons())
        .add(
            "view-visible-before-timestamp-seconds",
            "Every change that was made before this time is in the rows that serve; seconds since"
                + " the epoch. Absent while it is not known.",
            () -> visibleBefore(shown.get()));
  }

  private static double visibleBefore(Shown shown) {
    return shown.view().freshness().visibleBeforeMs().stream()
        .mapToDouble(ms -> ms / 1_000.0)
        .findFirst()
        .orElse(Double.NaN);
  }

  /** Removes the MBeans; what a thread adds that goes on is in none. */
  @Override
  public void close() {
    List.copyOf(registry.reporters()).forEach(registry::removeReporter);
  }

  /** Metrics of one thing, which come and go together. */
  final class MetricGroup {
    private final String name;
    private final String[] tags;
    private final List<MetricName> names = new ArrayList<>();

    private MetricGroup(String name, String... tags) {
      this.name = name;
      this.tags = tags;
    }

    private MetricGroup add(
        String metric, String description, Supplier<?> value, String... moreTags) {
      String[] all = Stream.of(tags, moreTags).flatMap(Stream::of).toArray(String[]::new);
      MetricName full = registry.metricName(metric, name, description, all);
      registry.addMetric(full, (Gauge<Object>) (config, nowMs) -> value.get());
      names.add(full);
      return this;
    }

    void remove() {
      names.forEach(registry::removeMetric);
    }
  }
}
