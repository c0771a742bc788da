package io.indexview.streams.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.Gauge;
import org.apache.kafka.common.metrics.Metrics;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StreamsRunTest {
  private static final MetricName ALIVE =
      new MetricName("alive-stream-threads", "stream-metrics", "", Map.of("client-id", "app"));

  private final Metrics metrics = new Metrics();

  @AfterEach
  void close() {
    metrics.close();
  }

  private void alive(int threads) {
    metrics.addMetric(ALIVE, (Gauge<Integer>) (config, now) -> threads);
  }

  private void polled(String client, double secondsAgo) {
    metrics.addMetric(
        metrics.metricName(
            "last-poll-seconds-ago", "consumer-metrics", "", Map.of("client-id", client)),
        (Gauge<Double>) (config, now) -> secondsAgo);
  }

  @Test
  void isInNoTroubleWhileEachThreadAsksForEvents() {
    polled("app-StreamThread-1-consumer", -1);
    polled("app-StreamThread-2-consumer", 30);
    assertThat(StreamsRun.trouble(metrics.metrics())).isEmpty();
  }

  @Test
  void saysForHowLongAThreadStandsStill() {
    polled("app-StreamThread-1-consumer", 2);
    polled("app-StreamThread-2-consumer", 42.4);
    assertThat(StreamsRun.trouble(metrics.metrics())).contains("has stood still for 42 s");
  }

  @Test
  void doesNotMindThatNothingIsToRestore() {
    polled("app-StreamThread-1-restore-consumer", 4_000);
    assertThat(StreamsRun.trouble(metrics.metrics())).isEmpty();
  }

  @Test
  void saysThatNoThreadRuns() {
    alive(1);
    assertThat(StreamsRun.trouble(metrics.metrics())).isEmpty();

    metrics.removeMetric(ALIVE);
    alive(0);
    // It asks on, whatever becomes of the stream threads.
    polled("app-global-consumer", 0);
    assertThat(StreamsRun.trouble(metrics.metrics())).contains("no stream thread runs");
  }
}
