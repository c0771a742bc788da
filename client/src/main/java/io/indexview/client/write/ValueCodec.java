package io.indexview.client.write;

import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;

/**
 * How the records of a record set are written in the store: as the source of the record set reads
 * them. Safe for use by several threads.
 */
public interface ValueCodec {
  /** Of the records. */
  Schema schema();

  /**
   * The bytes of a record.
   *
   * @throws IllegalArgumentException if it is no record of the schema
   */
  byte[] encode(GenericRecord record);

  /** Avro binary of the schema, without any header: value format {@code avro} of the source. */
  static ValueCodec avro(Schema schema) {
    return new AvroCodec(schema);
  }
}
