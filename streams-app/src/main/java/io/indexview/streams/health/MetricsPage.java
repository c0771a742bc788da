package io.indexview.streams.health;

import static java.util.stream.Collectors.groupingBy;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;

/** The page behind {@code /metrics}: the application's metrics and chosen ones of Kafka. */
public final class MetricsPage {
  /** A metric of Kafka, a gauge. */
  record Chosen(String group, String name, String help) {}

  private static final String ALIVE_THREADS = "alive-stream-threads";
  private static final String LAST_POLL = "last-poll-seconds-ago";

  static final List<Chosen> CHOSEN =
      List.of(
          new Chosen("stream-metrics", ALIVE_THREADS, "Stream threads at work."),
          new Chosen("stream-metrics", "failed-stream-threads", "Threads that failed."),
          new Chosen("stream-thread-metrics", "process-rate", "Events per second."),
          new Chosen("stream-thread-metrics", "commit-rate", "Commits per second."),
          new Chosen("stream-thread-metrics", "commit-latency-avg", "Commit, ms."),
          new Chosen("stream-thread-metrics", "commit-latency-max", "Commit, ms."),
          new Chosen(
              "consumer-metrics", LAST_POLL, "Since a stream thread last asked for events, s."),
          new Chosen("consumer-fetch-manager-metrics", "records-lag-max", "Largest lag, events."));

  /** Clients also have their metrics per topic and partition, under the same name. */
  private static final String PER_TOPIC = "topic";

  private static final Set<String> KAFKA_TAGS = Set.of("thread-id", "client-id");

  private final AppMetrics metrics;
  private final Supplier<Map<MetricName, ? extends Metric>> kafka;
  private final PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();

  /**
   * @param kafka the metrics of Kafka Streams and its clients as they are now
   */
  public MetricsPage(AppMetrics metrics, Supplier<Map<MetricName, ? extends Metric>> kafka) {
    this.metrics = metrics;
    this.kafka = kafka;
  }

  /** Whether it says how many stream threads run. */
  public static boolean isAliveThreads(MetricName metric) {
    return metric.name().equals(ALIVE_THREADS);
  }

  /**
   * Whether it says when a stream thread last asked for events. The consumer of a thread that
   * restores does not: it rests when there is nothing to restore.
   */
  public static boolean isLastPoll(MetricName metric) {
    return metric.name().equals(LAST_POLL)
        && !metric.tags().getOrDefault("client-id", "").endsWith("-restore-consumer");
  }

  String contentType() {
    return writer.getContentType();
  }

  byte[] render() throws IOException {
    MetricSnapshots.Builder page = MetricSnapshots.builder();
    metrics.registry().metrics().stream()
        .collect(groupingBy(metric -> metric.metricName().name()))
        .forEach((name, metrics) -> page.metricSnapshot(own(name, metrics)));
    Map<MetricName, ? extends Metric> current = kafka.get();
    CHOSEN.forEach(chosen -> page.metricSnapshot(ofKafka(chosen, current)));
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    writer.write(text, page.build());
    return text.toByteArray();
  }

  private static MetricSnapshot own(String name, List<? extends Metric> metrics) {
    Map<Labels, Double> samples = new HashMap<>();
    for (Metric metric : metrics) {
      Labels labels = labels(metric.metricName(), tag -> !tag.equals(AppMetricsRegistry.CLIENT_ID));
      Object value = metric.metricValue();
      if (!(value instanceof Number number)) {
        // A text can only be a label here.
        samples.put(labels.add("state", value.toString()), 1.0);
      } else if (!Double.isNaN(number.doubleValue())) {
        samples.put(labels, number.doubleValue());
      }
    }
    String full = "indexview_" + prometheus(name);
    String help = metrics.get(0).metricName().description();
    return name.endsWith("-total") ? counter(full, help, samples) : gauge(full, help, samples);
  }

  private static MetricSnapshot ofKafka(Chosen chosen, Map<MetricName, ? extends Metric> metrics) {
    Map<Labels, Double> samples = new HashMap<>();
    metrics.forEach(
        (name, metric) -> {
          if (name.group().equals(chosen.group())
              && name.name().equals(chosen.name())
              && !name.tags().containsKey(PER_TOPIC)
              && (isLastPoll(name) || !name.name().equals(LAST_POLL))
              && metric.metricValue() instanceof Number value) {
            samples.put(labels(name, KAFKA_TAGS::contains), value.doubleValue());
          }
        });
    return gauge("indexview_kafka_" + prometheus(chosen.name()), chosen.help(), samples);
  }

  private static Labels labels(MetricName name, Predicate<String> shown) {
    Labels.Builder labels = Labels.builder();
    name.tags()
        .forEach(
            (tag, value) -> {
              if (shown.test(tag)) {
                labels.label(prometheus(tag), value);
              }
            });
    return labels.build();
  }

  private static String prometheus(String kafkaName) {
    return kafkaName.replace('-', '_');
  }

  private static MetricSnapshot counter(String name, String help, Map<Labels, Double> samples) {
    CounterSnapshot.Builder counter = CounterSnapshot.builder().name(name).help(help);
    samples.forEach(
        (labels, value) ->
            counter.dataPoint(
                CounterDataPointSnapshot.builder().labels(labels).value(value).build()));
    return counter.build();
  }

  private static MetricSnapshot gauge(String name, String help, Map<Labels, Double> samples) {
    GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(name).help(help);
    samples.forEach(
        (labels, value) ->
            gauge.dataPoint(GaugeDataPointSnapshot.builder().labels(labels).value(value).build()));
    return gauge.build();
  }
}
