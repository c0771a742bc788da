package io.indexview.streams.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.ViewState;
import io.indexview.streams.health.RecordSetCounters.Outcome;
import io.indexview.streams.health.ViewMeter.ViewFigures;
import io.indexview.streams.health.ViewStateGauges.Shown;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AppMetricsTest {
  private static final String ID = "app-metrics-test";
  private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

  private final AppMetrics metrics = new AppMetrics(ID, () -> 2);

  @AfterEach
  void close() {
    metrics.close();
  }

  static ViewState view(String name, OptionalLong visibleBeforeMs) {
    return new ViewState(
        name,
        "uid-1",
        1,
        0,
        ViewState.State.READY,
        0,
        "",
        "people",
        "kv",
        "",
        List.of(),
        List.of(),
        new ViewState.Freshness(visibleBeforeMs, ""));
  }

  private static Object read(String mbean, String attribute) throws JMException {
    return SERVER.getAttribute(name(ID, mbean), attribute);
  }

  private static ObjectName name(String clientId, String mbean) throws JMException {
    return new ObjectName("indexview.app:client-id=%s,type=%s".formatted(clientId, mbean));
  }

  private static Set<String> types(String clientId) throws JMException {
    return SERVER.queryNames(name(clientId, "*,*"), null).stream()
        .map(name -> name.getKeyProperty("type"))
        .collect(Collectors.toSet());
  }

  @Test
  void metricsAreReadableByJmx() throws Exception {
    metrics.recordSet("people").count(Outcome.APPLIED);
    metrics.recordSet("people").countPurged(3);
    metrics.recordSet("people").count(Outcome.APPLIED);
    ViewMeter meter = metrics.join("by-org", 1);
    meter.count(5, 2);
    meter.show(new ViewFigures(90, 100, 80, 4_000, 1));
    metrics.viewStates().show(List.of(new Shown(view("by-org", OptionalLong.of(1_500)), 1)));
    metrics.viewStates().countUnreadable();

    assertThat(read("record-set-metrics,record-set=people,outcome=applied", "events-total"))
        .isEqualTo(2L);
    assertThat(read("record-set-metrics,record-set=people,outcome=dead", "events-total"))
        .isEqualTo(0L);
    assertThat(read("record-set-metrics,record-set=people", "tombstones-purged-total"))
        .isEqualTo(3L);
    assertThat(read("view-metrics,view=by-org,generation=1,kind=upsert", "rows-total"))
        .isEqualTo(5L);
    assertThat(read("view-metrics,view=by-org,generation=1", "view-key-bytes")).isEqualTo(4_000L);
    assertThat(read("view-metrics,view=by-org,generation=1", "degraded-records")).isEqualTo(1L);
    assertThat(read("view-state-metrics,view=by-org", "view-state")).isEqualTo("READY");
    assertThat(read("view-state-metrics,view=by-org", "view-visible-before-timestamp-seconds"))
        .isEqualTo(1.5);
    assertThat(read("app-metrics", "registry-waits")).isEqualTo(2);
    assertThat(read("app-metrics", "restore-offsets-left")).isEqualTo(0L);
    assertThat(read("app-metrics", "unreadable-control-records-total")).isEqualTo(1L);
  }

  @Test
  void metricsOfAGenerationGoWithItsLastTask() throws Exception {
    ViewMeter first = metrics.join("by-org", 1);
    ViewMeter second = metrics.join("by-org", 1);
    first.show(new ViewFigures(1, 1, 1, 1, 1));
    second.count(1, 0);

    first.close();
    assertThat(metrics.view("by-org", 1).figures()).isEqualTo(ViewFigures.NONE);
    assertThat(read("view-metrics,view=by-org,generation=1,kind=upsert", "rows-total"))
        .isEqualTo(1L);

    second.close();
    assertThat(metrics.view("by-org", 1).upserts()).isZero();
    assertThat(types(ID)).containsExactly("app-metrics");

    metrics.join("by-org", 1).count(7, 0);
    assertThat(read("view-metrics,view=by-org,generation=1,kind=upsert", "rows-total"))
        .isEqualTo(7L);
  }

  @Test
  void metricsOfAViewGoWithTheViewAndWithTheLease() throws Exception {
    ViewStateGauges views = metrics.viewStates();
    Shown first = new Shown(view("first", OptionalLong.empty()), 1);
    Shown second = new Shown(view("second", OptionalLong.empty()), 0);
    views.show(List.of(first, second));
    assertThat(
            (double) read("view-state-metrics,view=first", "view-visible-before-timestamp-seconds"))
        .isNaN();

    views.show(List.of(new Shown(view("first", OptionalLong.of(2_000)), 0)));
    assertThat(read("view-state-metrics,view=first", "view-reasons")).isEqualTo(0);
    assertThat(read("view-state-metrics,view=first", "view-visible-before-timestamp-seconds"))
        .isEqualTo(2.0);
    assertThat(SERVER.isRegistered(name(ID, "view-state-metrics,view=second"))).isFalse();

    views.show(List.of());
    assertThat(types(ID)).containsExactly("app-metrics");
  }

  @Test
  void closedMetricsDoNotComeBack() throws Exception {
    ViewMeter meter = metrics.join("by-org", 1);
    metrics.recordSet("people");

    metrics.close();

    assertThat(types(ID)).isEmpty();
    metrics.join("by-org", 2);
    metrics.recordSet("files").count(Outcome.APPLIED);
    metrics.viewStates().show(List.of(new Shown(view("by-org", OptionalLong.empty()), 0)));
    meter.close();
    assertThat(types(ID)).isEmpty();
  }

  @Test
  void metricsOfTwoApplicationsInOneProcessAreDistinct() throws Exception {
    try (AppMetrics other = new AppMetrics("other", () -> 0)) {
      metrics.recordSet("people").countPurged(1);
      other.recordSet("people").countPurged(4);

      assertThat(read("record-set-metrics,record-set=people", "tombstones-purged-total"))
          .isEqualTo(1L);
      assertThat(
              SERVER.getAttribute(
                  name("other", "record-set-metrics,record-set=people"), "tombstones-purged-total"))
          .isEqualTo(4L);
    }

    assertThat(types("other")).isEmpty();
    assertThat(types(ID)).containsExactlyInAnyOrder("app-metrics", "record-set-metrics");
  }

  @Test
  void metricsOfTwoApplicationsWithOneIdDoNotFail() throws Exception {
    try (AppMetrics other = new AppMetrics(ID, () -> 0)) {
      metrics.recordSet("people").countPurged(1);
      other.recordSet("people").countPurged(4);
    }
    metrics.recordSet("people").countPurged(1);

    assertThat(metrics.recordSet("people").purged()).isEqualTo(2);
  }
}
