package io.indexview.kvstore.value;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;

/** The only field of a record, a text or bytes. */
final class OneFieldEncoder implements ValueEncoder {
  private final AvroRecords records;

  OneFieldEncoder(Schema schema) {
    this.records = new AvroRecords(schema);
  }

  @Override
  public Schema schema() {
    return records.schema();
  }

  @Override
  public byte[] encode(GenericRecord record) {
    Object value = records.plain(record).get(0);
    if (value instanceof ByteBuffer bytes) {
      byte[] copy = new byte[bytes.remaining()];
      bytes.get(copy);
      return copy;
    }
    return value.toString().getBytes(StandardCharsets.UTF_8);
  }
}
