package io.indexview.schemas.change;

import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.Schema;

/**
 * The writer schemas of {@link FramedValue}s: what to decode the slice with. Cached for ever, safe
 * for use by several threads; the same id gives the same {@link Schema} instance, so it can key
 * caches of readers.
 */
public final class ValueSchemas {
  private final SchemaRegistry registry;
  private final Map<Integer, Schema> flat = new ConcurrentHashMap<>();
  private final Map<Integer, Schema> inEnvelopes = new ConcurrentHashMap<>();

  public ValueSchemas(SchemaRegistry registry) {
    this.registry = Objects.requireNonNull(registry, "registry");
  }

  /**
   * The schema that wrote the slice of a value.
   *
   * @param schemaId {@link FramedValue#schemaId()}
   * @param format of the topic that the value came from
   * @throws RegistryException if the registry has no such id, or does not answer
   * @throws IllegalArgumentException if the format is ENVELOPE and the schema is no envelope
   */
  public Schema writerSchema(int schemaId, RecordFormat format) {
    Map<Integer, Schema> cache = format == RecordFormat.FLAT ? flat : inEnvelopes;
    Schema known = cache.get(schemaId);
    if (known != null) {
      return known;
    }
    // Not computeIfAbsent: a request to the registry would hold the map's lock.
    Schema framing = registry.byId(schemaId);
    Schema writer = format == RecordFormat.FLAT ? framing : EnvelopeSchemas.writerSchema(framing);
    Schema raced = cache.putIfAbsent(schemaId, writer);
    return raced == null ? writer : raced;
  }
}
