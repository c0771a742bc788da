package io.indexview.streams.health;

import io.indexview.streams.health.AppMetrics.ViewKey;
import io.indexview.streams.health.RecordSetCounters.Outcome;
import io.indexview.streams.health.ViewMeter.ViewFigures;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;

/** The page behind {@code /metrics}: the application's counters and chosen metrics of Kafka. */
public final class MetricsPage {
  private record Chosen(String group, String name, String type, String help) {
    String prometheusName() {
      return "indexview_kafka_" + name.replace('-', '_');
    }
  }

  private static final List<Chosen> CHOSEN =
      List.of(
          new Chosen("stream-metrics", "alive-stream-threads", "gauge", "Stream threads at work."),
          new Chosen("stream-metrics", "failed-stream-threads", "gauge", "Threads that failed."),
          new Chosen("stream-thread-metrics", "process-rate", "gauge", "Events per second."),
          new Chosen("stream-thread-metrics", "commit-rate", "gauge", "Commits per second."),
          new Chosen("stream-thread-metrics", "commit-latency-avg", "gauge", "Commit, ms."),
          new Chosen("stream-thread-metrics", "commit-latency-max", "gauge", "Commit, ms."),
          new Chosen(
              "consumer-metrics",
              "last-poll-seconds-ago",
              "gauge",
              "Since a stream thread last asked for events, s."),
          new Chosen(
              "consumer-fetch-manager-metrics",
              "records-lag-max",
              "gauge",
              "Largest lag, events."));

  /** Clients also have their metrics per topic and partition, under the same name. */
  private static final String PER_TOPIC = "topic";

  private static final List<String> TAGS = List.of("thread-id", "client-id");

  private final AppMetrics metrics;
  private final Supplier<Map<MetricName, ? extends Metric>> kafka;
  private final IntSupplier registryWaits;

  /**
   * @param kafka the metrics of Kafka Streams and its clients as they are now
   * @param registryWaits threads that wait for the schema registry now
   */
  public MetricsPage(
      AppMetrics metrics,
      Supplier<Map<MetricName, ? extends Metric>> kafka,
      IntSupplier registryWaits) {
    this.metrics = metrics;
    this.kafka = kafka;
    this.registryWaits = registryWaits;
  }

  String render() {
    PrometheusText text = new PrometheusText();
    renderRecordSets(text);
    renderViews(text);
    metrics.viewStates().render(text);
    text.describe(
        "indexview_registry_waits",
        "gauge",
        "Threads and partitions waiting for the schema registry.");
    text.sample("indexview_registry_waits", registryWaits.getAsInt());
    String left = "indexview_restore_offsets_left";
    text.describe(left, "gauge", "Offsets of changelogs that are still to be restored from.");
    text.sample(left, metrics.restore().offsets());
    renderKafka(text);
    return text.toString();
  }

  private void renderRecordSets(PrometheusText text) {
    String events = "indexview_events_total";
    text.describe(
        events,
        "counter",
        "Change events since the start, by what became of them; again if a commit was aborted.");
    metrics
        .recordSets()
        .forEach(
            (name, counters) -> {
              for (Outcome outcome : Outcome.values()) {
                text.sample(
                    events,
                    counters.total(outcome),
                    "record_set",
                    name,
                    "outcome",
                    outcome.label());
              }
            });
    counter(
        text,
        "indexview_tombstones_purged_total",
        "Tombstones dropped after tombstone.retention.ms.",
        RecordSetCounters::purged);
    counter(
        text,
        "indexview_snapshot_deletions_total",
        "Records deleted because an ad-hoc snapshot published all but them.",
        RecordSetCounters::unnamed);
    counter(
        text,
        "indexview_state_disk_reads_total",
        "Entries that were not among those on the heap and were asked for in RocksDB.",
        RecordSetCounters::diskReads);
    counter(
        text,
        "indexview_state_disk_writes_total",
        "Entries that were written to RocksDB from those on the heap.",
        RecordSetCounters::diskWrites);
  }

  private void counter(
      PrometheusText text, String name, String help, ToLongFunction<RecordSetCounters> figure) {
    text.describe(name, "counter", help);
    metrics
        .recordSets()
        .forEach(
            (recordSet, counters) ->
                text.sample(name, figure.applyAsLong(counters), "record_set", recordSet));
  }

  private void renderViews(PrometheusText text) {
    String rows = "indexview_rows_total";
    text.describe(
        rows, "counter", "View rows emitted since the start; again if a commit was aborted.");
    metrics
        .views()
        .forEach(
            (key, counters) -> {
              text.sample(rows, counters.upserts(), labels(key, "kind", "upsert"));
              text.sample(rows, counters.deletes(), labels(key, "kind", "delete"));
            });
    gauge(
        text,
        "indexview_degraded_records",
        "Records that the view has no rows of because they cannot be derived.",
        ViewFigures::failedRecords);
    gauge(
        text,
        "indexview_view_build_records_done",
        "Records that the generation was built from.",
        ViewFigures::recordsDone);
    gauge(
        text,
        "indexview_view_build_records_estimated",
        "Records there are to build from, about.",
        ViewFigures::recordsEstimated);
    gauge(text, "indexview_view_rows", "Rows that stand.", ViewFigures::rows);
    gauge(
        text,
        "indexview_view_key_bytes",
        "Bytes of the keys of the rows that stand, as they are published.",
        ViewFigures::keyBytes);
  }

  private void gauge(
      PrometheusText text, String name, String help, ToLongFunction<ViewFigures> figure) {
    text.describe(name, "gauge", help);
    metrics
        .views()
        .forEach(
            (key, counters) ->
                text.sample(name, figure.applyAsLong(counters.figures()), labels(key)));
  }

  private static String[] labels(ViewKey key, String... more) {
    return Stream.concat(
            Stream.of("view", key.view(), "generation", Integer.toString(key.generation())),
            Stream.of(more))
        .toArray(String[]::new);
  }

  private void renderKafka(PrometheusText text) {
    Map<MetricName, ? extends Metric> current = kafka.get();
    for (Chosen chosen : CHOSEN) {
      text.describe(chosen.prometheusName(), chosen.type(), chosen.help());
      current.forEach(
          (name, metric) -> {
            if (name.group().equals(chosen.group())
                && name.name().equals(chosen.name())
                && !name.tags().containsKey(PER_TOPIC)
                && metric.metricValue() instanceof Number value) {
              text.sample(chosen.prometheusName(), value.doubleValue(), labels(name));
            }
          });
    }
  }

  private static String[] labels(MetricName name) {
    return TAGS.stream()
        .filter(name.tags()::containsKey)
        .flatMap(tag -> List.of(tag.replace('-', '_'), name.tags().get(tag)).stream())
        .toArray(String[]::new);
  }

  /**
   * Writes metrics in the Prometheus text format 0.0.4; samples of one metric must come together.
   */
  static final class PrometheusText {
    static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final StringBuilder out = new StringBuilder();
    private final Set<String> described = new LinkedHashSet<>();

    void describe(String name, String type, String help) {
      if (described.add(name)) {
        out.append("# HELP ").append(name).append(' ').append(help).append('\n');
        out.append("# TYPE ").append(name).append(' ').append(type).append('\n');
      }
    }

    /**
     * @param labels names and values in turn
     */
    void sample(String name, double value, String... labels) {
      out.append(name);
      for (int i = 0; i < labels.length; i += 2) {
        out.append(i == 0 ? '{' : ',').append(labels[i]).append("=\"");
        escape(labels[i + 1]);
        out.append('"');
      }
      if (labels.length > 0) {
        out.append('}');
      }
      out.append(' ').append(format(value)).append('\n');
    }

    private void escape(String value) {
      for (int i = 0; i < value.length(); i++) {
        char c = value.charAt(i);
        switch (c) {
          case '\\' -> out.append("\\\\");
          case '"' -> out.append("\\\"");
          case '\n' -> out.append("\\n");
          default -> out.append(c);
        }
      }
    }

    private static String format(double value) {
      if (Double.isNaN(value)) {
        return "NaN";
      }
      if (Double.isInfinite(value)) {
        return value > 0 ? "+Inf" : "-Inf";
      }
      return value == Math.rint(value) && Math.abs(value) < 1e15
          ? Long.toString((long) value)
          : Double.toString(value);
    }

    @Override
    public String toString() {
      return out.toString();
    }
  }
}
