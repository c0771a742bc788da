package io.indexview.schemas.change;

import java.util.Arrays;
import java.util.Objects;

/**
 * The undecoded Avro bytes of one primary record, a slice of the event they came in. Two are equal
 * when schema id and bytes are, wherever the bytes lie.
 *
 * @param schemaId registry id of the schema of the message that framed it: the record's own schema
 *     on a flat topic, else the envelope's, whose {@code after} field is the record's
 * @param buffer not copied, never to be changed
 */
public record FramedValue(int schemaId, byte[] buffer, int offset, int length) {
  public FramedValue {
    Objects.requireNonNull(buffer, "buffer");
    Objects.checkFromIndexSize(offset, length, buffer.length);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FramedValue that
        && schemaId == that.schemaId
        && Arrays.equals(
            buffer, offset, offset + length, that.buffer, that.offset, that.offset + that.length);
  }

  @Override
  public int hashCode() {
    int hash = schemaId;
    for (int i = offset; i < offset + length; i++) {
      hash = 31 * hash + buffer[i];
    }
    return hash;
  }

  @Override
  public String toString() {
    return "FramedValue[schemaId=" + schemaId + ", " + length + " bytes]";
  }
}
