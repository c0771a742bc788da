package io.indexview.client.write;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;

/** Plain Avro binary. */
final class AvroCodec implements ValueCodec {
  private final Schema schema;
  private final GenericDatumWriter<GenericRecord> writer;

  AvroCodec(Schema schema) {
    this.schema = schema;
    this.writer = new GenericDatumWriter<>(schema);
  }

  @Override
  public Schema schema() {
    return schema;
  }

  @Override
  public byte[] encode(GenericRecord record) {
    if (!record.getSchema().equals(schema)) {
      throw new IllegalArgumentException(
          "a record of schema %s, not of the record set's %s"
              .formatted(record.getSchema().getFullName(), schema.getFullName()));
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream(256);
    BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(out, null);
    try {
      writer.write(record, encoder);
      encoder.flush();
    } catch (IOException | AvroRuntimeException | ClassCastException | NullPointerException e) {
      throw new IllegalArgumentException(
          "the record does not fit its schema %s: %s"
              .formatted(schema.getFullName(), e.getMessage()),
          e);
    }
    return out.toByteArray();
  }
}
