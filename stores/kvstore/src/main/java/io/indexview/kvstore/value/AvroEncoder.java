package io.indexview.kvstore.value;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.function.Supplier;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;

/** Avro binary after a header, which may be empty. */
final class AvroEncoder implements ValueEncoder {
  private final Schema schema;
  private final Supplier<byte[]> headers;
  private final GenericDatumWriter<GenericRecord> writer;
  private final LogicalValues logicalValues;
  private volatile byte[] header;

  /**
   * @param headers asked with a record until it gives one
   */
  AvroEncoder(Schema schema, Supplier<byte[]> headers) {
    this.schema = schema;
    this.headers = headers;
    this.writer = new GenericDatumWriter<>(schema);
    this.logicalValues = new LogicalValues(schema);
  }

  @Override
  public Schema schema() {
    return schema;
  }

  @Override
  public byte[] encode(GenericRecord record) {
    if (!record.getSchema().equals(schema)) {
      throw new UnencodableException(
          "a record of schema %s, not of the record set's %s"
              .formatted(record.getSchema().getFullName(), schema.getFullName()),
          null);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream(256);
    out.writeBytes(header());
    BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(out, null);
    try {
      writer.write(record, encoder);
      encoder.flush();
    } catch (IOException | AvroRuntimeException | ClassCastException | NullPointerException e) {
      throw new UnencodableException(
          "the record does not fit its schema %s: %s"
              .formatted(schema.getFullName(), e.getMessage()),
          e);
    }
    logicalValues.require(record);
    return out.toByteArray();
  }

  private byte[] header() {
    byte[] known = header;
    if (known == null) {
      known = headers.get();
      header = known;
    }
    return known;
  }
}
