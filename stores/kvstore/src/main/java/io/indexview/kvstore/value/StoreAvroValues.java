package io.indexview.kvstore.value;

import io.indexview.kvstore.value.ValueDecoder.UndecodableException;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;

/** Avro binary after the number that the store's catalog gave its schema. */
final class StoreAvroValues implements ValueDecoder {
  private final Map<Integer, AvroBinary> binaries = new HashMap<>();

  StoreAvroValues(Map<Integer, Schema> written, Schema schema) {
    written.forEach((id, writer) -> binaries.put(id, new AvroBinary(writer, schema)));
  }

  @Override
  public GenericRecord decode(byte[] value) throws UndecodableException {
    FramedAvro framed = framed(value);
    AvroBinary binary = binaries.get(framed.schemaId());
    if (binary == null) {
      throw new UndecodableException(
          "it is written with schema %d of the store, and only %s are configured; add it to store.schemas"
              .formatted(framed.schemaId(), new TreeSet<>(binaries.keySet())));
    }
    return binary.read(value, framed.offset());
  }

  private static FramedAvro framed(byte[] value) throws UndecodableException {
    try {
      return FramedAvro.of(value);
    } catch (IllegalArgumentException e) {
      throw new UndecodableException(
          e.getMessage() + "; was it written without the store's Avro bindings?", e);
    }
  }
}
