package io.indexview.kvstore.value;

import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;

/** Records of a schema as Avro binary holds them: what a change event carries of them. */
final class AvroRecords {
  private final ValueEncoder encoder;

  AvroRecords(Schema schema) {
    this.encoder = ValueEncoder.avro(schema);
  }

  Schema schema() {
    return encoder.schema();
  }

  /**
   * A record whose values are of Avro's generic types, whatever those of the given one are.
   *
   * @throws UnencodableException if it is no record of the schema
   */
  GenericRecord plain(GenericRecord record) {
    try {
      return new AvroBinary(schema(), schema()).read(encoder.encode(record), 0);
    } catch (UndecodableException e) {
      throw new UnencodableException(e.getMessage(), e);
    }
  }
}
