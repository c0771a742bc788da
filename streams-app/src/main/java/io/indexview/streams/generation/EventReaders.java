package io.indexview.streams.generation;

import io.indexview.schemas.change.ChangeEventReader;
import io.indexview.schemas.change.EventReader;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.change.json.JsonEventReader;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.streams.config.RecordSetConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.Schema;

/** Makes the readers of tasks as their record sets are configured. Thread-safe. */
public final class EventReaders {
  private final SchemaRegistry registry;
  private final Map<String, RecordSetConfig> byName = new HashMap<>();

  /**
   * @param registry stays open
   */
  public EventReaders(List<RecordSetConfig> recordSets, SchemaRegistry registry) {
    this.registry = registry;
    recordSets.forEach(recordSet -> byName.put(recordSet.name(), recordSet));
  }

  /** A new reader of a record set's topic. */
  public EventReader of(String recordSet) {
    RecordSetConfig config = byName.get(recordSet);
    return switch (config.encoding()) {
      case AVRO ->
          // Sources of our own send no tombstones, and their versions decide.
          new ChangeEventReader(
              registry,
              config.format(),
              config.format() == RecordFormat.FLAT || !config.completeness().hasSource());
      case JSON -> new JsonEventReader(registry, config.topic(), config.format(), schema(config));
    };
  }

  private static Optional<Schema> schema(RecordSetConfig config) {
    try {
      return config.schemaFile().isPresent()
          ? Optional.of(RecordSchemas.ofFile(config))
          : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(RecordSchemas.origin(config) + ": " + e.getMessage(), e);
    }
  }
}
