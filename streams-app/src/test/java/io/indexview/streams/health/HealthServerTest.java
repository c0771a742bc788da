package io.indexview.streams.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.streams.health.HealthServer.HealthReport;
import io.indexview.streams.health.RecordSetCounters.Outcome;
import io.indexview.streams.health.ViewMeter.ViewFigures;
import io.indexview.streams.health.ViewStateGauges.Shown;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.Measurable;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.utils.Time;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HealthServerTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final AppMetrics metrics = new AppMetrics("health-server-test", () -> 2);
  private final AtomicReference<HealthReport> report =
      new AtomicReference<>(new HealthReport(true, true, "RUNNING", ""));
  private final HealthServer server =
      HealthServer.start(
          "127.0.0.1", 0, report::get, new MetricsPage(metrics, HealthServerTest::kafkaMetrics));
  private final HttpClient client = HttpClient.newHttpClient();

  @AfterEach
  void stop() {
    server.close();
    metrics.close();
  }

  private static Map<MetricName, KafkaMetric> kafkaMetrics() {
    MetricName lag =
        new MetricName(
            "records-lag-max",
            "consumer-fetch-manager-metrics",
            "",
            Map.of("client-id", "indexview-\"1\""));
    MetricName perTopic =
        new MetricName(
            "records-lag-max",
            "consumer-fetch-manager-metrics",
            "",
            Map.of("client-id", "indexview-\"1\"", "topic", "t"));
    MetricName other = new MetricName("fetch-rate", "consumer-fetch-manager-metrics", "", Map.of());
    MetricName polled = lastPoll("indexview-StreamThread-1-consumer");
    MetricName restored = lastPoll("indexview-StreamThread-1-restore-consumer");
    return Map.of(
        lag, metric(lag, 17.5),
        perTopic, metric(perTopic, 16),
        other, metric(other, 1),
        polled, metric(polled, 2),
        restored, metric(restored, 4_000));
  }

  private static MetricName lastPoll(String client) {
    return new MetricName(
        "last-poll-seconds-ago", "consumer-metrics", "", Map.of("client-id", client));
  }

  static KafkaMetric metric(MetricName name, double value) {
    return new KafkaMetric(
        new Object(), name, (Measurable) (config, now) -> value, new MetricConfig(), Time.SYSTEM);
  }

  private HttpResponse<String> request(String method, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + server.address().getPort() + path);
    return client.send(
        HttpRequest.newBuilder(uri)
            .timeout(TIMEOUT)
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void saysReadyWhileItRuns() throws Exception {
    assertThat(request("GET", "/health/ready").statusCode()).isEqualTo(200);
    assertThat(request("GET", "/health/live").body()).isEqualTo("RUNNING\n");
    assertThat(server.address().getAddress().isLoopbackAddress()).isTrue();
  }

  @Test
  void answersWhileOthersNeverEndTheirRequest() throws Exception {
    List<Socket> silent = new ArrayList<>();
    try {
      for (int i = 0; i < 100; i++) {
        Socket socket = new Socket(server.address().getAddress(), server.address().getPort());
        silent.add(socket);
        if (i < 20) {
          socket.getOutputStream().write("GET /heal".getBytes(StandardCharsets.US_ASCII));
        }
      }

      assertThat(request("GET", "/health/live").statusCode()).isEqualTo(200);
      assertThat(request("GET", "/metrics").statusCode()).isEqualTo(200);
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  @Test
  void isLiveButNotReadyWhileItWaits() throws Exception {
    report.set(new HealthReport(true, false, "STARTING", "waiting for the topic t"));

    assertThat(request("GET", "/health/live").statusCode()).isEqualTo(200);
    assertThat(request("GET", "/health/ready").statusCode()).isEqualTo(503);
    assertThat(request("GET", "/health/ready").body())
        .isEqualTo("STARTING: waiting for the topic t\n");
  }

  @Test
  void isNotLiveAfterAFailure() throws Exception {
    report.set(new HealthReport(false, false, "FAILED", "bug"));

    assertThat(request("GET", "/health/live").statusCode()).isEqualTo(503);
  }

  @Test
  void refusesToBeWrittenTo() throws Exception {
    assertThat(request("POST", "/health/live").statusCode()).isEqualTo(405);
    assertThat(request("HEAD", "/metrics").body()).isEmpty();
  }

  @Test
  void showsEveryCounter() throws Exception {
    metrics.recordSet("people").count(Outcome.APPLIED);
    metrics.recordSet("people").count(Outcome.APPLIED);
    metrics.recordSet("people").count(Outcome.DEAD);
    metrics.recordSet("people").countPurged(3);
    metrics.recordSet("people").countDiskRead();
    metrics.recordSet("people").countDiskWrites(4);
    ViewMeter first = metrics.join("by-org", 1);
    ViewMeter second = metrics.join("by-org", 1);
    first.count(5, 2);
    first.show(new ViewFigures(90, 100, 80, 4_000, 1));
    first.show(new ViewFigures(100, 100, 90, 5_000, 1));
    second.show(new ViewFigures(30, 50, 10, 600, 2));

    assertThat(request("GET", "/metrics").body())
        .contains(
            "# HELP indexview_events_total Change events since the start, by what became of them;"
                + " again if a commit was aborted.\n"
                + "# TYPE indexview_events_total counter\n")
        .contains("# TYPE indexview_view_rows gauge\n")
        .contains("indexview_events_total{outcome=\"applied\",record_set=\"people\"} 2.0\n")
        .contains("indexview_events_total{outcome=\"dead\",record_set=\"people\"} 1.0\n")
        .contains("indexview_tombstones_purged_total{record_set=\"people\"} 3.0\n")
        .contains("indexview_state_disk_reads_total{record_set=\"people\"} 1.0\n")
        .contains("indexview_state_disk_writes_total{record_set=\"people\"} 4.0\n")
        .contains("indexview_rows_total{generation=\"1\",kind=\"upsert\",view=\"by-org\"} 5.0\n")
        .contains("indexview_rows_total{generation=\"1\",kind=\"delete\",view=\"by-org\"} 2.0\n")
        .contains("indexview_degraded_records{generation=\"1\",view=\"by-org\"} 3.0\n")
        .contains("indexview_view_build_records_done{generation=\"1\",view=\"by-org\"} 130.0\n")
        .contains(
            "indexview_view_build_records_estimated{generation=\"1\",view=\"by-org\"} 150.0\n")
        .contains("indexview_view_rows{generation=\"1\",view=\"by-org\"} 100.0\n")
        .contains("indexview_view_key_bytes{generation=\"1\",view=\"by-org\"} 5600.0\n")
        .contains("indexview_registry_waits 2.0\n")
        .contains("indexview_kafka_records_lag_max{client_id=\"indexview-\\\"1\\\"\"} 17.5\n")
        .doesNotContain("lag_max{client_id=\"indexview-\\\"1\\\"\"} 16")
        .doesNotContain("fetch_rate")
        .contains("seconds_ago{client_id=\"indexview-StreamThread-1-consumer\"} 2.0\n")
        .doesNotContain("restore-consumer");
  }

  @Test
  void showsTheStatesOfViews() throws Exception {
    metrics
        .viewStates()
        .show(
            List.of(
                new Shown(AppMetricsTest.view("by-org", OptionalLong.of(1_700_000_000_500L)), 2),
                new Shown(AppMetricsTest.view("by-age", OptionalLong.empty()), 0)));
    metrics.viewStates().countUnreadable();

    assertThat(request("GET", "/metrics").body())
        .contains("indexview_view_state{state=\"READY\",view=\"by-org\"} 1.0\n")
        .contains("indexview_view_reasons{view=\"by-org\"} 2.0\n")
        .contains(
            "indexview_view_visible_before_timestamp_seconds{view=\"by-org\"} 1.7000000005E9\n")
        .contains("indexview_view_state{state=\"READY\",view=\"by-age\"} 1.0\n")
        .doesNotContain("seconds{view=\"by-age\"}")
        .contains("indexview_unreadable_control_records_total 1.0\n");
  }

  @Test
  void namesTheAddressThatIsTaken() {
    int port = server.address().getPort();

    assertThatThrownBy(
            () ->
                HealthServer.start(
                    "127.0.0.1", port, report::get, new MetricsPage(metrics, Map::of)))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("127.0.0.1:" + port)
        .hasMessageContaining("http.port");
  }
}
