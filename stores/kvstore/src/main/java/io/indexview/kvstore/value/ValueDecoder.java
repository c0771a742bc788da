package io.indexview.kvstore.value;

import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import java.time.Clock;
import org.apache.avro.generic.GenericRecord;

/** Makes primary records of the values of one record set. For one thread. */
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
  static ValueDecoder of(ValueConfig values, SchemaRegistry registry, Clock clock) {
    return switch (values.format()) {
      case AVRO -> new PlainAvroValues(values.schema());
      case AVRO_STORE -> new StoreAvroValues(values.storeSchemas(), values.schema());
      case AVRO_REGISTRY -> new RegistryAvroValues(registry, values.schema(), clock);
      case JSON -> new JsonValues(values.schema());
      case STRING -> new StringValues();
      case BYTES -> new BytesValues();
    };
  }
}
