package io.indexview.schemas.change;

import java.util.Objects;

/**
 * The undecoded Avro bytes of one primary record, a slice of the event they came in.
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
}
