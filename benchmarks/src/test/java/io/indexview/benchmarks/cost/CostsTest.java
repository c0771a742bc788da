package io.indexview.benchmarks.cost;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an event, a record of a build, a row of a sink and a page of a view cost, in counts and
 * bytes that do not depend on the machine, against {@code costs.properties}.
 */
@Timeout(300)
class CostsTest {
  private static final Logger LOGGER = LoggerFactory.getLogger(CostsTest.class);

  private final Properties bounds = new Properties();

  private double number(String key) {
    return Double.parseDouble(bounds.getProperty(key));
  }

  private double most(String cost) {
    String headroom =
        cost.endsWith("allocated.bytes") ? "headroom.percent.allocated" : "headroom.percent";
    return number(cost) * (1 + number(headroom) / 100);
  }

  @Test
  void stayWithinTheirBounds() throws Exception {
    try (InputStream in = getClass().getResourceAsStream("/costs.properties")) {
      bounds.load(in);
    }
    Map<String, Double> costs = new TreeMap<>(new DerivationCosts().measure());
    costs.putAll(new SinkCosts().measure());
    costs.putAll(new ReadCosts().measure());

    String measured =
        costs.entrySet().stream()
            .map(cost -> String.format(Locale.ROOT, "%s=%.3f", cost.getKey(), cost.getValue()))
            .collect(Collectors.joining("\n"));
    measured.lines().forEach(LOGGER::info);
    assertThat(bounds.stringPropertyNames().stream().filter(key -> !key.startsWith("headroom.")))
        .as("measured:%n%s", measured)
        .containsExactlyInAnyOrderElementsOf(costs.keySet());
    assertThat(costs)
        .as("measured:%n%s", measured)
        .allSatisfy((name, cost) -> assertThat(cost).as(name).isLessThanOrEqualTo(most(name)));
  }
}
