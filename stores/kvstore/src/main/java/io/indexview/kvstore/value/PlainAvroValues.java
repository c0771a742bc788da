package io.indexview.kvstore.value;

import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;

/** Avro binary of the record schema, nothing else. */
final class PlainAvroValues implements ValueDecoder {
  private final AvroBinary binary;

  PlainAvroValues(Schema schema) {
    this.binary = new AvroBinary(schema, schema);
  }

  @Override
  public GenericRecord decode(byte[] value) throws UndecodableException {
    return binary.read(value, 0);
  }
}
