package io.indexview.connect.kvstore.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.kvstore.source.ScanProgress.Counts;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.control.SourceState.Scan;
import io.indexview.schemas.docs.ComputedPage;
import io.indexview.schemas.fixtures.LogLines;
import io.indexview.schemas.fixtures.ManualClock;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.internals.PluginMetricsImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ScanProgressTest {
  private final Metrics metrics = new Metrics();
  private final ManualClock clock = new ManualClock();

  @AfterEach
  void close() {
    metrics.close();
  }

  private ScanProgress progress(Scan stored) throws IOException {
    ScanProgress progress = new ScanProgress("people", stored, clock);
    ScanMetrics.add(new PluginMetricsImpl(metrics, Map.of("connector", "c")), progress);
    return progress;
  }

  private Scan scan(long records) {
    return new Scan(
        1, clock.millis(), clock.millis(), records, false, 0, Optional.empty(), Map.of(), Map.of());
  }

  private double metric(String name) {
    return metrics.metrics().entrySet().stream()
        .filter(entry -> entry.getKey().name().equals(name))
        .mapToDouble(entry -> ((Number) entry.getValue().metricValue()).doubleValue())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void theGuideTellsTheMetricsThatThereAre() throws IOException {
    progress(null);
    ComputedPage guide = new ComputedPage("metrics.md", getClass().getSimpleName());

    assertThat(metrics.metrics().keySet())
        .filteredOn(name -> name.tags().containsKey("record-set"))
        .extracting(MetricName::name)
        .containsExactlyInAnyOrderElementsOf(guide.firstColumn("Metrics of the KV store source"));
  }

  @Test
  void saysNothingBeforeItKnows() throws IOException {
    ScanProgress progress = progress(null);

    assertThat(metric("last-scan-age-ms")).isNaN();
    assertThat(metric("scan-records-per-second")).isNaN();
    assertThat(metric("scan-position")).isNaN();
    progress.began(0);
    progress.saw(new Counts(10, 0, 0));
    assertThat(metric("scan-position")).isNaN();
    assertThat(metric("last-scan-age-ms")).isNaN();
    assertThat(metric("scan-records")).isEqualTo(10);
  }

  @Test
  void saysOncePerOutageAndKindOfFailureThatItCannotGoOn() throws IOException {
    ScanProgress progress = progress(null);
    try (LogLines log = LogLines.of(ScanProgress.class)) {
      for (int outage = 0; outage < 2; outage++) {
        progress.failed(new KvStoreException.Unavailable("no quorum"));
        progress.failed(new KvStoreException.Unavailable("no answer"));
        progress.failed(new TimeoutException("no broker"));
        progress.failed(new TimeoutException("no broker"));
        clock.pass(Duration.ofSeconds(1));
        progress.goesOn();
        progress.goesOn();
      }

      String failure =
          "The source cannot go on, and tries again until it can: recordSet=people cause=";
      String goesOn = "Goes on: recordSet=people afterMs=1000";
      assertThat(log.get())
          .containsExactly(
              failure + "no quorum",
              failure + "no broker",
              goesOn,
              failure + "no quorum",
              failure + "no broker",
              goesOn);
    }
  }

  @Test
  void showsTheScanUnderWay() throws IOException {
    ScanProgress progress = progress(scan(200));
    progress.began(0);
    clock.pass(Duration.ofMillis(500));
    progress.saw(new Counts(50, 3, 2));
    progress.undecodable(new SourceVersion("1/rg1", new byte[] {7}), "no person");

    assertThat(metric("scan-position")).isEqualTo(0.25);
    assertThat(metric("scan-records-per-second")).isEqualTo(100);
    assertThat(metric("skipped-table-rows")).isEqualTo(3);
    assertThat(metric("skipped-large-objects")).isEqualTo(2);
    assertThat(metric("undecodable-records-total")).isEqualTo(1);
    assertThat(metric("scans-total")).isZero();
    clock.pass(Duration.ofMillis(500));
    progress.saw(new Counts(400, 3, 2));
    assertThat(metric("scan-position")).isEqualTo(1);
  }

  @Test
  void keepsWhatTheLastScanSawAndCountsItsAge() throws IOException {
    ScanProgress progress = progress(scan(200));
    progress.began(0);
    clock.pass(Duration.ofMillis(1_000));
    progress.saw(new Counts(300, 1, 0));
    progress.ended();
    progress.completed(scan(300), 7);
    clock.pass(Duration.ofMillis(5_000));

    assertThat(metric("last-scan-age-ms")).isEqualTo(5_000);
    assertThat(metric("scan-position")).isNaN();
    assertThat(metric("scan-records")).isEqualTo(300);
    assertThat(metric("scan-records-per-second")).isEqualTo(300);
    assertThat(metric("skipped-table-rows")).isEqualTo(1);
    assertThat(metric("scans-total")).isEqualTo(1);
    assertThat(metric("events-total")).isEqualTo(7);
  }

  /** A scan that never ends must not look like one that is fresh. */
  @Test
  void growsOldWhileNoScanCompletes() throws IOException {
    ScanProgress progress = progress(scan(1));
    progress.began(0);
    clock.pass(Duration.ofMillis(60_000));
    progress.ended();
    progress.began(0);
    assertThat(metric("last-scan-age-ms")).isEqualTo(60_000);
    assertThat(metric("scan-records")).isZero();
  }

  @Test
  void tellsRecordSetsApart() throws IOException {
    progress(null);
    assertThat(metrics.metrics().keySet())
        .filteredOn(name -> name.name().equals("scans-total"))
        .extracting(MetricName::tags)
        .contains(Map.of("connector", "c", "record-set", "people"));
  }
}
