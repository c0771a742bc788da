package io.indexview.kvstore.value;

import io.indexview.kvstore.value.ValueDecoder.UndecodableException;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.WireFormat;
import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.errors.SerializationException;

/** Avro binary after the id that a schema registry gave its schema. */
final class RegistryAvroValues implements ValueDecoder {
  /** A store whose ids are another registry's would else cost a request for each of its records. */
  private static final Duration ASKED_AGAIN_AFTER = Duration.ofMinutes(1);

  private static final int MAX_UNKNOWN = 1_000;

  private final SchemaRegistry registry;
  private final Schema schema;
  private final Time time;
  private final Map<Integer, AvroBinary> binaries = new HashMap<>();
  private final Map<Integer, Unknown> unknown = new HashMap<>();

  /**
   * What the registry said of an id that it does not have.
   *
   * @param askedAt as of {@link System#nanoTime}
   */
  private record Unknown(String reason, long askedAt) {}

  RegistryAvroValues(SchemaRegistry registry, Schema schema, Time time) {
    this.registry = registry;
    this.schema = schema;
    this.time = time;
  }

  @Override
  public GenericRecord decode(byte[] value) throws UndecodableException {
    int id = schemaId(value);
    AvroBinary binary = binaries.get(id);
    if (binary == null) {
      binary = new AvroBinary(written(id), schema);
      binaries.put(id, binary);
    }
    return binary.read(value, WireFormat.HEADER_LENGTH);
  }

  private static int schemaId(byte[] value) throws UndecodableException {
    try {
      return WireFormat.schemaId(value);
    } catch (SerializationException e) {
      throw new UndecodableException(e.getMessage(), e);
    }
  }

  private Schema written(int id) throws UndecodableException {
    Unknown known = unknown.get(id);
    if (known != null && time.nanoTime() - known.askedAt() < ASKED_AGAIN_AFTER.toNanos()) {
      throw new UndecodableException(known.reason());
    }
    try {
      return registry.byId(id);
    } catch (RegistryException.NotFound | RegistryException.Rejected e) {
      if (unknown.size() >= MAX_UNKNOWN) {
        unknown.clear();
      }
      unknown.put(id, new Unknown(e.getMessage(), time.nanoTime()));
      throw new UndecodableException(e.getMessage(), e);
    }
  }
}
