package io.indexview.server.metrics;

import io.indexview.schemas.control.ViewVerification;
import io.indexview.schemas.control.ViewVerification.Counts;
import io.indexview.schemas.control.ViewVerification.Status;
import io.indexview.verification.live.VerificationCatalog;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the last verification of each view that compared all rows to its end has found; nothing
 * while that is not known.
 */
public final class VerificationMetrics {
  private static final Logger LOGGER = LoggerFactory.getLogger(VerificationMetrics.class);

  private final VerificationCatalog catalog;
  private final AtomicBoolean isFailing = new AtomicBoolean();

  private VerificationMetrics(VerificationCatalog catalog) {
    this.catalog = catalog;
  }

  /** Adds the metrics to those of the registry; they are taken when somebody looks. */
  public static void register(PrometheusRegistry registry, VerificationCatalog catalog) {
    VerificationMetrics verifications = new VerificationMetrics(catalog);
    GaugeWithCallback.builder()
        .name("indexview_server_view_verified_timestamp_seconds")
        .help("When the last verification came to its end, in seconds since the epoch.")
        .labelNames("view")
        .callback(
            gauge ->
                verifications.forEach(
                    (view, last) ->
                        gauge.call(
                            (double) last.run().endedAtMs() / TimeUnit.SECONDS.toMillis(1), view)))
        .register(registry);
    GaugeWithCallback.builder()
        .name("indexview_server_view_verified_rows")
        .help("Rows of the last verification, by what it found; left: wrong, and not repaired.")
        .labelNames("view", "found")
        .callback(gauge -> verifications.forEach((view, last) -> count(view, last, gauge)))
        .register(registry);
  }

  private static void count(String view, ViewVerification last, GaugeWithCallback.Callback gauge) {
    Counts counts = last.run().counts();
    gauge.call(counts.scanned(), view, "read");
    gauge.call(counts.right(), view, "right");
    gauge.call(counts.missing(), view, "missing");
    gauge.call(counts.extra(), view, "extra");
    gauge.call(counts.different(), view, "different");
    gauge.call(counts.left(), view, "left");
    gauge.call(counts.unexpected().total(), view, "unexpected");
    gauge.call(counts.tombstones().left(), view, "expired-tombstones");
    last.orphaned().ifPresent(orphaned -> gauge.call(orphaned, view, "orphaned"));
    gauge.call(counts.unjudged(), view, "unjudged");
  }

  private void forEach(BiConsumer<String, ViewVerification> visitor) {
    Collection<ViewVerification> last;
    try {
      last = lastDone(catalog.all());
      isFailing.set(false);
    } catch (RuntimeException e) {
      if (!isFailing.getAndSet(true)) {
        LOGGER.warn(
            "The metrics of verifications are absent until their topic can be read: {}",
            e.getMessage());
      }
      return;
    }
    last.forEach(one -> visitor.accept(one.view(), one));
  }

  private static Collection<ViewVerification> lastDone(List<ViewVerification> newestFirst) {
    Map<String, ViewVerification> last = new LinkedHashMap<>();
    newestFirst.stream()
        .filter(one -> one.status() == Status.DONE && one.options().isOfAllRows())
        .forEach(one -> last.putIfAbsent(one.view(), one));
    return last.values();
  }
}
