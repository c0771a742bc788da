package io.indexview.schemas.registry;

import io.indexview.schemas.time.Time;
import java.util.List;
import java.util.Map;

/** Where schema registry clients come from. */
public final class SchemaRegistries {
  private SchemaRegistries() {}

  /**
   * A client for the registry that {@link RegistryConfig#URL_CONFIG} names. It opens no connection
   * before it is used. Other keys are ignored. Close it after use; closing one of a {@code mock://}
   * address leaves the shared registry alone.
   *
   * @throws org.apache.kafka.common.config.ConfigException if the keys are not usable
   */
  public static SchemaRegistry create(Map<String, ?> config) {
    RegistryConfig registry = new RegistryConfig(config);
    List<Endpoint> endpoints = registry.endpoints();
    return endpoints.get(0).isMock()
        ? InMemorySchemaRegistry.shared(endpoints.get(0).mockScope())
        : new HttpSchemaRegistry(
            new RegistryHttp(endpoints, registry), registry.unknownIdTimeout(), Time.SYSTEM);
  }
}
