package io.indexview.streams.health;

import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
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
    text.describe("indexview_registry_waits", "gauge", "Threads waiting for the schema registry.");
    text.sample("indexview_registry_waits", registryWaits.getAsInt());
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
    String purged = "indexview_deletion_markers_purged_total";
    text.describe(purged, "counter", "Deletion markers dropped after tombstone.retention.ms.");
    metrics
        .recordSets()
        .forEach((name, counters) -> text.sample(purged, counters.purged(), "record_set", name));
  }

  private void renderViews(PrometheusText text) {
    String rows = "indexview_rows_total";
    text.describe(
        rows, "counter", "View rows emitted since the start; again if a commit was aborted.");
    metrics
        .views()
        .forEach(
            (key, counters) -> {
              String generation = Integer.toString(key.generation());
              viewSample(text, rows, counters.upserts(), key.view(), generation, "upsert");
              viewSample(text, rows, counters.deletes(), key.view(), generation, "delete");
            });
    String degraded = "indexview_degraded_records";
    text.describe(degraded, "gauge", "Records found underivable since the start and still so.");
    metrics
        .views()
        .forEach(
            (key, counters) ->
                text.sample(
                    degraded,
                    counters.degradedRecords(),
                    "view",
                    key.view(),
                    "generation",
                    Integer.toString(key.generation())));
  }

  private static void viewSample(
      PrometheusText text, String name, long value, String view, String generation, String kind) {
    text.sample(name, value, "view", view, "generation", generation, "kind", kind);
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
}
