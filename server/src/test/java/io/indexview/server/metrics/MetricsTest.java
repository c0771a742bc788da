package io.indexview.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.VerificationOptions;
import io.indexview.schemas.control.VerificationOptions.Limits;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewVerification;
import io.indexview.schemas.control.ViewVerification.Counts;
import io.indexview.schemas.control.ViewVerification.NotLookedFor;
import io.indexview.schemas.control.ViewVerification.Run;
import io.indexview.schemas.control.ViewVerification.Status;
import io.indexview.schemas.control.ViewVerification.Tombstones;
import io.indexview.schemas.control.ViewVerification.Unexpected;
import io.indexview.schemas.docs.ComputedPage;
import io.indexview.server.People;
import io.indexview.server.ServedTest;
import io.indexview.server.TestServer;
import io.indexview.server.api.Api;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class MetricsTest extends ServedTest {
  /** On a server that nobody else has asked. */
  @Test
  void countsRequestsByRouteAndStatus() throws IOException {
    try (TestServer own = TestServer.start()) {
      countsRequestsByRouteAndStatus(own.api());
    }
  }

  private static void countsRequestsByRouteAndStatus(Api own) {
    own.get("/views/one");
    own.get("/views/two");
    own.get("/views");
    own.get("/nowhere/" + "x".repeat(50));
    String page = own.get("/metrics").text();

    assertThat(page)
        .contains(
            "indexview_server_requests_total{method=\"GET\",route=\"/views/{name}\",status=\"404\"} 2.0",
            "indexview_server_requests_total{method=\"GET\",route=\"/views\",status=\"200\"} 1.0",
            "indexview_server_requests_total{method=\"GET\",route=\"none\",status=\"404\"} 1.0",
            "indexview_server_request_duration_seconds_count{method=\"GET\",route=\"/views/{name}\"} 2")
        .doesNotContain("xxx", "/views/one");
  }

  @Test
  void countsViewsByState() {
    api.put("/views/by-org", People.definition("by-org", "org"));
    api.put("/views/by-name", People.definition("by-name", "name"));
    server.views().state("by-org", ViewState.State.READY, "");

    assertThat(api.get("/metrics").text())
        .contains(
            "indexview_server_views{state=\"READY\"} 1.0",
            "indexview_server_views{state=\"BUILDING\"} 1.0",
            "indexview_server_views{state=\"DEGRADED\"} 0.0");
  }

  @Test
  void tellsWhatTheLastVerificationFound() {
    server.verifications().put(verification("later", Status.RUNNING, 0));
    server.verifications().put(verification("sample", Status.DONE, 7_000, 5));
    server.verifications().put(verification("last", Status.DONE, 5_000));
    server.verifications().put(verification("before", Status.DONE, 1_000));

    assertThat(api.get("/metrics").text())
        .contains(
            "indexview_server_view_verified_timestamp_seconds{view=\"by-org\"} 5.0",
            "indexview_server_view_verified_rows{found=\"missing\",view=\"by-org\"} 3.0",
            "indexview_server_view_verified_rows{found=\"expired-tombstones\",view=\"by-org\"} 4.0",
            "indexview_server_view_verified_rows{found=\"orphaned\",view=\"by-org\"} 8.0",
            "indexview_server_view_verified_rows{found=\"left\",view=\"by-org\"} 2.0");
  }

  @Test
  void tellsNothingOfWhatWasNotLookedFor() {
    server
        .verifications()
        .put(
            verification(
                "last",
                Status.DONE,
                5_000,
                VerificationOptions.ALL,
                NotLookedFor.all("no quorum")));

    assertThat(api.get("/metrics").text())
        .contains("{found=\"left\",view=\"by-org\"} 2.0")
        .doesNotContain("orphaned");
  }

  private static ViewVerification verification(String id, Status status, long endedAtMs) {
    return verification(id, status, endedAtMs, VerificationOptions.ALL);
  }

  private static ViewVerification verification(
      String id, Status status, long endedAtMs, double samplePercent) {
    return verification(id, status, endedAtMs, samplePercent, List.of());
  }

  private static ViewVerification verification(
      String id,
      Status status,
      long endedAtMs,
      double samplePercent,
      List<NotLookedFor> notLookedFor) {
    VerificationOptions options =
        new VerificationOptions(Limits.NONE, samplePercent, false, false, false);
    Run run =
        new Run(
            "w",
            1,
            2,
            endedAtMs,
            4,
            0,
            "",
            new Counts(7, 7, 3, 0, 0, Unexpected.NONE, new Tombstones(9, 6, 2), 0, 1, 8),
            List.of(),
            List.of(),
            notLookedFor);
    return new ViewVerification("by-org", id, status, options, 1, run);
  }

  @Test
  void theGuideTellsTheMetricsThatThereAreAndNoOthers() throws IOException {
    server.verifications().put(verification("last", Status.DONE, 5_000));
    api.get("/views");
    String guide = new ComputedPage("metrics.md", getClass().getSimpleName()).read();

    assertThat(names(guide))
        .containsExactlyInAnyOrderElementsOf(
            names(api.get("/metrics").text().replaceAll("_(count|sum|bucket)\\b", "")));
  }

  private static List<String> names(String text) {
    return Pattern.compile("indexview_server_[a-z_]*[a-z]")
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .distinct()
        .toList();
  }

  /** Zero would be a lie. */
  @Test
  void leavesOutWhatIsNotKnown() {
    server.views().fail(new TimeoutException("no broker"));
    Api.Answer page = api.get("/metrics");

    assertThat(page.status()).isEqualTo(200);
    assertThat(page.text()).doesNotContain("indexview_server_views{");
  }

  @Test
  void saysOncePerOutageWhatIsLeftOut() {
    saysOncePerOutage(
        ViewMetrics.class,
        server.views()::fail,
        "The metric indexview_server_views is absent until the views can be read: no broker");
    saysOncePerOutage(
        VerificationMetrics.class,
        server.verifications()::fail,
        "The metrics of verifications are absent until their topic can be read: no broker");
  }

  private static void saysOncePerOutage(
      Class<?> metrics, Consumer<RuntimeException> failing, String line) {
    for (int outage = 0; outage < 2; outage++) {
      failing.accept(new TimeoutException("no broker"));

      assertThat(logged(metrics, MetricsTest::readTwice)).containsExactly(line);
      server.reset();
      assertThat(logged(metrics, MetricsTest::readTwice)).isEmpty();
    }
  }

  private static void readTwice() {
    api.get("/metrics");
    api.get("/metrics");
  }
}
