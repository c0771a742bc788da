package io.indexview.schemas.change;

import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.Schema;

/**
 * The undecoded Avro bytes of one primary record, a slice of the event they came in. Two are equal
 * when schema id and bytes are, wherever the bytes lie.
 *
 * @param schemaId registry id of the schema of the message that framed it: the record's own schema
 *     on a flat topic, else the envelope's, whose {@code after} field is the record's
 * @param buffer not copied, never to be changed
 */
public record FramedValue(int schemaId, byte[] buffer, int offset, int length) {
  public FramedValue {
    Objects.requireNonNull(buffer, "buffer");
    Objects.checkFromIndexSize(offset, length, buffer.length);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FramedValue that
        && schemaId == that.schemaId
        && Arrays.equals(
            buffer, offset, offset + length, that.buffer, that.offset, that.offset + that.length);
  }

  @Override
  public int hashCode() {
    int hash = schemaId;
    for (int i = offset; i < offset + length; i++) {
      hash = 31 * hash + buffer[i];
    }
    return hash;
  }

  @Override
  public String toString() {
    return "FramedValue[schemaId=" + schemaId + ", " + length + " bytes]";
  }

  /**
   * The writer schemas of {@link FramedValue}s: what to decode the slice with. Cached for ever,
   * safe for use by several threads; the same id gives the same {@link Schema} instance, so it can
   * key caches of readers.
   */
  public static final class ValueSchemas {
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
}
