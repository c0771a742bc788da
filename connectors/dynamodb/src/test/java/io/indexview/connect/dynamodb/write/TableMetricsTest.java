package io.indexview.connect.dynamodb.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.dynamodb.ItemStoreException.Unavailable;
import io.indexview.schemas.docs.ComputedPage;
import io.indexview.schemas.time.Time;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.internals.PluginMetricsImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TableMetricsTest {
  private final Metrics metrics = new Metrics();
  private final TableLimiters limiters =
      new TableLimiters(
          8,
          0,
          () -> new Backoff(Duration.ofMillis(1), Duration.ofMillis(1)),
          Time.SYSTEM,
          new TableMetrics(new PluginMetricsImpl(metrics, Map.of("connector", "c"))));

  @AfterEach
  void close() {
    metrics.close();
  }

  private Map<String, Double> ofTable(String table) {
    Map<String, Double> values = new HashMap<>();
    metrics
        .metrics()
        .forEach(
            (name, metric) -> {
              if (table.equals(name.tags().get("table"))) {
                values.put(name.name(), ((Number) metric.metricValue()).doubleValue());
              }
            });
    return values;
  }

  @Test
  void showsWhatATableTakes() {
    TableLimiter limiter = limiters.of("files");
    limiter.sent(1);
    limiter.answered(limiter.sent(2), 3.5, null);
    limiter.applied(false);
    limiter.applied(true);
    limiter.answered(limiter.sent(1), 0, new Unavailable("throttled", null));
    limiters.of("people");

    assertThat(ofTable("files"))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "applied-rows-total", 1.0,
                "held-off-rows-total", 1.0,
                "failed-requests-total", 1.0,
                "write-units-total", 3.5,
                "requests-in-flight", 1.0,
                "requests-in-flight-limit", 4.0));
    assertThat(ofTable("people")).hasSize(6).containsEntry("write-units-total", 0.0);
  }

  @Test
  void theGuideTellsTheMetricsThatThereAre() throws IOException {
    limiters.of("files");
    ComputedPage guide = new ComputedPage("metrics.md", getClass().getSimpleName());

    assertThat(ofTable("files").keySet())
        .isEqualTo(guide.firstColumn("Metrics of the DynamoDB sink"));
  }

  @Test
  void showsNoTableThatIsGone() {
    TableLimiter busy = limiters.of("busy");
    busy.sent(1);
    limiters.of("idle");

    limiters.forget("busy");
    limiters.forget("idle");
    limiters.forget("never-seen");

    assertThat(ofTable("busy")).isNotEmpty();
    assertThat(ofTable("idle")).isEmpty();
    limiters.of("idle");
    assertThat(ofTable("idle")).isNotEmpty();
    limiters.close();
    assertThat(ofTable("idle")).isEmpty();
    assertThat(ofTable("busy")).isEmpty();
  }
}
