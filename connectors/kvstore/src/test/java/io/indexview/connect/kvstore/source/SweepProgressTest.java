package io.indexview.connect.kvstore.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.source.Look;
import io.indexview.connect.kvstore.source.SweepProgress.Counts;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.fixtures.ManualClock;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.internals.PluginMetricsImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SweepProgressTest {
  private final Metrics metrics = new Metrics();
  private final ManualClock clock = new ManualClock();

  @AfterEach
  void close() {
    metrics.close();
  }

  private SweepProgress progress(Look stored) throws IOException {
    SweepProgress progress = new SweepProgress("people", stored, clock);
    SweepMetrics.add(new PluginMetricsImpl(metrics, Map.of("connector", "c")), progress);
    return progress;
  }

  private Look look(long records) {
    return new Look(1, clock.millis(), clock.millis(), records, false, 0, null, Map.of(), Map.of());
  }

  private double metric(String name) {
    return metrics.metrics().entrySet().stream()
        .filter(entry -> entry.getKey().name().equals(name))
        .mapToDouble(entry -> ((Number) entry.getValue().metricValue()).doubleValue())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void saysNothingBeforeItKnows() throws IOException {
    SweepProgress progress = progress(null);

    assertThat(metric("last-sweep-age-ms")).isNaN();
    assertThat(metric("sweep-records-per-second")).isNaN();
    assertThat(metric("sweep-position")).isNaN();
    progress.began(0);
    progress.saw(new Counts(10, 0, 0));
    assertThat(metric("sweep-position")).isNaN();
    assertThat(metric("last-sweep-age-ms")).isNaN();
    assertThat(metric("sweep-records")).isEqualTo(10);
  }

  @Test
  void showsTheSweepUnderWay() throws IOException {
    SweepProgress progress = progress(look(200));
    progress.began(0);
    clock.pass(Duration.ofMillis(500));
    progress.saw(new Counts(50, 3, 2));
    progress.undecodable(new SourceVersion("1/rg1", new byte[] {7}), "no person");

    assertThat(metric("sweep-position")).isEqualTo(0.25);
    assertThat(metric("sweep-records-per-second")).isEqualTo(100);
    assertThat(metric("skipped-table-rows")).isEqualTo(3);
    assertThat(metric("skipped-large-objects")).isEqualTo(2);
    assertThat(metric("undecodable-records-total")).isEqualTo(1);
    assertThat(metric("sweeps-total")).isZero();
    clock.pass(Duration.ofMillis(500));
    progress.saw(new Counts(400, 3, 2));
    assertThat(metric("sweep-position")).isEqualTo(1);
  }

  @Test
  void keepsWhatTheLastSweepSawAndCountsItsAge() throws IOException {
    SweepProgress progress = progress(look(200));
    progress.began(0);
    clock.pass(Duration.ofMillis(1_000));
    progress.saw(new Counts(300, 1, 0));
    progress.ended();
    progress.completed(look(300), 7);
    clock.pass(Duration.ofMillis(5_000));

    assertThat(metric("last-sweep-age-ms")).isEqualTo(5_000);
    assertThat(metric("sweep-position")).isNaN();
    assertThat(metric("sweep-records")).isEqualTo(300);
    assertThat(metric("sweep-records-per-second")).isEqualTo(300);
    assertThat(metric("skipped-table-rows")).isEqualTo(1);
    assertThat(metric("sweeps-total")).isEqualTo(1);
    assertThat(metric("events-total")).isEqualTo(7);
  }

  /** A sweep that never ends must not look like one that is fresh. */
  @Test
  void growsOldWhileNoSweepCompletes() throws IOException {
    SweepProgress progress = progress(look(1));
    progress.began(0);
    clock.pass(Duration.ofMillis(60_000));
    progress.ended();
    progress.began(0);
    assertThat(metric("last-sweep-age-ms")).isEqualTo(60_000);
    assertThat(metric("sweep-records")).isZero();
  }

  @Test
  void tellsRecordSetsApart() throws IOException {
    progress(null);
    assertThat(metrics.metrics().keySet())
        .filteredOn(name -> name.name().equals("sweeps-total"))
        .extracting(MetricName::tags)
        .contains(Map.of("connector", "c", "record-set", "people"));
  }
}
