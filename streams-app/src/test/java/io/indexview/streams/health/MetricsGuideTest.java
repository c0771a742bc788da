package io.indexview.streams.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.docs.ComputedPage;
import io.indexview.streams.health.RecordSetCounters.Outcome;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Names of metrics are a contract, which docs/metrics.md holds; the server has its own. */
class MetricsGuideTest {
  private static final Pattern NAME = Pattern.compile("indexview_(?!server_)[a-z_]*[a-z]");

  @Test
  void tellsTheMetricsThatThereAreAndNoOthers() throws IOException {
    String guide = new ComputedPage("metrics.md", getClass().getSimpleName()).read();
    String rendered = new MetricsPage(new AppMetrics(), Map::of, () -> 0).render();

    assertThat(names(guide)).containsExactlyInAnyOrderElementsOf(names(rendered));
    for (Outcome outcome : Outcome.values()) {
      assertThat(guide).contains('`' + outcome.label() + '`');
    }
  }

  private static List<String> names(String text) {
    return NAME.matcher(text).results().map(name -> name.group()).distinct().toList();
  }
}
