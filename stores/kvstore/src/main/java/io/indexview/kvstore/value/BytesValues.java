package io.indexview.kvstore.value;

import io.indexview.schemas.serde.ControlSchemas;
import java.nio.ByteBuffer;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** Values as they are: records of one field, {@code value}. */
final class BytesValues implements ValueDecoder {
  @Override
  public GenericRecord decode(byte[] value) {
    GenericRecord record = new GenericData.Record(ControlSchemas.BYTES_RECORD);
    record.put("value", ByteBuffer.wrap(value));
    return record;
  }
}
