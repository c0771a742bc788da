package io.indexview.kvstore.value;

import io.indexview.kvstore.value.ValueDecoder.UndecodableException;
import io.indexview.kvstore.value.ValueEncoder.UnencodableException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;

/**
 * Makes values of records as Avro binary holds them, which is what a change event carries of them:
 * of Avro's generic types, whatever types the values of a given record have.
 */
final class PlainRecordEncoder implements ValueEncoder {
  private final ValueEncoder avro;
  private final Function<GenericRecord, byte[]> values;

  /**
   * @param values makes the value of a record of the schema; safe for use by several threads
   */
  PlainRecordEncoder(Schema schema, Function<GenericRecord, byte[]> values) {
    this.avro = ValueEncoder.avro(schema);
    this.values = values;
  }

  @Override
  public Schema schema() {
    return avro.schema();
  }

  @Override
  public byte[] encode(GenericRecord record) {
    return values.apply(plain(record));
  }

  /** The only field of a record, a text or bytes. */
  static byte[] onlyField(GenericRecord record) {
    if (record.get(0) instanceof ByteBuffer bytes) {
      byte[] copy = new byte[bytes.remaining()];
      bytes.get(copy);
      return copy;
    }
    return record.get(0).toString().getBytes(StandardCharsets.UTF_8);
  }

  /**
   * The record as Avro binary holds it.
   *
   * @throws UnencodableException if it is no record of the schema
   */
  GenericRecord plain(GenericRecord record) {
    try {
      return new AvroBinary(schema(), schema()).read(avro.encode(record), 0);
    } catch (UndecodableException e) {
      throw new UnencodableException(e.getMessage(), e);
    }
  }
}
