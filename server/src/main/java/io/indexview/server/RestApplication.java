package io.indexview.server;

import com.fasterxml.jackson.jakarta.rs.json.JacksonJsonProvider;
import io.indexview.client.admin.SourceCatalog;
import io.indexview.client.admin.ViewCatalog;
import io.indexview.server.config.HttpSettings;
import io.indexview.server.http.HttpFilters;
import io.indexview.server.json.Json;
import io.indexview.server.metrics.MetricsResource;
import io.indexview.server.metrics.RequestMetrics;
import io.indexview.server.metrics.VerificationMetrics;
import io.indexview.server.metrics.ViewMetrics;
import io.indexview.server.problem.ProblemMapper;
import io.indexview.server.record.PartialKeyResource;
import io.indexview.server.record.RecordResource;
import io.indexview.server.record.RecordSetResource;
import io.indexview.server.record.RecordSets;
import io.indexview.server.record.SourceResource;
import io.indexview.server.rows.RowResource;
import io.indexview.server.rows.Rows;
import io.indexview.server.view.VerificationResource;
import io.indexview.server.view.ViewResource;
import io.indexview.verification.live.VerificationCatalog;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Set;
import org.glassfish.hk2.utilities.binding.AbstractBinder;
import org.glassfish.jersey.server.ResourceConfig;
import org.glassfish.jersey.server.ServerProperties;

/** The resources, with what they work on and all that stands before and after each of them. */
final class RestApplication {
  static final Set<Class<?>> RESOURCES =
      Set.of(
          ViewResource.class,
          RowResource.class,
          RecordSetResource.class,
          SourceResource.class,
          VerificationResource.class,
          RecordResource.class,
          PartialKeyResource.class,
          HealthResource.class,
          MetricsResource.class,
          OpenApiResource.class);

  private RestApplication() {}

  static ResourceConfig of(
      HttpSettings settings,
      ViewCatalog views,
      VerificationCatalog verifications,
      Rows rows,
      RecordSets recordSets,
      SourceCatalog sources) {
    PrometheusRegistry metrics = new PrometheusRegistry();
    ViewMetrics.register(metrics, views);
    VerificationMetrics.register(metrics, verifications);
    ResourceConfig application = new ResourceConfig(RESOURCES);
    application.property(ServerProperties.WADL_FEATURE_DISABLE, true);
    application.property(ServerProperties.FEATURE_AUTO_DISCOVERY_DISABLE, true);
    application.property(ServerProperties.METAINF_SERVICES_LOOKUP_DISABLE, true);
    // Or errors would go to the container, which knows less of them.
    application.property(ServerProperties.RESPONSE_SET_STATUS_OVER_SEND_ERROR, true);
    application.register(new JacksonJsonProvider(Json.MAPPER));
    application.register(new ProblemMapper());
    application.register(new RequestMetrics(metrics));
    application.register(
        new AbstractBinder() {
          @Override
          protected void configure() {
            bind(views).to(ViewCatalog.class);
            bind(verifications).to(VerificationCatalog.class);
            bind(rows).to(Rows.class);
            bind(recordSets).to(RecordSets.class);
            bind(sources).to(SourceCatalog.class);
            bind(metrics).to(PrometheusRegistry.class);
          }
        });
    HttpFilters.register(settings, application);
    return application;
  }
}
