package io.indexview.kvstore.value;

import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.schemas.time.Time;
import java.nio.ByteBuffer;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** Makes primary records of the values of one record set. For one thread. */
@FunctionalInterface
public interface ValueDecoder {
  /**
   * The record of a value, of the record set's schema.
   *
   * @param value all of it must be used; any bytes may come
   * @throws UndecodableException if it is none
   * @throws RegistryException if a registry that has to be asked cannot be, which says nothing
   *     about the value
   */
  GenericRecord decode(byte[] value) throws UndecodableException;

  /**
   * The decoder of a format.
   *
   * @param registry whose ids the values of {@code avro_registry} carry; stays open
   */
  static ValueDecoder of(ValueConfig values, SchemaRegistry registry, Time time) {
    return switch (values.format()) {
      case AVRO -> avro(values.schema());
      case AVRO_STORE -> new StoreAvroValues(values.storeSchemas(), values.schema());
      case AVRO_REGISTRY -> new RegistryAvroValues(registry, values.schema(), time);
      case JSON -> new JsonDecoder(values.schema());
      case STRING -> value -> oneField(ControlSchemas.STRING_RECORD, Utf8Text.of(value));
      case BYTES -> value -> oneField(ControlSchemas.BYTES_RECORD, ByteBuffer.wrap(value));
    };
  }

  private static ValueDecoder avro(Schema schema) {
    AvroBinary binary = new AvroBinary(schema, schema);
    return value -> binary.read(value, 0);
  }

  private static GenericRecord oneField(Schema schema, Object value) {
    GenericRecord record = new GenericData.Record(schema);
    record.put(0, value);
    return record;
  }

  /**
   * A value is not what its record set says. The message says what is wrong, and shows no value.
   */
  final class UndecodableException extends Exception {
    private static final long serialVersionUID = 1L;

    UndecodableException(String message) {
      super(message);
    }

    UndecodableException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
