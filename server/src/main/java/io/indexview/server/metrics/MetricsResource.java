package io.indexview.server.metrics;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** {@code /metrics}, in the Prometheus text format. */
@Singleton
@Path("/metrics")
public final class MetricsResource {
  private final PrometheusRegistry registry;
  private final PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();

  @Inject
  public MetricsResource(PrometheusRegistry registry) {
    this.registry = registry;
  }

  @GET
  @Produces(MediaType.TEXT_PLAIN)
  public Response metrics() throws IOException {
    ByteArrayOutputStream page = new ByteArrayOutputStream();
    writer.write(page, registry.scrape());
    return Response.ok(page.toByteArray()).type(writer.getContentType()).build();
  }
}
