package io.indexview.streams.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.docs.ComputedPage;
import io.indexview.streams.health.RecordSetCounters.Outcome;
import io.indexview.streams.health.ViewStateGauges.Shown;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.junit.jupiter.api.Test;

/**
 * Names of metrics are a contract, which docs/metrics.md holds; server and connectors have their
 * own.
 */
class MetricsGuideTest {
  private static final Pattern NAME = Pattern.compile("indexview_(?!server_|connect_)[a-z_]*[a-z]");
  private static final Pattern MBEAN = Pattern.compile("`indexview\\.app:type=([^`]*)`");

  private final AppMetrics metrics = new AppMetrics("ID", () -> 0);
  private final String guide;

  MetricsGuideTest() throws IOException {
    guide = new ComputedPage("metrics.md", getClass().getSimpleName()).read();
    try (metrics) {
      metrics.recordSet("SET");
      metrics.join("VIEW", 1);
      metrics
          .viewStates()
          .show(List.of(new Shown(AppMetricsTest.view("VIEW", OptionalLong.of(1)), 0)));
    }
  }

  @Test
  void tellsTheMetricsThatThereAreAndNoOthers() throws IOException {
    Map<MetricName, KafkaMetric> kafka = new HashMap<>();
    MetricsPage.CHOSEN.stream()
        .map(chosen -> new MetricName(chosen.name(), chosen.group(), "", Map.of()))
        .forEach(name -> kafka.put(name, HealthServerTest.metric(name, 1)));
    String page =
        new String(new MetricsPage(metrics, () -> kafka).render(), StandardCharsets.UTF_8);

    assertThat(names(guide)).containsExactlyInAnyOrderElementsOf(names(page));
    for (Outcome outcome : Outcome.values()) {
      assertThat(guide).contains('`' + outcome.label() + '`');
    }
  }

  @Test
  void tellsTheMBeans() {
    Set<String> mbeans = new HashSet<>();
    metrics.registry().metrics().stream()
        .map(KafkaMetric::metricName)
        .forEach(name -> mbeans.add(name.group() + "," + String.join(",", name.tags().keySet())));

    assertThat(
            MBEAN
                .matcher(guide)
                .results()
                .map(found -> found.group(1).replaceAll("=[A-Z]+", ""))
                .collect(Collectors.toSet()))
        .isEqualTo(mbeans);
  }

  private static List<String> names(String text) {
    return NAME.matcher(text).results().map(MatchResult::group).distinct().toList();
  }
}
