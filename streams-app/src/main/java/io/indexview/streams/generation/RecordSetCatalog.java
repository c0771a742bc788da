package io.indexview.streams.generation;

import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.views.definition.RecordSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The record sets of the application with their record schemas as they are now. Thread-safe. */
public final class RecordSetCatalog {
  private final List<RecordSetConfig> configured;
  private final RecordSchemas schemas;

  public RecordSetCatalog(List<RecordSetConfig> configured, SchemaRegistry registry) {
    this.configured = List.copyOf(configured);
    this.schemas = new RecordSchemas(registry, topic -> List.of());
  }

  /**
   * Record sets whose schema is known and usable, by name.
   *
   * @throws io.indexview.schemas.registry.RegistryException if the registry does not answer
   */
  public Map<String, RecordSet> known() {
    return schemas.known(configured).recordSets();
  }

  /** The configuration of a record set; empty: there is none of that name. */
  public Optional<RecordSetConfig> configured(String name) {
    return configured.stream().filter(set -> set.name().equals(name)).findFirst();
  }
}
