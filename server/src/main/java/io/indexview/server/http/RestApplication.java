package io.indexview.server.http;

import com.fasterxml.jackson.jakarta.rs.json.JacksonJsonProvider;
import io.indexview.server.Json;
import io.indexview.server.config.HttpSettings;
import io.indexview.server.metrics.RequestMetrics;
import io.indexview.server.problem.ProblemMapper;
import java.util.List;
import org.glassfish.jersey.server.ResourceConfig;
import org.glassfish.jersey.server.ServerProperties;

/** Resources with all that stands before and after each of them. */
public final class RestApplication {
  private RestApplication() {}

  /**
   * The application of some resources.
   *
   * @param metrics of its requests
   */
  public static ResourceConfig of(
      HttpSettings settings, RequestMetrics metrics, List<Object> resources) {
    ResourceConfig application = new ResourceConfig();
    application.property(ServerProperties.WADL_FEATURE_DISABLE, true);
    application.property(ServerProperties.FEATURE_AUTO_DISCOVERY_DISABLE, true);
    application.property(ServerProperties.METAINF_SERVICES_LOOKUP_DISABLE, true);
    // Or errors would go to the container, which knows less of them.
    application.property(ServerProperties.RESPONSE_SET_STATUS_OVER_SEND_ERROR, true);
    application.register(new JacksonJsonProvider(Json.MAPPER));
    application.register(new ProblemMapper());
    application.register(new SafeHeaders());
    application.register(OriginCheck.of(settings.address()));
    settings.token().map(TokenCheck::new).ifPresent(application::register);
    application.register(UnknownParameters.class);
    application.register(metrics);
    resources.forEach(application::register);
    return application;
  }
}
