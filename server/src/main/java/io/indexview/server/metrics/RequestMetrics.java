package io.indexview.server.metrics;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Unit;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.glassfish.jersey.server.ExtendedUriInfo;
import org.glassfish.jersey.server.monitoring.ApplicationEvent;
import org.glassfish.jersey.server.monitoring.ApplicationEventListener;
import org.glassfish.jersey.server.monitoring.RequestEvent;
import org.glassfish.jersey.server.monitoring.RequestEventListener;
import org.glassfish.jersey.uri.UriTemplate;

/** Counts and times requests by route; never by what a client wrote, or labels had no bound. */
public final class RequestMetrics implements ApplicationEventListener {
  private static final String NO_ROUTE = "none";
  private static final String OTHER_METHOD = "OTHER";
  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS", "PATCH");

  private final Counter requests;
  private final Histogram seconds;

  public RequestMetrics(PrometheusRegistry registry) {
    this.requests =
        Counter.builder()
            .name("indexview_server_requests_total")
            .help("Requests answered.")
            .labelNames("method", "route", "status")
            .register(registry);
    this.seconds =
        Histogram.builder()
            .name("indexview_server_request_duration_seconds")
            .help("From the request's line to the end of its answer.")
            .unit(Unit.SECONDS)
            .classicOnly()
            .labelNames("method", "route")
            .register(registry);
  }

  @Override
  public void onEvent(ApplicationEvent event) {
    // Only requests are counted.
  }

  @Override
  public RequestEventListener onRequest(RequestEvent start) {
    long begun = System.nanoTime();
    return event -> {
      if (event.getType() == RequestEvent.Type.FINISHED) {
        count(event, (System.nanoTime() - begun) / 1e9);
      }
    };
  }

  private void count(RequestEvent event, double duration) {
    String asked = event.getContainerRequest().getMethod().toUpperCase(Locale.ROOT);
    String method = METHODS.contains(asked) ? asked : OTHER_METHOD;
    String route = route(event.getUriInfo());
    int status =
        event.getContainerResponse() == null ? 500 : event.getContainerResponse().getStatus();
    requests.labelValues(method, route, Integer.toString(status)).inc();
    seconds.labelValues(method, route).observe(duration);
  }

  /** The templates that matched, from the outermost on. */
  private static String route(ExtendedUriInfo uri) {
    List<UriTemplate> templates = uri.getMatchedTemplates();
    if (templates.isEmpty()) {
      return NO_ROUTE;
    }
    StringBuilder route = new StringBuilder();
    for (UriTemplate template : templates) {
      route.insert(0, template.getTemplate());
    }
    return route.toString();
  }
}
