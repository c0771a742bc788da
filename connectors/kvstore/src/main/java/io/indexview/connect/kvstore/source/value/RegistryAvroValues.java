package io.indexview.connect.kvstore.source.value;

import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.WireFormat;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.errors.SerializationException;

/** Avro binary after the id that a schema registry gave its schema. */
final class RegistryAvroValues implements ValueDecoder {
  private final SchemaRegistry registry;
  private final Schema schema;
  private final Map<Integer, AvroBinary> binaries = new HashMap<>();

  RegistryAvroValues(SchemaRegistry registry, Schema schema) {
    this.registry = registry;
    this.schema = schema;
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
    try {
      return registry.byId(id);
    } catch (RegistryException.NotFound | RegistryException.Rejected e) {
      throw new UndecodableException(e.getMessage(), e);
    }
  }
}
