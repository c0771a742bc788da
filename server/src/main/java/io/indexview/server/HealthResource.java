package io.indexview.server;

import io.indexview.client.admin.ViewCatalog;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code /health}: for whoever runs the server. It needs no token, and says no more. */
@Singleton
@Path("/health")
@Produces(MediaType.APPLICATION_JSON)
public final class HealthResource {
  private static final Logger LOGGER = LoggerFactory.getLogger(HealthResource.class);

  private final ViewCatalog catalog;
  private final AtomicBoolean isFailing = new AtomicBoolean();

  @Inject
  HealthResource(ViewCatalog catalog) {
    this.catalog = catalog;
  }

  /**
   * The answer.
   *
   * @param status {@code UP}, or {@code DOWN}: the cluster or the registry does not answer
   */
  public record Health(String status) {}

  /** Whether the process answers; a new one would not do better while it does. */
  @GET
  @Path("/live")
  public Health live() {
    return new Health("UP");
  }

  /** Whether the server can do its work. */
  @GET
  @Path("/ready")
  public Response ready() {
    try {
      // Views would be asked for their lags, which takes longer than those who probe wait.
      catalog.recordSets();
      isFailing.set(false);
      return Response.ok(new Health("UP")).build();
    } catch (RuntimeException e) {
      if (!isFailing.getAndSet(true)) {
        LOGGER.warn(
            "The server is not ready, and is again when Kafka and the registry answer: {}",
            e.getMessage());
      }
      return Response.status(Response.Status.SERVICE_UNAVAILABLE)
          .entity(new Health("DOWN"))
          .build();
    }
  }
}
