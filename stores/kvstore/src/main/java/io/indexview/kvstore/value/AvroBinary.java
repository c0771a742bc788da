package io.indexview.kvstore.value;

import io.indexview.kvstore.value.ValueDecoder.UndecodableException;
import java.io.IOException;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;

/** Reads what was written with one schema as records of another. For one thread. */
final class AvroBinary {
  private final String schemaName;
  private final GenericDatumReader<GenericRecord> reader;
  private BinaryDecoder decoder;

  AvroBinary(Schema written, Schema wanted) {
    this.schemaName = written.getFullName();
    this.reader = new GenericDatumReader<>(written, wanted);
  }

  GenericRecord read(byte[] value, int offset) throws UndecodableException {
    int length = value.length - offset;
    try {
      decoder = DecoderFactory.get().binaryDecoder(value, offset, length, decoder);
      GenericRecord record = reader.read(null, decoder);
      if (!decoder.isEnd()) {
        throw new UndecodableException(
            "the %d bytes are more than one %s".formatted(length, schemaName));
      }
      return record;
    } catch (IOException
        | AvroRuntimeException
        | IndexOutOfBoundsException
        | NegativeArraySizeException
        | UnsupportedOperationException e) {
      throw new UndecodableException(
          "the %d bytes are no %s; was the record written with another schema? (%s)"
              .formatted(length, schemaName, shown(e)),
          e);
    } catch (StackOverflowError e) {
      // Only a schema that holds itself gets here, by bytes that nest without end.
      throw new UndecodableException(
          "the %d bytes nest %s too deep".formatted(length, schemaName), e);
    }
  }

  private static String shown(Exception e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }
}
