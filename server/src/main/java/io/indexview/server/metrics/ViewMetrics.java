package io.indexview.server.metrics;

import io.indexview.client.admin.ViewCatalog;
import io.indexview.client.admin.ViewStatus;
import io.indexview.schemas.control.ViewState;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How many views are in which state; nothing while that is not known. */
public final class ViewMetrics {
  private static final Logger LOGGER = LoggerFactory.getLogger(ViewMetrics.class);

  private final ViewCatalog catalog;
  private final AtomicBoolean isFailing = new AtomicBoolean();

  private ViewMetrics(ViewCatalog catalog) {
    this.catalog = catalog;
  }

  /** Adds the metrics to those of the registry; they are taken when somebody looks. */
  public static void register(PrometheusRegistry registry, ViewCatalog catalog) {
    ViewMetrics views = new ViewMetrics(catalog);
    GaugeWithCallback.builder()
        .name("indexview_server_views")
        .help("Views, by state.")
        .labelNames("state")
        .callback(views::count)
        .register(registry);
  }

  private void count(GaugeWithCallback.Callback gauge) {
    List<ViewState.State> states;
    try {
      states = catalog.list().stream().map(ViewStatus::phase).toList();
      isFailing.set(false);
    } catch (RuntimeException e) {
      if (!isFailing.getAndSet(true)) {
        LOGGER.warn(
            "The metric indexview_server_views is absent until the views can be read: {}",
            e.getMessage());
      }
      return;
    }
    for (ViewState.State state : ViewState.State.values()) {
      gauge.call(Collections.frequency(states, state), state.name());
    }
  }
}
