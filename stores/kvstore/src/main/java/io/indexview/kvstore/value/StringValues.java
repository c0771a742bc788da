package io.indexview.kvstore.value;

import io.indexview.schemas.serde.ControlSchemas;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** Texts: records of one field, {@code value}. */
final class StringValues implements ValueDecoder {
  @Override
  public GenericRecord decode(byte[] value) throws UndecodableException {
    GenericRecord record = new GenericData.Record(ControlSchemas.STRING_RECORD);
    record.put("value", Utf8Text.of(value));
    return record;
  }
}
