package io.indexview.connect.kvstore.source;

import java.io.IOException;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;

/** Decodes the values of one record set. For one thread. */
final class ValueDecoder {
  private final String schemaName;
  private final GenericDatumReader<GenericRecord> reader;
  private BinaryDecoder decoder;

  ValueDecoder(Schema schema) {
    this.schemaName = schema.getFullName();
    this.reader = new GenericDatumReader<>(schema);
  }

  /**
   * The record of some bytes; all of them must be used.
   *
   * @throws UndecodableException if they are no record of the schema
   */
  GenericRecord decode(byte[] value) throws UndecodableException {
    try {
      decoder = DecoderFactory.get().binaryDecoder(value, decoder);
      GenericRecord record = reader.read(null, decoder);
      if (!decoder.isEnd()) {
        throw new UndecodableException(
            "the %d bytes are more than one %s".formatted(value.length, schemaName), null);
      }
      return record;
    } catch (IOException
        | AvroRuntimeException
        | IndexOutOfBoundsException
        | NegativeArraySizeException
        | UnsupportedOperationException e) {
      throw new UndecodableException(
          "the %d bytes are no %s; was the record written with another schema?"
              .formatted(value.length, schemaName),
          e);
    }
  }

  /** The value is not what the record set's schema says. */
  static final class UndecodableException extends Exception {
    UndecodableException(String message, Exception cause) {
      super(message, cause);
    }
  }
}
