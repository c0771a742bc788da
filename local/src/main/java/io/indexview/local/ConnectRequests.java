package io.indexview.local;

import io.indexview.schemas.http.OriginRule;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.rest.ConnectRestExtension;
import org.apache.kafka.connect.rest.ConnectRestExtensionContext;

/** Puts {@link OriginRule} in front of the REST API of a Connect worker; the worker loads it. */
public final class ConnectRequests implements ConnectRestExtension {
  @Override
  public void register(ConnectRestExtensionContext context) {
    context.configurable().register(new Check());
  }

  @Override
  public String version() {
    return "1";
  }

  @Override
  public void configure(Map<String, ?> configs) {}

  @Override
  public void close() {}

  /** Checks requests before the worker looks for what is asked for. */
  @PreMatching
  private static final class Check implements ContainerRequestFilter {
    private final OriginRule rule = new OriginRule(OriginRule.LOOPBACK, RequestCheck.REMEDY);

    @Override
    public void filter(ContainerRequestContext request) {
      Optional<String> refusal =
          rule.refusal(
              "http",
              request.getHeaderString(HttpHeaders.HOST),
              request.getHeaderString("Origin"),
              request.getHeaderString("Sec-Fetch-Site"));
      refusal.ifPresent(
          reason ->
              request.abortWith(
                  Response.status(Response.Status.FORBIDDEN)
                      .type(MediaType.TEXT_PLAIN_TYPE)
                      .entity(reason)
                      .build()));
    }
  }
}
