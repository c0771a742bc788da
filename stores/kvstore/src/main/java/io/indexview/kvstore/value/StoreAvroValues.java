package io.indexview.kvstore.value;

import com.sleepycat.util.PackedInteger;
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

  /**
   * Where the parts of a value are that the store's own Avro bindings wrote: the number that the
   * store's catalog gave the schema, packed, then Avro binary. Clients of current servers have
   * these bindings no more, and cannot ask for the catalog; the values are still read as they are.
   *
   * @param schemaId 1 or more
   * @param offset of the Avro binary
   */
  public record FramedAvro(int schemaId, int offset) {
    private static final int MAX_LENGTH = PackedInteger.MAX_LENGTH;

    /**
     * The parts of a value.
     *
     * @throws IllegalArgumentException if it does not begin with the number of a schema
     */
    public static FramedAvro of(byte[] value) {
      // A number above 0 has a first byte that is negative: the store tells the values by that.
      if (value.length > 0 && value[0] < 0) {
        int length = PackedInteger.getReadSortedIntLength(value, 0);
        if (length <= MAX_LENGTH && length <= value.length) {
          int schemaId = PackedInteger.readSortedInt(value, 0);
          if (schemaId > 0) {
            return new FramedAvro(schemaId, length);
          }
        }
      }
      throw new IllegalArgumentException(
          "the %d bytes do not begin with the number of a schema of the store"
              .formatted(value.length));
    }

    /**
     * What stands before the Avro binary of a schema.
     *
     * @param schemaId 1 or more
     */
    static byte[] header(int schemaId) {
      byte[] header = new byte[PackedInteger.getWriteSortedIntLength(schemaId)];
      PackedInteger.writeSortedInt(header, 0, schemaId);
      return header;
    }
  }
}
