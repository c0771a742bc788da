package io.indexview.kvstore.value;

import io.indexview.kvstore.value.StoreAvroValues.FramedAvro;
import io.indexview.kvstore.value.ValueConfig.ValueFormat;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.WireFormat;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;

/**
 * Makes values of primary records, as {@link ValueDecoder} reads them back: the very same record,
 * or it refuses. Safe for use by several threads.
 */
public interface ValueEncoder {
  /** Schema of the records. */
  Schema schema();

  /**
   * The value of a record.
   *
   * @throws UnencodableException if it is no record of the schema, or the format cannot hold it
   * @throws RegistryException if a registry that has to be asked cannot be
   */
  byte[] encode(GenericRecord record);

  /**
   * The encoder of a format. That of {@code avro_registry} registers the record schema with the
   * first record, under the schema's full name (Confluent's RecordNameStrategy). That of {@code
   * avro_store} refuses every record if none of the store's schemas is the record schema.
   *
   * @param registry whose ids the values of {@code avro_registry} carry; stays open
   */
  static ValueEncoder of(ValueConfig values, SchemaRegistry registry) {
    Schema schema = values.schema();
    return switch (values.format()) {
      case AVRO -> avro(schema);
      case AVRO_STORE -> new AvroEncoder(schema, () -> storeHeader(values));
      case AVRO_REGISTRY ->
          new AvroEncoder(
              schema,
              () -> WireFormat.frame(registry.register(schema.getFullName(), schema), new byte[0]));
      case JSON -> new PlainRecordEncoder(schema, new JsonEncoder(schema)::encode);
      case STRING, BYTES -> new PlainRecordEncoder(schema, PlainRecordEncoder::onlyField);
    };
  }

  /** Avro binary of the schema, without any header: the format {@code avro}. */
  static ValueEncoder avro(Schema schema) {
    return new AvroEncoder(schema, () -> new byte[0]);
  }

  private static byte[] storeHeader(ValueConfig values) {
    // The newest of them, should the catalog have it twice.
    return new TreeMap<>(values.storeSchemas())
        .descendingMap().entrySet().stream()
            .filter(written -> written.getValue().equals(values.schema()))
            .map(Map.Entry::getKey)
            .findFirst()
            .map(FramedAvro::header)
            .orElseThrow(
                () ->
                    new UnencodableException(
                        "none of the store's schemas %s is the record schema %s, so no value of format %s can be written; add it to the store's catalog and to store.schemas of the source"
                            .formatted(
                                values.storeSchemas().keySet(),
                                values.schema().getFullName(),
                                ValueFormat.AVRO_STORE),
                        null));
  }

  /** A record cannot be written in the format of its record set. The message says why. */
  final class UnencodableException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    UnencodableException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
